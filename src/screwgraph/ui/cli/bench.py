"""`screwgraph bench`: how fast a robot's functions are on this machine, beside other libraries that are installed."""

from __future__ import annotations

from typing import Annotated

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind

FLOATING = ("a1",)
"""Built-in robots that walk: where no base is asked for, theirs floats."""
QUESTION_NAMES = (
    *("inverse", "forward", "mass_matrix", "inverse_mass_matrix"),
    *("inverse_derivatives", "forward_derivatives"),
)
DEFAULT_QUESTIONS = QUESTION_NAMES[:3]
LARGEST_BATCH = 1_000_000

HELP = """Measure the speed of a robot's functions on this machine.

Operations of the code; time to compile it, at first and from the cache; time of a call from Python, and of a sample in
batches with a sample's numbers side by side (rows), or each number's samples side by side (columns); GFLOP/s. Beside
them one call of Pinocchio (package pin) and MuJoCo (package mujoco), if they are installed, and the largest relative
difference between the results. Times are CPU times on one core; viscous damping is left out. Without
robots: the built-in ones that have no loops.

\b
Example:
  screwgraph bench rrr --batch 64 --seconds 0.01
  screwgraph bench rr --problem inverse,inverse_derivatives --batch 64 --seconds 0.01 --json
  screwgraph bench panda.urdf --lock panda_finger_joint1,panda_finger_joint2
"""


def _known_questions(given: list[str] | None) -> list[str] | None:
    from screwgraph.model.robot import make_unknown_name_error

    for name in options.split_names(given):
        if name not in QUESTION_NAMES:
            raise typer.BadParameter(str(make_unknown_name_error("problem", name, QUESTION_NAMES)))
    return given


Robots = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ROBOT]...", help="Robot files, or built-in robots; default: built-in ones."),
]
Questions = Annotated[
    list[str] | None,
    typer.Option(
        "--problem",
        metavar="NAME",
        callback=_known_questions,
        help=f"Of {', '.join(QUESTION_NAMES)}; repeatable, or separated by commas.",
    ),
]
Base = Annotated[
    BaseKind | None, typer.Option("--base", help="Fixed or floating base; default: fixed, floating for a1.")
]
Batch = Annotated[int, typer.Option("--batch", metavar="N", min=1, max=LARGEST_BATCH, help="Samples in a batch.")]
Seconds = Annotated[float, typer.Option("--seconds", metavar="S", min=0.001, max=60.0, help="CPU time for each value.")]


def bench(
    robots: Robots = None,
    problem: Questions = None,
    base: Base = None,
    lock: options.Lock = None,
    snap: options.Snap = 0.0,
    batch: Batch = 4096,
    seconds: Seconds = 0.1,
    json: options.AsJson = False,
) -> None:
    """Print measurements of each robot and problem, as a table or as JSON."""
    from screwgraph import zoo_names
    from screwgraph.ui.bench import PYTHON_PEERS, QUESTIONS, Budget, describe_machine, measure_query, measure_roofline
    from screwgraph.ui.cli.bench_tables import print_survey, to_json
    from screwgraph.ui.cli.console import print_json, show_progress

    def choose_base(name: str) -> BaseKind:
        return base or (BaseKind.floating if name in FLOATING else BaseKind.fixed)

    named = options.split_names(problem) or DEFAULT_QUESTIONS
    asked = [question for question in QUESTIONS if question.name in named]
    effort = Budget(seconds=seconds, batch=batch)
    loaded = [options.load_robot(n, choose_base(n), lock, None, True, False, snap) for n in robots or zoo_names()]
    if not robots:
        loaded = [robot for robot in loaded if not robot.is_closed]  # these have no peers here
    surveyed = []
    for robot in loaded:
        for question in asked:
            with show_progress(f"measuring the {question.name} problem of {robot.name}"):
                surveyed.append(measure_query(robot, question, PYTHON_PEERS, effort))
        options.print_warnings(robot)
    with show_progress("measuring the speed of a core"):
        here, roof = describe_machine(PYTHON_PEERS), measure_roofline()
    if json:
        print_json(to_json(here, roof, effort, surveyed))
    else:
        print_survey(here, roof, effort, surveyed)
