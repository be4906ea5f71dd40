"""Robots and mechanisms posed by hand: one slider for each independent coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism import Mechanism, finite_displacement
from screwgraph.model.robot import Joint, Robot, independent_coordinates, position_slices, units
from screwgraph.ui.view.skeleton import robot_size

STEP = 0.05
"""The largest change of a slider (rad, m) that closed chains follow at once."""


@dataclass(frozen=True)
class Slider:
    """A velocity coordinate of the robot, counted from the neutral position: where it begins and how far it may go.

    In `unit`, rad or m; for joints of one coordinate that is the joint's position.
    """

    label: str
    coordinate: int
    low: float
    high: float
    initial: float
    unit: str = "rad"


def make_sliders(robot: Robot, q: Float[np.ndarray, " nq"]) -> tuple[Slider, ...]:
    """Return sliders for the independent coordinates that begin near q, limits those of the joints where there are any.

    Raises:
        InputError: loops cannot be closed.
    """
    chosen, at = set(independent_coordinates(robot)) & _list_followed(robot), slider_coordinates(robot, q)
    found = []
    for joint in robot.joints:
        place = robot.v_slices[joint.name]
        for i in sorted(chosen & set(range(place.start, place.stop))):
            label = joint.name if joint.type.nv == 1 else f"{joint.name}[{i - place.start}]"
            low, high = _range(robot, joint, i - place.start)
            if robot.is_closed:  # a closed position counts, whatever the limits say
                low, high = min(low, float(at[i])), max(high, float(at[i]))
            unit = "m" if _slides(joint, i - place.start) else "rad"
            found.append(Slider(label, i, low, high, min(max(float(at[i]), low), high), unit))
    return tuple(found)


def rest_position(robot: Robot) -> Float[np.ndarray, " nq"]:
    """Return the closed position next to the neutral one. Raises InputError where loops do not close."""
    return robot.close_loops(robot.neutral()) if robot.is_closed else robot.neutral()


def slider_coordinates(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nv"]:
    """Return positions as counted by sliders (nv,); zero for joints with quaternions."""
    at, difference = np.zeros(robot.nv), q - robot.neutral()
    for joint in robot.joints:
        if joint.type.nq == joint.type.nv:
            at[robot.v_slices[joint.name]] = difference[robot.q_slices[joint.name]]
    return at


def pose_robot(
    robot: Robot,
    q: Float[np.ndarray, " nq"],
    before: Float[np.ndarray, " nv"],
    after: Float[np.ndarray, " nv"],
) -> Float[np.ndarray, " nq"]:
    """Return where a robot goes from q when its sliders go from `before` to `after` (nv,).

    A tree only looks at `after`; the dependent joints of closed chains follow step by step, on the same branch.

    Raises:
        InputError: loops do not close there.
    """
    if not robot.is_closed:
        return robot.manifold.retract(robot.neutral(), after)
    change = after - before
    count = max(1, math.ceil(float(np.abs(change).max()) / STEP))
    for _ in range(count):
        guess = robot.manifold.retract(q, change / count)
        y = np.concatenate([np.zeros(0), *(guess[list(place)] for place in position_slices(robot))])
        q = robot.complete(y, q)
    return q


def _list_followed(robot: Robot) -> set[int]:
    """Return the coordinates that `Robot.complete` takes: of a joint with a quaternion all of them, or none."""
    if not robot.is_closed:
        return set(range(robot.nv))
    told = {i for place in position_slices(robot) for i in place}
    followed: set[int] = set()
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if told & set(range(q.start, q.stop)):
            followed |= set(range(v.start, v.stop))
    return followed


def _range(robot: Robot, joint: Joint, number: int) -> tuple[float, float]:
    widest, limits = robot_size(robot) if _slides(joint, number) else math.pi, joint.limits
    low = -widest if limits.lower is None else max(limits.lower, -2.0 * widest)
    high = widest if limits.upper is None else min(limits.upper, 2.0 * widest)
    return (low, high) if low < high else (-widest, widest)


def _slides(joint: Joint, number: int) -> bool:
    """Whether a velocity coordinate of a joint is along a line."""
    return units(joint.type).velocity[number] == "m/s"


def mechanism_sliders(mechanism: Mechanism) -> tuple[Slider, ...]:
    """Return sliders of a mechanism's independent coordinates about home, as far as a turn or its size (m)."""
    home, size = mechanism.home, mechanism_size(mechanism)
    found = []
    for i in mechanism.freedom.independent:
        turns = i in mechanism.angle_slots
        reach, at = math.pi if turns else size, float(home[i])
        found.append(Slider(mechanism.coordinates[i], i, at - reach, at + reach, at, "rad" if turns else "m"))
    return tuple(found)


def mechanism_size(mechanism: Mechanism) -> float:
    """Return the diagonal of the box of a mechanism's points at home (m)."""
    places = np.array([mechanism.position(mechanism.home, i) for i in range(len(mechanism.points))])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0


def pose_mechanism(
    mechanism: Mechanism,
    q: Float[np.ndarray, " n"],
    before: Float[np.ndarray, " n"],
    after: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Return where a mechanism goes from q when sliders go from `before` to `after` (n,), step by step on one branch.

    Raises:
        ModelError: it does not close there.
    """
    chosen = mechanism.freedom.independent
    change = float(np.abs(after - before).max())
    if not change:
        return q
    given = {mechanism.coordinates[i]: float(after[i]) for i in chosen}
    return finite_displacement(mechanism, q, given, max(1, math.ceil(change / STEP)))[-1]
