"""A plan as a report: numbers, an animation, curves with limits and goals, costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from screwgraph import Plan

if TYPE_CHECKING:
    from screwgraph.ui.view import Scene

WIDTH = 4.8
"""Of a picture (inches): on a phone its letters are still large enough."""
KINDS = {"q": "Positions", "qd": "Velocities", "qdd": "Accelerations", "tau": "Torques"}
KEY = "Dashed lines are limits close to the motion; circles are the start and the goals."


def write_plan_report(plan: Plan, scene: Scene, path: str) -> None:
    """Write a report as HTML. Raises InputError where it cannot be written."""
    from screwgraph.motion.planning.item_labels import label_item
    from screwgraph.ui.cli.pictures import draw_sections
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
        Table("Summary", ("quantity", "value", "unit"), list(_summary(plan))),
        Animation("Motion", scene, "Drag to rotate, scroll or pinch to zoom."),
        *draw_sections("Joints", curves),
    ]
    if not plan.feasible:
        sections.insert(0, Text("Not feasible", f"This motion is not feasible. {plan.status}: {plan.reason}"))
    if plan.costs:
        share = max(plan.cost, 1e-300)
        rows = [(label_item(plan.task, n), float(c), f"{100 * c / share:.1f} %") for n, c in plan.costs.items()]
        sections += [*draw_sections("Costs", costs), Table("Costs by item", ("item", "cost", "share"), rows)]
    held = [(label_item(plan.task, name), off) for name, off in plan.violations.items()]
    sections.append(Table("Constraints", ("item", "largest violation (SI units)"), held))
    if len(plan.task.phases) > 1:
        phases = [(p.name or str(i), p.steps, float(T)) for i, (p, T) in enumerate(_phases(plan))]
        sections.append(Table("Phases", ("phase", "steps", "duration (s)"), phases))
    save_report(f"Plan {plan.task.name} of {plan.task.robot.name}", sections, path)


def _phases(plan: Plan) -> Iterator[tuple]:
    steps = plan.transcription.steps
    for phase, states in zip(steps.phases, steps.states, strict=True):
        yield phase, plan.t[states.stop - 1] - plan.t[states.start]


def _summary(plan: Plan) -> Iterator[tuple[str, object, str]]:
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
