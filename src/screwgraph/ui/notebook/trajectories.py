"""A motion: what it is, its curves, and an animation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.motion.planning import Plan
from screwgraph.motion.simulation import Trajectory
from screwgraph.ui.notebook.html_elements import embed_figure, embed_scene, make_remark, make_table

WIDTH = 7.5
"""Of curves (inches)."""


def title(motion: Trajectory) -> str:
    """Name the model and the method."""
    return f"motion of {motion.model.name} by {motion.method}"


def tables(motion: Trajectory) -> Iterator[str]:
    """Yield a summary."""
    rows: list[tuple[object, ...]] = [
        ("states", len(motion.t), ""),
        ("time", f"{motion.t[0]:g} .. {motion.t[-1]:g}", "s"),
    ]
    if motion.balance is not None:
        rows.append(("energy balance residual", motion.energy_drift, "J"))
        if motion.model.is_closed:
            rows.append(("largest closure error", float(motion.violation.max()), "rad, m"))
    yield make_table(("quantity", "value", "unit"), rows)
    yield from map(make_remark, motion.doubts)


def pictures(motion: Trajectory) -> tuple[Callable[[], str], ...]:
    """Return the animation and the curves."""
    return (lambda: animate_motion(motion), lambda: draw_curves(motion))


def draw_curves(motion: Trajectory | Plan) -> str:
    """Return positions, velocities and torques over time."""
    from screwgraph.ui.draw import draw_motion

    return embed_figure(draw_motion(motion, ("q", "qd", "tau"), width=WIDTH), "curves over time")


def animate_motion(motion: Trajectory) -> str:
    """Return the motion in three dimensions."""
    from screwgraph.ui.view import trajectory_scene

    return embed_scene(trajectory_scene(motion))
