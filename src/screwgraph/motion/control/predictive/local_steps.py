"""Local coordinates of states of a horizon: what a linearised step means on a robot's manifold of positions.

A coordinate of a joint with as many positions as velocities is itself. Those of other joints, floating bases and ball
joints, are displacements from a trajectory: position exp(J_r(h v) x) at a local x, where v is the velocity that led
there and J_r the right Jacobian of the exponential map. So a change dv of it changes x by h dv, as if all were vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics import difference
from screwgraph.model.robot import Robot
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number, dot

FACTORIALS = (1.0, -1.0 / 2.0, 1.0 / 6.0, -1.0 / 24.0, 1.0 / 120.0)
"""J_r(d) of powers of the bracket with d; what is left out is below 2e-6 of it at 0.3 rad a step."""
BERNOULLI = (1.0, 1.0 / 2.0, 1.0 / 12.0, 0.0, -1.0 / 720.0)
"""Its inverse."""


@dataclass(frozen=True, eq=False)
class BentJoint:
    """A joint whose positions are no vector: its places in q and qd."""

    manifold: Manifold
    q: slice
    v: slice


@dataclass(frozen=True, eq=False)
class LocalSteps:
    """Local coordinates of a robot's positions: `before` (s) is the step that led to one, `dt` (s) leads on from it."""

    __repr__ = one_line

    robot: Robot
    before: Number
    dt: Number

    @cached_property
    def bent(self) -> tuple[BentJoint, ...]:
        """Joints whose local coordinates are displacements."""
        robot = self.robot
        return tuple(
            BentJoint(joint.type.manifold, robot.q_slices[joint.name], robot.v_slices[joint.name])
            for joint in robot.joints
            if joint.type.nq != joint.type.nv
        )

    @cached_property
    def straight(self) -> tuple[tuple[int, int], ...]:
        """Places in q and in qd of all other coordinates."""
        robot = self.robot
        pairs = [(robot.q_slices[j.name], robot.v_slices[j.name]) for j in robot.joints if j.type.nq == j.type.nv]
        return tuple(
            pair for q, v in pairs for pair in zip(range(q.start, q.stop), range(v.start, v.stop), strict=True)
        )

    def local(self, q: Sequence[Number]) -> list[Number]:
        """Return the local coordinates (nv,) of a position of the trajectory itself."""
        found: list[Number] = [0.0] * self.robot.nv
        for i, j in self.straight:
            found[j] = q[i]
        return found

    def advance(self, q: Any, v: Any) -> list[Number]:
        """Return the position that the velocity v leads to in a step."""
        found: list[Number] = [0.0] * self.robot.nq
        for i, j in self.straight:
            found[i] = q[i] + self.dt * v[j]
        for joint in self.bent:
            found[joint.q] = list(joint.manifold.retract(q[joint.q], self.dt * v[joint.v]))
        return found

    def displace(self, q: Any, v: Any, x: Any) -> list[Number]:
        """Return the position at local coordinates x about q, to which v led in a step of `dt`."""
        found: list[Number] = [0.0] * self.robot.nq
        for i, j in self.straight:
            found[i] = x[j]
        for joint in self.bent:
            turn = _series(joint.manifold, self.dt * v[joint.v], FACTORIALS, 1.0)
            found[joint.q] = list(joint.manifold.retract(q[joint.q], turn @ x[joint.v]))
        return found

    def blend(self, a: Any, b: Any, share: Number) -> list[Number]:
        """Return the position at a share of the way from a to b."""
        found: list[Number] = [0.0] * self.robot.nq
        for i, _ in self.straight:
            found[i] = a[i] + share * (b[i] - a[i])
        for joint in self.bent:
            way = joint.manifold.difference(a[joint.q], b[joint.q])
            found[joint.q] = list(joint.manifold.retract(a[joint.q], share * way))
        return found

    def turn_columns(self, slopes: Any, v: Any) -> np.ndarray:
        """Return derivatives by displacements of positions as those by local coordinates, which v led to."""
        found = np.array(slopes, dtype=object)
        for joint in self.bent:
            turn = _series(joint.manifold, self.before * v[joint.v], FACTORIALS, 1.0)
            found[:, joint.v] = _product(found[:, joint.v], turn)
        return found

    def turn_joint_back(self, joint: BentJoint, slopes: Any, v: Any) -> np.ndarray:
        """Return derivatives by a joint's local coordinates as those by its displacements."""
        return _product(slopes, _series(joint.manifold, self.before * v[joint.v], BERNOULLI, 1.0))

    def find_gaps(self, q: Any, later_q: Any, later_v: Any) -> list[Number]:
        """Return what leads from `later_q` to where `later_v` leads from q (nv,)."""
        gaps, ends = self.local([0.0] * self.robot.nq), self.advance(q, later_v)
        for i, j in self.straight:
            gaps[j] = ends[i] - later_q[i]
        for joint in self.bent:
            gaps[joint.v] = list(joint.manifold.difference(later_q[joint.q], np.array(ends[joint.q])))
        return gaps

    def follow(self, q: Any, v: Any, later_q: Any, later_v: Any) -> tuple[list[np.ndarray], list[Number]]:
        """Return how bent joints' local coordinates follow: x' = A x + c + h v' at each, and all gaps (nv,) of q.

        Gaps lead from `later_q` to where `later_v` leads.
        """
        blocks, gaps = list[np.ndarray](), self.find_gaps(q, later_q, later_v)
        for joint in self.bent:
            gap = np.array(gaps[joint.v])
            before = _series(joint.manifold, self.before * v[joint.v], FACTORIALS, 1.0)
            A = _product(self._inverse(joint, later_v, -1.0), before)
            c = self._inverse(joint, later_v, 1.0) @ gap - self.dt * later_v[joint.v]
            blocks.append(np.concatenate([A, np.array([c]).T], axis=1))
        return blocks, gaps

    def compare(self, reference: Any, q: Any, v: Any) -> tuple[list[Number], list[np.ndarray]]:
        """Return what q is beyond a reference (nv,), and for each bent joint its derivative by local coordinates."""
        found: list[Number] = [0.0] * self.robot.nv
        for i, j in self.straight:
            found[j] = q[i] - reference[i]
        slopes = list[np.ndarray]()
        if self.bent:
            by_end = np.asarray(difference(self.robot).jacobian("q_to")(reference, q))
        for joint in self.bent:
            found[joint.v] = list(joint.manifold.difference(reference[joint.q], q[joint.q]))
            turn = _series(joint.manifold, self.before * v[joint.v], FACTORIALS, 1.0)
            slopes.append(_product(by_end[joint.v, joint.v], turn))
        return found, slopes

    def _inverse(self, joint: BentJoint, v: Any, sign: float) -> np.ndarray:
        return _series(joint.manifold, self.dt * v[joint.v], BERNOULLI, sign)


def _series(manifold: Manifold, d: Any, factors: Sequence[float], sign: float) -> np.ndarray:
    """Return a series of powers of the bracket with sign d, as a matrix."""
    unit = np.eye(manifold.dim)
    back = [-x for x in d]
    columns = [manifold.step_rate(d, e) - manifold.step_rate(np.array(back), e) for e in unit]
    bracket = np.array(columns, dtype=object).T
    total, power = factors[0] * unit.astype(object), unit.astype(object)
    for k, factor in enumerate(factors[1:], 1):
        power = _product(bracket, power)
        total = total + factor * sign**k * power if factor else total
    return total


def _product(a: Any, b: Any) -> np.ndarray:
    """Return a product of matrices; what is zero costs nothing."""
    return np.array([[dot(row, column) for column in np.asarray(b).T] for row in a], dtype=object)
