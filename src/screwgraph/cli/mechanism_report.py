"""Motions of mechanisms as reports: figures, curves with their units, an animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph import Mechanism

if TYPE_CHECKING:
    from screwgraph.draw import Panel
    from screwgraph.mechanism import Run

RATE = 30.0
Curves = Mapping[str, Float[np.ndarray, " N"]]
Groups = Mapping[str, "Sequence[Panel]"]
"""Panels of curves over time, by the name of what they show."""


def write_mechanism_report(
    mechanism: Mechanism,
    title: str,
    motion: tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N n"]],
    groups: Groups,
    summary: Sequence[tuple[str, object, str]],
    path: str,
) -> None:
    """Write a report as HTML: t and q of a motion, groups of panels, a table of figures.

    Raises:
        InputError: it cannot be written.
    """
    from screwgraph.draw import draw_histories, encode
    from screwgraph.view import Animation, Picture, Table, mechanism_scene, save_report

    t, q = motion
    pictures = [Picture(name, encode(draw_histories(t, panels), ".svg"), "") for name, panels in groups.items()]
    table = Table("Summary", ("quantity", "value", "unit"), list(summary))
    save_report(title, [table, Animation("Motion", mechanism_scene(mechanism, t, q, rate=RATE)), *pictures], path)


def motion_groups(
    mechanism: Mechanism,
    q: Float[np.ndarray, "N n"],
    qd: Float[np.ndarray, "N n"],
    more: Mapping[str, Mapping[str, Curves]],
) -> Groups:
    """Return panels of coordinates and their rates, and `more` groups; what is empty is left out."""
    from screwgraph.draw import Panel

    listed = {"Coordinates": {**coordinate_curves(mechanism, q, ""), **coordinate_curves(mechanism, qd, "/s")}, **more}
    panels = {name: [Panel(label, c) for label, c in group.items() if c] for name, group in listed.items()}
    return {name: group for name, group in panels.items() if group}


def run_groups(run: Run) -> Groups:
    """Return panels of a run's coordinates, torques, and of what it leaves open."""
    more = {"Torques": torque_curves(run.mechanism, run.tau), "Errors": error_curves(run)}
    return motion_groups(run.mechanism, run.q, run.qd, more)


def coordinate_curves(mechanism: Mechanism, values: Float[np.ndarray, "N n"], rate: str) -> dict[str, Curves]:
    """Return panels of coordinates, or of their rates: points (m) and angles (rad)."""
    slots = set(mechanism.angle_slots)
    kind = "velocity" if rate else "position"
    named = list(enumerate(mechanism.coordinates))
    points = {name: values[:, i] for i, name in named if i not in slots}
    angles = {name: values[:, i] for i, name in named if i in slots}
    return {f"{kind} [m{rate}]": points, f"angle{' rate' if rate else ''} [rad{rate}]": angles}


def torque_curves(mechanism: Mechanism, tau: Float[np.ndarray, "N motors"]) -> dict[str, Curves]:
    """Return a panel of the torques of motors."""
    return {"torque [N m]": {mechanism.angles[i].name: tau[:, k] for k, i in enumerate(mechanism.motors)}}


def error_curves(run: Run) -> dict[str, Curves]:
    """Return panels of what a run leaves open: gaps of constraints, energy less work."""
    balance = {"energy": run.energy, "energy balance residual": run.energy - run.work}
    return {"largest gap [m, rad]": {"violation": run.violation}, "energy [J]": balance}
