"""The parallel robot of `reference_values.json`: parallelograms carry an end effector, two cranks drive it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Coupling, Joint, Link, Loop, Robot, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.reference import reference

Z = Revolute((0.0, 0.0, 1.0))
RATE = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
CURVATURE = (-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
"""Central differences of eighth order."""
STEP = 0.02
TIED = ("L2 = L1", "P = -L2", "L4 = L1 + L3", "E = -L1 - L3", "R2 = R1", "S = -R1", "R4 = R1 + R3")
"""Parallelograms: opposite rods turn alike, plates and end effector keep their attitude. Angles are relative."""

CHAINS = ((1, 3, 5), (12, 10, 7))
"""Points of crank, elbow and hand, left and right."""


class Body(NamedTuple):
    """A body that a joint hangs on a parent; inertia and centre are counted from `first`, x towards `second`."""

    parent: str
    joint: int
    first: int
    second: int
    mass: float
    about_first: float | None = None
    centre: tuple[float, float] | None = None


BODIES = {
    "L1": Body("ground", 1, 1, 3, 1.0),
    "L2": Body("ground", 0, 0, 2, 1.0),
    "L3": Body("L1", 3, 3, 5, 3.0),
    "P": Body("L2", 2, 2, 3, 1.0, 0.6666666667),
    "L4": Body("P", 4, 4, 6, 3.0),
    "E": Body("L3", 5, 5, 7, 6.0, 11.375, (0.75, -0.25)),
    "R1": Body("ground", 12, 12, 10, 1.0),
    "R2": Body("ground", 13, 13, 11, 1.0),
    "R3": Body("R1", 10, 10, 7, 3.0),
    "S": Body("R1", 10, 9, 10, 1.0, 0.6666666667),
    "R4": Body("S", 9, 9, 8, 3.0),
}


@pytest.fixture(scope="module")
def value() -> dict[str, Any]:
    return reference("parallel_robot_inverse_dynamics")


def at(place: np.ndarray, angle: float = 0.0) -> np.ndarray:
    return from_xyz_rpy(np.array([*place, 0.0]), np.array([0.0, 0.0, angle]))


def inertia(body: Body, points: np.ndarray) -> SpatialInertia:
    """Return the inertia at the body's joint, in the axes of the ground."""
    along = points[body.second] - points[body.first]
    length = float(np.linalg.norm(along))
    centre = np.array([*(body.centre or (length / 2, 0.0)), 0.0])
    about_first = body.about_first or body.mass * length**2 / 3
    about_centre = np.zeros((3, 3))
    about_centre[2, 2] = about_first - body.mass * float(centre @ centre)
    own = SpatialInertia.of_body(body.mass, centre, about_centre)
    return own.moved(at(points[body.first] - points[body.joint], np.arctan2(along[1], along[0])))


def parallel_robot(points: np.ndarray) -> Robot:
    """Build it: all frames lie at joints, parallel to the ground's where it starts."""
    place = {"ground": np.zeros(2)} | {name: points[body.joint] for name, body in BODIES.items()}
    links = [Link("ground"), *(Link(name, inertia(body, points)) for name, body in BODIES.items())]
    joints = [Joint(name, Z, b.parent, name, at(place[name] - place[b.parent])) for name, b in BODIES.items()]
    pin = Loop("pin", Z, "R3", "E", at(points[7] - place["R3"]), at(points[7] - place["E"]))
    couplings = [coupling(text) for text in TIED]
    robot = tree("parallel_robot", links, joints, gravity=(0.0, -9.81, 0.0), loops=[pin], couplings=couplings)
    return robot.with_independent_joints(["L1", "R1"])


def coupling(text: str) -> Coupling:
    """Return `a = b + c` or `a = -b - c`."""
    follower, others = text.split(" = ")
    sign = -1.0 if others.startswith("-") else 1.0
    leaders = others.replace("-", " ").replace("+", " ").split()
    return Coupling(f"{follower} follows", {follower: 1.0, **dict.fromkeys(leaders, -sign)})


def shift(t: float, leg: int) -> np.ndarray:
    """Return where the end effector is, counted from its start: up, then to the right, 2.5 s each."""
    x = (t - 2.5 * leg) / 2.5
    s = 3 * x**2 - 2 * x**3
    return np.array([0.0, s]) if leg == 0 else np.array([s, 1.0])


def crank(base: np.ndarray, elbow: np.ndarray, end: np.ndarray, moved: np.ndarray) -> float:
    """Return by how much a crank has turned when the end of its rod is moved from its start, elbow on one side."""
    upper, lower = np.linalg.norm(elbow - base), np.linalg.norm(end - elbow)

    def angle(tip: np.ndarray) -> float:
        reach = float(np.linalg.norm(tip - base))
        opening = np.arccos((upper**2 + reach**2 - lower**2) / (2 * upper * reach))
        (a, b), (c, d), (x, y) = end - base, elbow - base, tip - base
        return float(np.arctan2(y, x) + np.sign(a * d - b * c) * opening)

    return angle(end + moved) - angle(end)


def test_its_cranks_need_the_analytic_torques(value):
    points = np.array(value["model"]["points"], dtype=float)
    robot = parallel_robot(points)
    assert robot.mobility.freedom == 2
    f = sg.inverse_dynamics(robot, coordinates="independent", ordering="embedding")
    for t, *torques in value["rows"]:
        leg = 0 if t < 2.5 else 1
        ways = [shift(t + i * STEP, leg) for i in range(-4, 5)]
        y = np.array([[crank(points[a], points[b], points[c], d) for a, b, c in CHAINS] for d in ways])
        yd, ydd = np.array(RATE) @ y / STEP, np.array(CURVATURE) @ y / STEP**2
        q = robot.complete(y[4])
        np.testing.assert_allclose(f(q, yd, ydd), torques, rtol=value["tol"])


def test_a_platform_on_three_parallel_rods_swings_although_one_is_too_many():
    """Closed positions of this mechanism are singular where it lies flat; there no code is tried."""
    rod = SpatialInertia.of_body(1.0, np.array([0.0, 0.5, 0.0]), np.diag([0.1, 0.0, 0.1]))
    platform = SpatialInertia.of_body(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 0.1, 0.1]))
    top, feet = np.array([0.0, 1.0]), {"a": 0.0, "b": 1.0, "c": 2.0}
    joints = [Joint(name, Z, "ground", name, at(np.array([x, 0.0]))) for name, x in feet.items()]
    joints.append(Joint("p", Z, "a", "p", at(top)))
    links = [Link("ground"), *(Link(name, rod) for name in feet), Link("p", platform)]
    loops = [Loop(f"pin_{name}", Z, name, "p", at(top), at(np.array([feet[name], 0.0]))) for name in "bc"]
    robot = tree("three_rods", links, joints, loops=loops).with_independent_joints(["a"])
    assert robot.mobility.gruebler < 0
    q = robot.complete([0.3])
    np.testing.assert_allclose(sg.mass_matrix(robot, coordinates="independent")(q), [[3 * 0.35 + 1.0]], rtol=1e-12)
    qdd = sg.forward_dynamics(robot, coordinates="independent", ordering="embedding")(q, [0.7], [1.5])
    np.testing.assert_allclose(qdd, [1.5 / 2.05], rtol=1e-10)
