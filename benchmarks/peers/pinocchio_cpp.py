"""Pinocchio's C++ library, header-only, built with the same compiler and flags as our C code."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.native import FLAGS, Compiler, build
from screwgraph.bench import Case, Effort, Measured, NotMeasuredError, Tree, import_peer, tree
from screwgraph.robot import Robot

HERE = Path(__file__).parent / "native"
EIGEN = (Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3"), Path("/opt/homebrew/include/eigen3"))
BOOST = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
"""What the wheel's headers ask of Boost's."""
COLUMNS = {"inverse": 0, "forward": 0, "mass_matrix": 1, "inverse_derivatives": 3, "forward_derivatives": 3}
"""Of each answer, in units of nv; 0 is a vector."""
TIMEOUT = 600.0


@dataclass(frozen=True)
class PinocchioInCpp:
    """A program that reads a robot and states, and prints times; `say` reports that it is being built."""

    compiler: Compiler
    say: Callable[[str], None]
    name: str = "Pinocchio C++"

    def version(self) -> str:
        """Return name, version and compiler."""
        return f"Pinocchio C++ {import_peer('pinocchio', 'pin').__version__}, Eigen {_eigen_version()}"

    def program(self) -> Path:
        """Return the program, built if need be: a matter of minutes."""
        return built("pinocchio.cpp", self.compiler, self.say)

    def measure(self, case: Case, effort: Effort) -> Measured:
        """Return the time of the fastest of its ways to answer, best of passes over all states."""
        if case.question.name not in COLUMNS:
            raise NotMeasuredError(f"Pinocchio has no algorithm for {case.question.name}")
        program, bodies = self.program(), tree(case.robot)
        text = model_text(case.robot, bodies)
        return run(program, text, case, bodies, effort, case.question.name, matrices=bool(COLUMNS[case.question.name]))


def built(source: str, compiler: Compiler, say: Callable[[str], None]) -> Path:
    """Return a program that includes Pinocchio's headers, built if need be. Raises NotMeasuredError if it cannot be."""
    sources = [HERE / name for name in (source, "robot.hpp", "timing.hpp")]
    includes = [flag for folder in (_pinocchio_headers(), _eigen_headers()) for flag in ("-isystem", str(folder))]
    flags = ["-std=c++17", *FLAGS, *BOOST, *includes]
    return build(compiler.cpp, flags, sources, say=lambda line: say(f"{line} (1 to 6 minutes, once)"))


def run(
    program: Path, model: str, case: Case, bodies: Tree, effort: Effort, asked: str, matrices: bool = False
) -> Measured:
    """Give a robot's text and a case's states to a program; return its fastest way's time and its answers."""
    with tempfile.TemporaryDirectory() as folder:
        text, states, answers = (Path(folder) / name for name in ("model", "states", "answers"))
        text.write_text(model)
        states.write_bytes(_states(case, bodies).tobytes())
        count = len(case.states.q)
        command = [program, text, states, answers, asked, count, effort.seconds]
        printed = _run([str(word) for word in command])
        found = np.fromfile(answers).reshape(count, case.robot.nv, -1)
    time, way = min((float(time), way) for way, time in (line.split() for line in printed.splitlines()))
    return Measured(time, bodies.back(found if matrices else found[:, :, 0]), way)


def model_text(robot: Robot, bodies: Tree) -> str:
    """Return a robot as `pinocchio.cpp` reads it."""
    lines = [f"gravity {numbers(robot.gravity)}"]
    for body in bodies.bodies:
        T, inertia = body.joint.origin, body.inertia
        place = [*body.axis, *pose_numbers(T)]
        weight = [body.joint.armature, inertia.mass, *inertia.com, *inertia.about_com.flat]
        lines.append(f"joint {body.kind} {body.parent + 1} {numbers(place)} {numbers(weight)}")
    return "\n".join(lines) + "\n"


def pose_numbers(T: np.ndarray) -> list[float]:
    """Return a pose as the programs read it: rotation row by row, then translation."""
    return [*T[:3, :3].flat, *T[:3, 3]]


def numbers(values: object) -> str:
    """Return numbers as text, every digit of them."""
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=float)))


def _states(case: Case, bodies: Tree) -> np.ndarray:
    states = case.states
    return np.hstack([states.q[:, bodies.q_places], states.qd[:, bodies.v_places], states.given[:, bodies.v_places]])


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as error:
        raise NotMeasuredError(f"the program was not done after {TIMEOUT:g} s") from error
    if done.returncode:
        raise NotMeasuredError(f"the program failed: {done.stderr.strip() or f'status {done.returncode}'}")
    return done.stdout


def _pinocchio_headers() -> Path:
    """Return the wheel's include folder: some way above the module's own."""
    module = Path(import_peer("pinocchio", "pin").__file__)
    for folder in module.parents:
        if (folder / "include" / "pinocchio" / "fwd.hpp").exists():
            return folder / "include"
    raise NotMeasuredError("this package pin comes without C++ headers (pip install pin brings them)")


def _eigen_headers() -> Path:
    for folder in EIGEN:
        if (folder / "Eigen" / "Core").exists():
            return folder
    raise NotMeasuredError("Eigen's headers are not here (on Debian: apt-get install libeigen3-dev)")


def _eigen_version() -> str:
    text = (_eigen_headers() / "Eigen" / "src" / "Core" / "util" / "Macros.h").read_text()
    lines = dict(
        line.split()[1:3] for line in text.splitlines() if line.startswith("#define EIGEN_") and "VERSION " in line
    )
    return ".".join(lines.get(f"EIGEN_{part}_VERSION", "?") for part in ("WORLD", "MAJOR", "MINOR"))
