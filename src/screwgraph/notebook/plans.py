"""A plan: whether it can be relied on, what it costs, its curves with limits and goals, and an animation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.notebook.elements import animation, remark, table
from screwgraph.notebook.trajectories import curves
from screwgraph.plan import Plan
from screwgraph.plan.kinds import label


def title(plan: Plan) -> str:
    """Name the task and its status."""
    return f"plan {plan.task.name}: {plan.status}"


def tables(plan: Plan) -> Iterator[str]:
    """Yield a summary, and costs by item."""
    values: list[tuple[object, ...]] = [
        ("cost", float(plan.cost), ""),
        ("largest violation", float(plan.violation), "SI units"),
        ("duration", float(plan.t[-1] - plan.t[0]), "s"),
        ("iterations", plan.iterations, ""),
        ("computation time", float(plan.seconds), "s"),
    ]
    yield table(("quantity", "value", "unit"), values)
    yield table(("item", "cost"), [(label(plan.task, name), float(cost)) for name, cost in plan.costs.items()])
    yield remark(plan.reason)


def pictures(plan: Plan) -> tuple[Callable[[], str], ...]:
    """Return the animation and the curves."""
    return (lambda: _moving(plan), lambda: curves(plan))


def _moving(plan: Plan) -> str:
    from screwgraph.view import plan_scene

    return animation(plan_scene(plan))
