"""`screwgraph plan`: a motion for a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph.ui.cli import options

if TYPE_CHECKING:
    from screwgraph import Plan

TaskName = Annotated[
    str, typer.Argument(metavar="TASK", help="A task file (.yaml), or a built-in task such as cp2 or panda.")
]
Folder = Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Output folder; created if missing.")]
Iterations = Annotated[int, typer.Option("--iterations", min=0, metavar="N", help="Largest number of iterations.")]
Seconds = Annotated[float, typer.Option("--seconds", min=0.0, metavar="S", help="Time limit (s).")]
Refine = Annotated[bool, typer.Option("--refine", help="Refine mesh and rule until each step is accurate.")]
Method = Annotated[str, typer.Option("--method", help='Solver: "auto", "ipopt", "fatrop", ...')]

HELP = """Plan a motion and write it.

\b
DIR/plan.npz    t, q, qd, qdd, tau, all unknowns, status, cost, violation;
DIR/plan.csv    t, q, qd, qdd, tau as a table;
DIR/motion.svg  these over time, with limits (dashed) and goals (circles);
DIR/costs.svg   the cost of each item of the task;
DIR/animation.html  the motion with goals, obstacles, forces of contacts, offline;
DIR/report.html     all of this on one page, offline.

\b
Example:
  screwgraph plan cp2 -o out
  screwgraph plan task.yaml -o out --seconds 10
  screwgraph plan task.yaml -o out --refine
with a task.yaml like
  robot: cart_pole
  horizon: {steps: 100, dt: 0.02}
  actuated: [x]
  start: {position: [0, 0]}
  goals:
    - {time: end, position: {x: 1, theta: pi}, velocity: 0}
  costs: {effort: 1}
  limits: {effort: 12}

Each step is integrated again under the planned torques. Where the error at its end exceeds `accuracy` (relative to
the length of the motion, 1e-3), the plan is "solved, coarse: interval ..."; --refine divides steps until all are
accurate.
A plan that is not feasible is written as plan.not_feasible.npz and .csv, and the exit status is 1. Ctrl-C ends the
search early; the last iterate is written. `screwgraph view DIR/plan.npz` plays the motion, too.
"""


def plan(
    task: TaskName,
    output: Folder,
    iterations: Iterations = 200,
    seconds: Seconds = float("inf"),
    refine: Refine = False,
    method: Method = "auto",
    as_json: options.AsJson = False,
) -> None:
    """Plan, save, and say how well it went."""
    from screwgraph import Planner, Robot
    from screwgraph.motion.planning import read_task
    from screwgraph.ui.cli.console import print_json, print_note, show_progress
    from screwgraph.ui.cli.outputs import make_folder

    asked = read_task(task)
    folder = make_folder(output)
    if isinstance(asked.robot, Robot):  # files of mechanisms have no warnings
        options.print_warnings(asked.robot)
    with show_progress("planning"):
        found = Planner(asked).solve(iterations=iterations, seconds=seconds, refine=refine or None, method=method)
    with show_progress("drawing"):
        summary = _summary(found) | {"files": _write_files(found, folder)}
    if as_json:
        print_json(summary)
    else:
        typer.echo(f"{found.task.name}: {found.status}, cost {found.cost:.6g}, violation {found.violation:.2g}")
        if summary["error"] is not None:
            typer.echo(f"largest error of a step {found.error:.2g} of the whole way, asked {found.task.accuracy:g}")
            typer.echo(f"  {summary['largest_step_error']}; of many steps: {summary['largest_open_loop_error']}")
        typer.echo(f"{found.iterations} iterations, {found.seconds:.3g} s; {', '.join(summary['files'])}")
    if found.coarse or found.drifts:
        print_note(f"{found.status}: the motion under these efforts leaves the plan there (--refine, or more steps)")
    if not found.feasible:
        print_note(f"{found.status}: {found.reason}")
        raise typer.Exit(1)


def _summary(found: Plan) -> dict[str, Any]:
    steps, windows = (found.step_errors, found.open_loop_errors) if found.feasible else (None, None)
    return {
        "task": found.task.name,
        "robot": found.task.robot.name,
        "status": found.status,
        "reason": found.reason,
        "feasible": found.feasible,
        "cost": found.cost,
        "costs": found.costs,
        "violation": found.violation,
        "error": found.error if found.feasible else None,
        "accuracy": found.task.accuracy,
        "coarse": list(found.coarse) if found.feasible else [],
        "largest_step_error": steps and steps.worst,
        "largest_open_loop_error": windows and windows.worst,
        "drifts": list(found.drifts),
        "iterations": found.iterations,
        "seconds": found.seconds,
    }


def _write_files(found: Plan, folder: Path) -> list[str]:
    from screwgraph.base.progress_report import report_progress
    from screwgraph.motion.planning import save_plan
    from screwgraph.ui.cli.outputs import can_draw
    from screwgraph.ui.cli.plan_report import write_plan_report
    from screwgraph.ui.draw import draw_costs, draw_motion, save
    from screwgraph.ui.view import plan_scene, save_html

    files = [str(save_plan(found, folder / name)) for name in ("plan.npz", "plan.csv")]
    pictures = {"motion.svg": draw_motion} | ({"costs.svg": draw_costs} if found.costs else {})
    for name, figure in pictures.items() if can_draw("curves") else ():
        report_progress(name)
        save(figure(found), folder / name)
        files.append(str(folder / name))
    scene, pages = plan_scene(found), [str(folder / name) for name in ("animation.html", "report.html")]
    report_progress("animation.html")
    save_html(scene, pages[0])
    report_progress("report.html")
    write_plan_report(found, scene, pages[1])
    return [*files, *pages]
