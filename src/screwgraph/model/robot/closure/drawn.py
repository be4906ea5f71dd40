"""Closed chains whose loops are open where the file draws them: how far joints move until they close."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from screwgraph.base.errors import one_line
from screwgraph.model.robot.closure.closed_positions import TOLERANCE
from screwgraph.model.robot.closure.closing_newton import characteristic_length, close_by_newton
from screwgraph.model.robot.closure.constraints import constraint_residual
from screwgraph.model.robot.coordinate_units import units
from screwgraph.model.robot.robot import Robot

FAR = math.radians(5.0)
"""Way of a joint (rad, or m relative to the robot's size) that is no rounding of a drawing."""
SHOWN = 6


def moved_in_words(moved: Sequence[tuple[float, str]]) -> str:
    """Return what moved, the farthest first, and how many more: (how far, in words)."""
    words = [text for _, text in sorted(moved, key=lambda item: -item[0])]
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return f"{', '.join(words[:SHOWN])}{more}"


def remark_on_drawing(robot: Robot, file: str) -> tuple[str, ...]:
    """Say which joints stand elsewhere than drawn as soon as loops close; nothing where they are closed as drawn."""
    if not robot.is_closed:
        return ()
    q, size = robot.neutral(), characteristic_length(robot)
    if np.abs(constraint_residual(robot, q)).max(initial=0.0) <= TOLERANCE * size:
        return ()
    end = close_by_newton(robot, q, np.ones(robot.nv, dtype=bool), TOLERANCE * size)
    if not end.error <= TOLERANCE * size:
        return ()  # what needs a closed position says so
    moved = []
    for joint in robot.joints:
        if joint.type.nq == 1:
            place = robot.q_slices[joint.name].start
            way, is_angle = float(end.q[place] - q[place]), units(joint.type).position[0] == "rad"
            far = abs(way) if is_angle else abs(way) / size
            if far > FAR:
                amount = f"{math.degrees(way):.3g} deg" if is_angle else f"{way:.3g} m"
                moved.append((far, f"{joint.name!r} by {amount}"))
    if not moved:
        return ()
    what = f"loops are open as drawn; they close where joints have moved: {moved_in_words(moved)}"
    return (one_line(what, at=file, why="simulations begin there", fix="draw them closed, or give q0"),)
