"""Robots of which kinematics are tested, a state of each, and Pinocchio's results at it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pinocchio as pin

import screwgraph as sg
from screwgraph.model.robot import Joint, Robot, tree
from screwgraph.model.robot.joints import Floating, Planar, Revolute, Spherical, Universal
from tests.oracle import Oracle, oracle, to_pin_a, to_pin_q, to_pin_v, velocity_map
from tests.test_oracle import menagerie

ROBOTS = ("puma560", "a1", "every joint")
TWISTED = ("floating", "spherical", "universal", "planar", "revolute")
"""Joints whose velocities are no derivatives of coordinates, or whose screw axes move."""


@cache
def robot_of(name: str) -> Robot:
    """Return a robot; "every joint" is a chain with all types of joints."""
    if name == "every joint":
        return menagerie()
    if name == "twisted":
        return twisted()
    return sg.load(name, base="floating" if name == "a1" else "fixed")


def twisted() -> Robot:
    """Return a chain of the joints whose Coriolis terms are not ordinary."""
    whole = menagerie()
    types = (
        Floating(),
        Spherical(),
        Universal((0.6, -0.3, 0.5), (0.1, 1.0, 0.2)),
        Planar((0.6, -0.3, 0.5)),
        Revolute(),
    )
    links, joints = [whole.links[0]], []
    for name, kind in zip(TWISTED, types, strict=True):
        old = whole.joint(name)
        links.append(whole.link(f"{name}_link"))
        joints.append(Joint(name, kind, links[-2].name, f"{name}_link", old.origin, armature=old.armature))
    return tree("twisted", links, joints)


@dataclass(frozen=True)
class State:
    """A state of a robot, and Pinocchio's model with the same state."""

    robot: Robot
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    peer: Oracle

    @property
    def position(self) -> np.ndarray:
        return to_pin_q(self.robot, self.q)

    @property
    def velocity(self) -> np.ndarray:
        return to_pin_v(self.robot, self.q, self.qd)

    @property
    def acceleration(self) -> np.ndarray:
        return to_pin_a(self.robot, self.q, self.qd, self.qdd)

    def columns(self, J: np.ndarray) -> np.ndarray:
        """Return Pinocchio's Jacobian in our coordinates; six rows with the angular part first."""
        ours = J @ velocity_map(self.robot, self.q)
        return np.vstack([ours[3:], ours[:3]]) if len(ours) == 6 else ours

    def frame(self, name: str) -> int:
        return self.peer.model.getFrameId(name, pin.BODY)


@cache
def state_of(name: str, seed: int = 0) -> State:
    """Return a random state."""
    robot, rng = robot_of(name), np.random.default_rng(seed)
    return State(robot, robot.random(rng), *rng.standard_normal((2, robot.nv)), oracle(robot))


def close(found: np.ndarray, expected: np.ndarray) -> None:
    """Compare to 1e-12 of the largest number."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * max(1.0, float(np.abs(expected).max())))


def angular_first(x: np.ndarray) -> np.ndarray:
    """Return one of Pinocchio's six-vectors in our order."""
    return np.concatenate([x[3:], x[:3]])
