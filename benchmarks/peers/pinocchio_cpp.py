"""Pinocchio's C++ library, header-only, built with the same compiler and flags as our C code."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.headers import include_folder
from benchmarks.native import FLAGS, Compiler, LateError, build
from benchmarks.peers.answers import Answer, answer
from screwgraph.model.robot import Robot
from screwgraph.ui.bench import (
    Budget,
    Case,
    NotMeasuredError,
    PeerResult,
    States,
    Tree,
    import_peer,
    make_depth_first_tree,
)

HERE = Path(__file__).parent / "native"
BOOST = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
"""What the wheel's headers ask of Boost's."""
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

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Return the time of the fastest of its ways to answer, best of passes over all states."""
        read, program, bodies = answer(case.question.name), self.program(), make_depth_first_tree(case.robot)
        return run(program, model_text(case.robot, bodies), case, bodies, effort, case.question.name, read)


def built(
    source: str,
    compiler: Compiler,
    say: Callable[[str], None],
    parts: Sequence[str] = ("algorithms.hpp",),
    includes: Sequence[Path] = (),
    libraries: Sequence[str] = (),
    optimisation: Sequence[str] = FLAGS,
) -> Path:
    """Return a program that includes Pinocchio's headers, built if need be. Raises NotMeasuredError if it cannot be."""
    sources = [HERE / name for name in (source, *parts, "robot.hpp", "timing.hpp")]
    folders = [flag for folder in (*headers(), *includes) for flag in ("-isystem", str(folder))]
    flags = ["-std=c++17", *optimisation, *BOOST, *folders]
    return build(
        compiler.cpp, flags, sources, say=lambda line: say(f"{line} (1 to 6 minutes, once)"), libraries=libraries
    )


def run(program: Path, model: str, case: Case, bodies: Tree, effort: Budget, asked: str, read: Answer) -> PeerResult:
    """Give a robot's text and a case's states to a program; return its fastest way's time and its answers."""
    with tempfile.TemporaryDirectory() as folder:
        text, states, answers = (Path(folder) / name for name in ("model", "states", "answers"))
        text.write_text(model)
        states.write_bytes(state_numbers(case.states, bodies).tobytes())
        count = len(case.states.q)
        command = [program, text, states, answers, asked, count, effort.seconds]
        printed = output([str(word) for word in command])
        found = np.fromfile(answers).reshape(count, -1)
    time, way = min((float(time), way) for way, time in (line.split() for line in printed.splitlines()))
    return PeerResult(time, read.ours(found, bodies), way)


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


def state_numbers(states: States, bodies: Tree) -> np.ndarray:
    """Return states as the programs read them, (N, nq + 2 nv): q, v, and accelerations or torques."""
    return np.hstack([states.q[:, bodies.q_places], states.qd[:, bodies.v_places], states.given[:, bodies.v_places]])


def output(command: list[str], timeout: float = TIMEOUT) -> str:
    """Return what a program prints. Raises NotMeasuredError if it fails, LateError if it takes longer (s)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise LateError("the program", timeout) from error
    if done.returncode:
        raise NotMeasuredError(f"the program failed: {done.stderr.strip() or f'status {done.returncode}'}")
    return done.stdout


def headers() -> list[Path]:
    """Return the folders of Pinocchio's and Eigen's headers. Raises NotMeasuredError if they are not here."""
    import_peer("pinocchio", "pin")
    return [include_folder("pinocchio/fwd.hpp", "pip install pin"), _eigen_headers()]


def _eigen_headers() -> Path:
    return include_folder("Eigen/Core", "pip install cmeel-eigen", ("eigen3", ""))


def _eigen_version() -> str:
    text = (_eigen_headers() / "Eigen" / "src" / "Core" / "util" / "Macros.h").read_text()
    lines = dict(
        line.split()[1:3] for line in text.splitlines() if line.startswith("#define EIGEN_") and "VERSION " in line
    )
    return ".".join(lines.get(f"EIGEN_{part}_VERSION", "?") for part in ("WORLD", "MAJOR", "MINOR"))
