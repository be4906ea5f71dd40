"""First moments of mass of all that a joint carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.model.robot import Joint, Robot
from screwgraph.spatial import Array, rotation, skew, translation


@dataclass(frozen=True, eq=False)
class FirstMoment:
    """Mass (kg), and mass times centre of mass (kg m) in a link's frame, of the link and all that hangs on it.

    `rates` are its first and second time derivatives as an observer on the link sees them: none, one or both.
    """

    __repr__ = one_line

    mass: Any
    first: Float[Array, "3"]
    rates: tuple[Float[Array, "3"], ...] = ()

    def transform(self, T: Float[Array, "4 4"]) -> FirstMoment:
        """Return it in a frame in which the link's stands, at rest, at T."""
        R = rotation(T)
        return FirstMoment(
            self.mass, R @ self.first + self.mass * translation(T), tuple(R @ rate for rate in self.rates)
        )

    def swept(self, *motions: Float[Array, "6"]) -> FirstMoment:
        """Return it, in the same axes, as seen from where the link moves at a twist, and at its rate."""
        found = []
        for order, V in enumerate(motions, 1):
            rate = self.rates[order - 1] + skew(V[:3]) @ self.first + self.mass * V[3:]
            if order == 2:
                (w, v), before = (motions[0][:3], motions[0][3:]), self.rates[0]
                rate = rate + skew(w) @ (2.0 * before + skew(w) @ self.first + self.mass * v)
            found.append(rate)
        return FirstMoment(self.mass, self.first, tuple(found))

    def __add__(self, other: FirstMoment) -> FirstMoment:
        """Join two bodies in the same frame."""
        rates = tuple(a + b for a, b in zip(self.rates, other.rates, strict=True))
        return FirstMoment(self.mass + other.mass, self.first + other.first, rates)


def compute_first_moments(robot: Robot, q: Array, *motion: Array) -> dict[str, FirstMoment]:
    """Return what each link carries, itself included; the base itself, which does not move, is left out.

    With qd, or qd and qdd, with its rates as seen from the link. From the tips to the base: no pose and no twist is
    needed, and of joints that turn, masses are constants.
    """
    still = tuple(np.zeros(3) for _ in motion)
    found = {link.name: FirstMoment(link.inertia.mass, link.inertia.first_moment, still) for link in robot.links[1:]}
    found[robot.links[0].name] = FirstMoment(0.0, np.zeros(3), still)
    for joint in reversed(robot.joints):
        at, v = q[robot.q_slices[joint.name]], robot.v_slices[joint.name]
        swept = found[joint.child].swept(*_relative(joint, at, *(x[v] for x in motion)))
        found[joint.parent] = found[joint.parent] + swept.transform(joint.type.transform(at)).transform(joint.origin)
    return found


def _relative(joint: Joint, q: Array, *motion: Array) -> list[Float[Array, "6"]]:
    """Return the twist of the child relative to the parent, and its rate, in the child's frame: none, one or both."""
    A = joint.type.screw_axes(q)
    found = [A @ x for x in motion]
    if len(found) == 2 and not joint.type.constant_axes:
        found[1] = found[1] + joint.type.axes_rate_times(q, motion[0])
    return found


def total_first_moment(robot: Robot, q: Array, *motion: Array) -> FirstMoment:
    """Return the moment of all links that move, in the frame that the base has in its file; with rates, if asked."""
    return compute_first_moments(robot, q, *motion)[robot.links[0].name].transform(base_pose_in_world(robot))


def moving_mass(robot: Robot) -> Any:
    """Return the mass (kg) of the links that joints move, a number of any kind."""
    return sum(link.inertia.mass for link in robot.links[1:])


def check_mass(robot: Robot) -> None:
    """Raise InputError where no link that joints move has a mass."""
    if not moving_mass(robot) > 0.0:
        raise InputError(
            f"robot {robot.name!r} has no centre of mass",
            why="no link that moves has a mass; the base does not count",
            fix='give links inertias, or load it with base="floating"',
        )
