"""A plan: whether it can be relied on, what it costs, its curves with limits and goals, and an animation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.item_labels import label_item
from screwgraph.ui.notebook.html_elements import embed_scene, make_remark, make_table
from screwgraph.ui.notebook.trajectories import draw_curves


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
    yield make_table(("quantity", "value", "unit"), values)
    yield make_table(
        ("item", "cost"), [(label_item(plan.task, name), float(cost)) for name, cost in plan.costs.items()]
    )
    yield make_remark(plan.reason)


def pictures(plan: Plan) -> tuple[Callable[[], str], ...]:
    """Return the animation and the curves."""
    return (lambda: _moving(plan), lambda: draw_curves(plan))


def _moving(plan: Plan) -> str:
    from screwgraph.ui.view import plan_scene

    return embed_scene(plan_scene(plan))
