"""Positions as a manifold: vectors, and joints of quaternions that move by the exponential map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.robot import JointType, Robot
from screwgraph.spatial import ad

Indices = slice | np.ndarray


@dataclass(frozen=True, eq=False)
class Curved:
    """A joint whose motions are a group that is no vector space, and where it stands in q and qd.

    `structure` times a velocity, as an nv x nv matrix, is the velocity's bracket with others.
    """

    type: JointType
    q: slice
    v: slice
    structure: Float[np.ndarray, "nv*nv nv"]

    def bracket(self, step: Float[np.ndarray, " nv"]) -> Float[np.ndarray, "nv nv"]:
        """Return the matrix of [step, .]: ad in the joint's coordinates. Lynch & Park (8.38)."""
        return (self.structure @ step).reshape(self.type.nv, self.type.nv)


@dataclass(frozen=True, eq=False)
class Manifold:
    """Where a robot's positions live: `flat` coordinates (places in q, in qd), and curved joints."""

    nq: int
    flat: tuple[Indices, Indices]
    curved: tuple[Curved, ...]

    def moved(self, q: Float[np.ndarray, " nq"], step: Float[np.ndarray, " nv"]) -> Float[np.ndarray, " nq"]:
        """Return where a unit of time at the velocity `step` leads from q; quaternions stay unit."""
        if not self.curved:
            return q + step
        result, (places, velocities) = np.empty(self.nq), self.flat
        result[places] = q[places] + step[velocities]
        for joint in self.curved:
            result[joint.q] = joint.type.retract(q[joint.q], step[joint.v])
        return result

    def step_rate(self, step: Float[np.ndarray, " nv"], qd: Float[np.ndarray, " nv"]) -> Float[np.ndarray, " nv"]:
        """Return the rate at which `step` changes where the position moved(q, step) has the velocity qd.

        The inverse differential of the exponential map, for body velocities, up to the terms that a method of order
        four needs. Hairer, Lubich, Wanner (2006), section IV.8.
        """
        if not self.curved:
            return qd
        rate = qd.copy()
        for joint in self.curved:
            B, w = joint.bracket(step[joint.v]), qd[joint.v]
            first = B @ w
            rate[joint.v] += 0.5 * first + (B @ first) / 12.0
        return rate

    def position_rate(self, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> Float[np.ndarray, " nq"]:
        """Return dq/dt."""
        if not self.curved:
            return qd
        rate, (places, velocities) = np.empty(self.nq), self.flat
        rate[places] = qd[velocities]
        for joint in self.curved:
            rate[joint.q] = joint.type.position_rate(q[joint.q], qd[joint.v])
        return rate

    def normalised(self, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
        """Return q with unit quaternions, which are the last four coordinates of every curved joint."""
        if not self.curved:
            return q
        result = q.copy()
        for joint in self.curved:
            quaternion = result[joint.q][-4:]
            quaternion /= np.sqrt(quaternion @ quaternion)
        return result


def manifold(robot: Robot) -> Manifold:
    """Return the manifold of a robot's positions."""
    curved, places, velocities = [], [], []
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type.nq == joint.type.nv:
            places += range(q.start, q.stop)
            velocities += range(v.start, v.stop)
        else:
            curved.append(Curved(joint.type, q, v, _structure(joint.type)))
    return Manifold(robot.nq, (_indices(places), _indices(velocities)), tuple(curved))


def _structure(joint: JointType) -> Float[np.ndarray, "nv*nv nv"]:
    """Return the structure constants of a joint's group of motions: brackets of its screw axes, in these axes."""
    A = np.asarray(joint.screw_axes(joint.neutral()), dtype=float)
    brackets = [np.linalg.lstsq(A, ad(axis) @ A, rcond=None)[0].reshape(-1) for axis in A.T]
    return np.stack(brackets, axis=1)


def _indices(numbers: list[int]) -> Indices:
    """Return numbers that follow one another as a slice, which NumPy copies faster."""
    if numbers and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return slice(numbers[0], numbers[-1] + 1)
    return np.array(numbers, dtype=int)
