"""A motion of a robot or a mechanism as a report: numbers, curves with their units, an animation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph import Mechanism, Robot, Trajectory
from screwgraph.robot import units

if TYPE_CHECKING:
    from screwgraph.draw import Panel

RATE = 30.0
KINDS = {"q": ("position", "position"), "qd": ("velocity", "velocity"), "tau": ("effort", "effort")}
"""Arrays of a robot's motion that are drawn: what they are called, and whose unit they have."""
Groups = Mapping[str, "Sequence[Panel]"]
"""Panels of curves over time, by the name of what they show."""
Curves = Mapping[str, Float[np.ndarray, " N"]]
UNITS = {"method": "", "steps": "", "time": "s", "wall_time": "s", "energy": "J", "energy_drift": "J"}
UNITS |= {"samples": "", "status": "", "stages": "", "torque": "N m", "violation": "rad, m"}
"""Values of a summary, and their units."""


def motion_panels(motion: Trajectory) -> dict[str, Sequence[Panel]]:
    """Return panels of positions, velocities and torques, of the balance of energy and of loop-closure errors."""
    from screwgraph.draw import Panel

    model = motion.model
    checks = [Panel("energy (J)", {"energy": motion.energy, "energy balance residual": motion.energy - motion.work})]
    if isinstance(model, Robot):
        if model.is_closed:
            checks.append(Panel("loop-closure error (rad, m)", {"largest": motion.violation}))
        return {"Joints": [Panel(*panel) for panel in _joint_panels(model, motion)], "Energy": checks}
    moving = {**coordinate_curves(model, motion.q, ""), **coordinate_curves(model, motion.qd, "/s")}
    torques = {model.angles[i].name: motion.tau[:, k] for k, i in enumerate(model.motors)}
    gaps = Panel("largest loop-closure error [m, rad]", {"violation": motion.violation})
    groups = {"Coordinates": panels(moving), "Torques": panels({"torque [N m]": torques}), "Errors": [gaps, *checks]}
    return {name: group for name, group in groups.items() if group}


def panels(curves: Mapping[str, Curves]) -> list[Panel]:
    """Return panels by label; what is empty is left out."""
    from screwgraph.draw import Panel

    return [Panel(label, group) for label, group in curves.items() if group]


def coordinate_curves(mechanism: Mechanism, values: Float[np.ndarray, "N n"], rate: str) -> dict[str, Curves]:
    """Return panels of coordinates, or of their rates: points (m) and angles (rad)."""
    slots = set(mechanism.angle_slots)
    kind = "velocity" if rate else "position"
    named = list(enumerate(mechanism.coordinates))
    points = {name: values[:, i] for i, name in named if i not in slots}
    angles = {name: values[:, i] for i, name in named if i in slots}
    return {f"{kind} [m{rate}]": points, f"angle{' rate' if rate else ''} [rad{rate}]": angles}


def write_report(
    motion: Trajectory,
    groups: Groups,
    figures: Mapping[str, Any],
    path: str,
    title: str,
    more: Sequence[tuple[str, object, str]] = (),
) -> None:
    """Write a report as HTML: a table of figures, with more rows, the motion, groups of panels.

    Raises:
        InputError: it cannot be written.
    """
    from screwgraph.cli.streams import working
    from screwgraph.draw import draw_histories, encode
    from screwgraph.view import Animation, Picture, Table, mechanism_scene, robot_scene, save_report

    with working("drawing"):
        drawn = [Picture(name, encode(draw_histories(motion.t, group), ".svg"), "") for name, group in groups.items()]
        scene_of: Any = mechanism_scene if isinstance(motion.model, Mechanism) else robot_scene
        scene = scene_of(motion.model, motion.t, motion.q, rate=RATE)
        summary = [(name.replace("_", " "), figures[name], unit) for name, unit in UNITS.items() if name in figures]
        table = Table("Summary", ("quantity", "value", "unit"), [*summary, *more])
        save_report(f"{title} of {motion.model.name}", [table, Animation("Motion", scene), *drawn], path)


def _joint_panels(robot: Robot, motion: Trajectory) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """One panel for each array and unit, and one for parts of quaternions, which have none."""
    for array, (kind, attribute) in KINDS.items():
        panels: dict[str, dict[str, np.ndarray]] = {}
        start = 0
        for joint in robot.joints:
            for i, unit in enumerate(getattr(units(joint.type), attribute)):
                name = joint.name if joint.type.nv == 1 else f"{joint.name}[{i}]"
                label = f"{kind} ({unit})" if unit else f"{kind} (quaternion)"
                panels.setdefault(label, {})[name] = getattr(motion, array)[:, start]
                start += 1
        yield from panels.items()
