"""Joints of robots whose ranges end or which have dry friction: rows beside those of contacts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter
from screwgraph.motion.simulation.contacts.terms.touching_model import StopRow


def find_rubbing(robot: Robot, friction: bool, live: Sequence[Parameter]) -> list[str]:
    """Return the joints with dry friction: that of their file, where it is asked for, or one that is an input."""
    inputs = {parameter.part for parameter in live if parameter.kind == "friction"}
    return [joint.name for joint in robot.joints if joint.name in inputs or (friction and joint.friction)]


def list_stops(robot: Robot, rubbing: Collection[str]) -> list[StopRow]:
    """Return the joints of one coordinate whose range ends, of which some rub."""
    found = list[StopRow]()
    for joint in robot.joints:
        at, along = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
        lower, upper = float(robot.limits.lower[at]), float(robot.limits.upper[at])
        if joint.type.nq == 1 and np.isfinite([lower, upper]).any():
            found.append(StopRow(at, along, lower, upper, joint.name in rubbing))
    return found
