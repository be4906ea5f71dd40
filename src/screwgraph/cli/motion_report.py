"""A motion as a report: figures, curves with their units, an animation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph import Trajectory
from screwgraph.robot import units

if TYPE_CHECKING:
    from screwgraph.draw import Panel

RATE = 30.0
KINDS = {"q": ("position", "position"), "qd": ("velocity", "velocity"), "tau": ("effort", "effort")}
"""Arrays of a motion that are drawn: what they are called, and whose unit they have."""


def motion_panels(motion: Trajectory) -> dict[str, list[Panel]]:
    """Return panels of positions, velocities and torques of the joints, and of the balance of energy."""
    from screwgraph.draw import Panel

    balance = {"energy": motion.energy, "energy balance residual": motion.energy - motion.work}
    checks = [Panel("energy [J]", balance)]
    if motion.robot.is_closed:
        checks.append(Panel("violation [rad, m]", {"largest gap": motion.violation}))
    return {"Joints": [Panel(*panel) for panel in _joint_panels(motion)], "Energy": checks}


def write_report(
    motion: Trajectory,
    groups: Mapping[str, Sequence[Panel]],
    figures: Mapping[str, Any],
    path: str,
    title: str = "",
) -> None:
    """Write a report with `motion_panels` as HTML. Raises InputError where it cannot be written."""
    from screwgraph.draw import draw_histories, encode
    from screwgraph.view import Animation, Picture, Table, robot_scene, save_report

    drawn = {name: encode(draw_histories(motion.t, panels), ".svg") for name, panels in groups.items()}
    scene = robot_scene(motion.robot, motion.t, motion.q, rate=RATE)
    sections = [
        Table("Summary", ("quantity", "value", "unit"), list(_summary(figures))),
        Animation("Motion", scene),
        Picture("Joints", drawn["Joints"], "Positions, velocities and torques of the joints"),
        Picture("Energy", drawn["Energy"], "Energy balance residual"),
    ]
    save_report(title or f"Simulation of {motion.robot.name}", sections, path)


def _summary(figures: Mapping[str, Any]) -> Iterator[tuple[str, object, str]]:
    shown = {
        "method": "",
        "steps": "",
        "time": "s",
        "wall_time": "s",
        "energy": "J",
        "energy_drift": "J",
        "violation": "rad, m",
    }
    for name, unit in shown.items():
        yield name.replace("_", " "), figures[name], unit


def _joint_panels(motion: Trajectory) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """One panel for each array and unit, and one for parts of quaternions, which have none."""
    for array, (kind, attribute) in KINDS.items():
        panels: dict[str, dict[str, np.ndarray]] = {}
        start = 0
        for joint in motion.robot.joints:
            for i, unit in enumerate(getattr(units(joint.type), attribute)):
                name = joint.name if joint.type.nv == 1 else f"{joint.name}[{i}]"
                label = f"{kind} [{unit}]" if unit else f"{kind} (quaternion)"
                panels.setdefault(label, {})[name] = getattr(motion, array)[:, start]
                start += 1
        yield from panels.items()
