"""A motion: what it is, its curves, and an animation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.notebook.elements import animation, picture, remark, table
from screwgraph.plan import Plan
from screwgraph.robot import Robot
from screwgraph.simulation import Trajectory

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
        if not isinstance(motion.model, Robot) or motion.model.is_closed:
            rows.append(("largest closure error", float(motion.violation.max()), "rad, m"))
    yield table(("quantity", "value", "unit"), rows)
    yield from map(remark, motion.doubts)


def pictures(motion: Trajectory) -> tuple[Callable[[], str], ...]:
    """Return the animation and the curves."""
    return (lambda: moving(motion), lambda: curves(motion))


def curves(motion: Trajectory | Plan) -> str:
    """Return positions, velocities and torques over time."""
    from screwgraph.draw import draw_motion

    return picture(draw_motion(motion, ("q", "qd", "tau"), width=WIDTH), "curves over time")


def moving(motion: Trajectory) -> str:
    """Return the motion in three dimensions."""
    from screwgraph.view import trajectory_scene

    return animation(trajectory_scene(motion))
