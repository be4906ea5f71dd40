"""`screwgraph plan`: a motion for a task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from screwgraph import Plan, Planner, task_names
from screwgraph.base.progress_report import report_progress
from screwgraph.motion.planning import Task, print_task, read_task, save_plan
from screwgraph.motion.planning.item_labels import label_item
from screwgraph.motion.planning.timing.timed_path import time_path
from screwgraph.motion.simulation import save_motion
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import make_usage_error, print_json, print_note, show_progress
from screwgraph.ui.cli.model_source import print_warnings
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import WIDTH, can_draw, draw_sections, make_folder

if TYPE_CHECKING:
    from screwgraph.ui.view import Scene


def complete_task(text: str) -> list[str]:
    """Return names of built-in tasks that begin with a text."""
    return [name for name in task_names() if name.startswith(text)]


FLAGS = {
    "task": Flag(
        "A task file (.yaml), or a built-in task such as cp2 or panda.",
        "TASK",
        is_argument=True,
        complete=complete_task,
    ),
    "output": Flag("Output folder; created if missing.", "DIR", "-o"),
    "only_print": Flag("Print the file of a built-in task, to begin your own with, and plan nothing.", name="--print"),
    "iterations": Flag("Largest number of iterations.", "N", min=0),
    "seconds": Flag("Time limit (s).", "S", min=0.0),
    "refine": Flag("Refine mesh and rule until each step is accurate; by default, where not all is driven."),
    "method": Flag('Solver: "auto", "ipopt", "fatrop", ...'),
}
KINDS = {"q": "Positions", "qd": "Velocities", "qdd": "Accelerations", "tau": "Torques"}
KEY = "Dashed lines are limits close to the motion; circles are the start and the goals."

HELP = """\b
DIR/plan.npz    t, q, qd, qdd, tau, all unknowns, status, cost, violation;
DIR/plan.csv    t, q, qd, qdd, tau as a table;
DIR/motion.svg  these over time, with limits (dashed) and goals (circles);
DIR/costs.svg   the cost of each item of the task;
DIR/animation.html  the motion with goals, obstacles, forces of contacts, offline;
DIR/report.html     all of this on one page, offline.

\b
Example:
  screwgraph plan cp2 -o out
  screwgraph plan --print a1_trot > my_trot.yaml
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
    task: str, asked: Mapping[str, Any], output: str | None = None, json: bool = False, only_print: bool = False
) -> None:
    """Plan, save, and say how well it went."""
    if only_print:
        typer.echo(print_task(task), nl=False)
        return
    if output is None:
        raise make_usage_error("there is no output folder", fix="-o DIR")
    wanted = read_task(task)
    folder = make_folder(output)
    print_warnings(wanted.robot)
    if wanted.path is not None:
        _time_path(wanted, folder, json)
        return
    with show_progress("planning"):
        found = Planner(wanted).solve(**asked)
    with show_progress("drawing"):
        summary = _summary(found) | {"files": _write_files(found, folder)}
    if json:
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


COMMAND = Command(plan, HELP, FLAGS, query=Planner.solve, takes="iterations seconds refine method")


def _time_path(task: Task, folder: Path, json: bool) -> None:
    """Find the fastest timing of a task's path, save it, and say how long it takes."""
    from screwgraph.ui.view import save_html, trajectory_scene

    with show_progress("timing the path"):
        found = time_path(task)
    summary = {
        "task": task.name,
        "robot": task.robot.name,
        "status": found.status,
        "reason": found.reason,
        "feasible": found.feasible,
        "duration": found.cost if found.feasible else None,
        "seconds": found.seconds,
        "files": [],
    }
    if found.feasible:
        files = [folder / name for name in ("plan.npz", "plan.csv", "animation.html")]
        for path in files[:2]:
            save_motion(path, found.trajectory, {}, (), status=found.status, cost=found.cost)
        save_html(trajectory_scene(found.trajectory, f"{task.name}: {task.robot.name}"), files[2])
        summary["files"] = [str(path) for path in files]
    if json:
        print_json(summary)
    elif found.feasible:
        typer.echo(f"{task.name}: {found.status}, {found.cost:.6g} s along the path; {', '.join(summary['files'])}")
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


