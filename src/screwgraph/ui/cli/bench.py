"""`screwgraph bench`: how fast a robot's functions are on this machine, beside other libraries that are installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer

from screwgraph import Robot, zoo_names
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.ui.bench import (
    PYTHON_PEERS,
    QUESTIONS,
    Budget,
    Machine,
    PeerComparison,
    Roofline,
    SurveyResult,
    describe_machine,
    group_by_reason,
    measure_query,
    measure_roofline,
)
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import make_output_console, make_table, print_json, show_progress
from screwgraph.ui.cli.model_source import ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag

FLOATING = ("a1",)
"""Built-in robots that walk: where no base is asked for, theirs floats."""
QUESTION_NAMES = tuple(question.name for question in QUESTIONS)
DEFAULT_QUESTIONS = ("inverse", "forward", "mass_matrix")
OWN = ("operations", "compile", "cached", "call", "rows", "columns", "GFLOP/s")
FLAGS = {
    "robots": Flag("Robot files, or built-in robots; default: built-in ones.", "[ROBOT]...", is_argument=True),
    "problem": Flag(f"Of {', '.join(QUESTION_NAMES)}."),
    "base": Flag("Fixed or floating base; default: fixed, floating for a1.", choices=("fixed", "floating")),
    "batch": Flag("Samples in a batch.", "N", min=1, max=1_000_000),
    "seconds": Flag("CPU time for each value.", "S", min=0.001, max=60.0),
}

HELP = """\
Operations of the code; time to compile it, at first and from the cache; time of a call from Python, and of a sample in
batches with a sample's numbers side by side (rows), or each number's samples side by side (columns); GFLOP/s. Beside
them one call of Pinocchio (package pin) and MuJoCo (package mujoco), if they are installed, and the largest relative
difference between the results. Times are CPU times on one core; viscous damping is left out. Without
robots: the built-in ones that have no loops.

\b
Example:
  screwgraph bench rrr --batch 64 --seconds 0.01
  screwgraph bench rr --problem inverse,inverse_derivatives --batch 64 --seconds 0.01 --json
  screwgraph bench ur.urdf.xacro --xacro ur_type:=ur10e --packages ~/ros2_ws/src
  screwgraph bench panda.urdf --lock panda_finger_joint1,panda_finger_joint2
"""


def bench(
    robots: list[str] | None = None,
    problem: tuple[str, ...] = (),
    base: str | None = None,
    lock: tuple[str, ...] = (),
    snap: float = 0.0,
    xacro: list[str] | None = None,
    packages: list[str] | None = None,
    batch: int = 4096,
    seconds: float = 0.1,
    json: bool = False,
) -> None:
    """Print measurements of each robot and problem, as a table or as JSON."""
    for name in problem:
        if name not in QUESTION_NAMES:
            raise typer.BadParameter(str(make_unknown_name_error("problem", name, QUESTION_NAMES)))

    def load(name: str) -> Robot:
        own = base or ("floating" if name in FLOATING else "fixed")
        source = ModelSource(name, own, lock, no_damping=True, snap=snap, xacro=xacro, packages=packages)
        return source.load_robot()

    asked = [question for question in QUESTIONS if question.name in (problem or DEFAULT_QUESTIONS)]
    effort = Budget(seconds=seconds, batch=batch)
    loaded = [load(name) for name in robots or zoo_names()]
    if not robots:
        loaded = [robot for robot in loaded if not robot.is_closed]  # these have no peers here
    surveyed = []
    for robot in loaded:
        for question in asked:
            with show_progress(f"measuring the {question.name} problem of {robot.name}"):
                surveyed.append(measure_query(robot, question, PYTHON_PEERS, effort))
        print_warnings(robot)
    with show_progress("measuring the speed of a core"):
        here, roof = describe_machine(PYTHON_PEERS), measure_roofline()
    if json:
        print_json(to_json(here, roof, effort, surveyed))
    else:
        print_survey(here, roof, effort, surveyed)


COMMAND = Command(bench, HELP, FLAGS)


def print_survey(machine: Machine, roofline: Roofline, effort: Budget, surveyed: Sequence[SurveyResult]) -> None:
    """Print one line a robot and problem."""
    console = make_output_console()
    console.print(f"{machine.processor}, {machine.cores} cores; {', '.join(machine.versions)}", style="bold")
    console.print(
        f"one core: {roofline.vector:.0f} GFLOP/s in vectors of {roofline.width} doubles, "
        f"{roofline.scalar:.0f} in single ones; batches of {effort.batch}\n"
    )
    peers = list(dict.fromkeys(name for line in surveyed for name in line.peers))
    beside = [f"{name}{what}" for name in peers for what in ("", " / ours", " differs")]
    table = make_table("", "robot", "problem", *OWN, *beside)
    for line in surveyed:
        cells = [cell for name in peers for cell in _peer(line, name)]
        table.add_row(f"{line.robot} ({line.velocities})", line.question, *_own(line), *cells)
    console.print(table)
    missing = [
        (f"{name} not measured: {reason}", f"{line.robot} {line.question}")
        for line in surveyed
        for name, reason in line.peers.items()
        if isinstance(reason, str)
    ]
    for line in group_by_reason(missing):
        console.print(line)


def to_json(machine: Machine, roofline: Roofline, effort: Budget, surveyed: Sequence[SurveyResult]) -> dict[str, Any]:
    """Return measurements in values that JSON has: seconds of compilation, nanoseconds of all else."""
    return {
        "machine": asdict(machine),
        "roofline": asdict(roofline),
        "batch": effort.batch,
        "measurements": [
            {
                "robot": line.robot,
                "velocities": line.velocities,
                "problem": line.question,
                **asdict(line.own),
                "gigaflops": line.own.gigaflops,
                "peers": {
                    name: asdict(found) if isinstance(found, PeerComparison) else {"not_measured": found}
                    for name, found in line.peers.items()
                },
            }
            for line in surveyed
        ],
    }


def _own(line: SurveyResult) -> list[str]:
    f = line.own
    times = [f"{f.compile:.2f} s", f"{1e3 * f.cached:.0f} ms", *(_time(t) for t in (f.call, f.rows, f.columns))]
    return [str(f.operations), *times, f"{f.gigaflops:.1f}"]


def _peer(line: SurveyResult, name: str) -> list[str]:
    found = line.peers.get(name)
    if not isinstance(found, PeerComparison):
        return ["-", "", ""]
    return [_time(found.nanoseconds), f"{found.nanoseconds / line.own.call:.1f} x", f"{found.difference:.0e}"]


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds:.1f} ns" if nanoseconds < 100 else f"{nanoseconds:.0f} ns"
