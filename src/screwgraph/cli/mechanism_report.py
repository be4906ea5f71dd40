"""Motions of mechanisms as reports: figures, curves with their units, an animation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph import Mechanism

RATE = 30.0
Curves = Mapping[str, Float[np.ndarray, " N"]]


def write_mechanism_report(
    mechanism: Mechanism,
    title: str,
    motion: tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N n"], Float[np.ndarray, "N n"]],
    groups: Sequence[tuple[str, Mapping[str, Curves]]],
    summary: Sequence[tuple[str, object, str]],
    path: str,
) -> None:
    """Write a report as HTML: t, q and qd of a motion, further groups of panels of curves, a table of figures.

    Raises:
        InputError: it cannot be written.
    """
    from screwgraph.draw import Panel, draw_histories, encode
    from screwgraph.view import Animation, Picture, Table, mechanism_scene, save_report

    t, q, qd = motion
    listed = [("Coordinates", {**coordinate_curves(mechanism, q, ""), **coordinate_curves(mechanism, qd, "/s")})]
    listed += [group for group in groups if any(group[1].values())]
    pictures = []
    for name, panels in listed:
        drawn = [Panel(label, curves) for label, curves in panels.items() if curves]
        pictures.append(Picture(name, encode(draw_histories(t, drawn), ".svg"), ""))
    table = Table("Summary", ("figure", "value", "unit"), list(summary))
    save_report(title, [table, Animation("Motion", mechanism_scene(mechanism, t, q, rate=RATE)), *pictures], path)


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


def error_curves(run: Any) -> dict[str, Curves]:
    """Return panels of what a run leaves open: gaps of constraints, energy less work."""
    balance = {"energy": run.energy, "energy less work": run.energy - run.work}
    return {"largest gap [m, rad]": {"violation": run.violation}, "energy [J]": balance}