def write_plan_report(plan: Plan, scene: Scene, path: str) -> None:
    """Write a report as HTML. Raises InputError where it cannot be written."""
    from screwgraph.ui.draw import draw_costs, draw_motion, encode
    from screwgraph.ui.view import Animation, Picture, Pictures, Table, Text, save_report

    def picture(kind: str) -> Picture:
        return Picture(KINDS[kind], encode(draw_motion(plan, (kind,), width=WIDTH), ".svg"), KINDS[kind])

    def curves() -> Iterator[Pictures]:
        drawn = [picture(kind) for kind in KINDS if kind != "tau" or plan.tau.any()]
        yield Pictures("Joints", drawn, KEY)

    def costs() -> Iterator[Pictures]:
        yield Pictures("Costs", [Picture("Costs", encode(draw_costs(plan, width=WIDTH), ".svg"))])

    sections = [
        Table("Summary", ("quantity", "value", "unit"), list(_rows(plan))),
        Animation("Motion", scene, "Drag to rotate, scroll or pinch to zoom."),
        *draw_sections("Joints", curves),
    ]
    if not plan.feasible:
        sections.insert(0, Text("Not feasible", f"This motion is not feasible. {plan.status}: {plan.reason}"))
    if any(plan.costs.values()):
        shares = divide_shares(list(plan.costs.values()))
        rows = [
            (label_item(plan.task, name), float(cost), share)
            for (name, cost), share in zip(plan.costs.items(), shares, strict=True)
        ]
        sections += [*draw_sections("Costs", costs), Table("Costs by item", ("item", "cost", "share"), rows)]
    held = [(label_item(plan.task, name), off) for name, off in plan.violations.items()]
    sections.append(Table("Constraints", ("item", "largest violation (SI units)"), held))
    if len(plan.task.phases) > 1:
        phases = [(p.name or str(i), p.steps, float(T)) for i, (p, T) in enumerate(_phases(plan))]
        sections.append(Table("Phases", ("phase", "steps", "duration (s)"), phases))
    save_report(f"Plan {plan.task.name} of {plan.task.robot.name}", sections, path)


def divide_shares(costs: Sequence[float]) -> list[str]:
    """Return the shares of costs in per cent; with their one digit after the point they add up to 100.

    What rounding down leaves goes to the shares that lose most by it (Hamilton's method).
    """
    total = sum(costs)
    if not total > 0.0 or min(costs) < 0.0:
        return ["" for _ in costs]
    exact = [1000.0 * cost / total for cost in costs]
    whole = [math.floor(share) for share in exact]
    order = sorted(range(len(costs)), key=lambda i: whole[i] - exact[i])
    for i in order[: 1000 - sum(whole)]:
        whole[i] += 1
    return [f"{share / 10:.1f} %" for share in whole]


def _phases(plan: Plan) -> Iterator[tuple]:
    steps = plan.transcription.steps
    for phase, states in zip(steps.phases, steps.states, strict=True):
        yield phase, plan.t[states.stop - 1] - plan.t[states.start]


def _rows(plan: Plan) -> Iterator[tuple[str, object, str]]:
    task = plan.task
    yield "status", plan.status, ""
    yield "reason for the end", plan.reason, ""
    yield "cost", float(plan.cost), ""
    yield "largest violation", float(plan.violation), "SI units"
    if plan.feasible and plan.step_errors is not None and plan.open_loop_errors is not None:
        yield "largest error of a step in positions", plan.step_errors.position.max(), "of the whole way"
        yield "largest error of a step in velocities", plan.step_errors.velocity.max(), "of the largest"
        yield "largest error of a step", plan.step_errors.worst, ""
        yield "largest error of many steps, without feedback", plan.open_loop_errors.worst, ""
        if plan.momentum_errors is not None:
            yield "largest drift by momentum that no force changes", plan.momentum_errors.worst, ""
        yield "accuracy asked for", task.accuracy, "of the whole way"
    yield "iterations", plan.iterations, ""
    yield "computation time", float(plan.seconds), "s"
    yield "steps", sum(phase.steps for phase in task.phases), ""
    yield "duration of the motion", float(plan.t[-1] - plan.t[0]), "s"
    yield "collocation", task.collocation, ""
