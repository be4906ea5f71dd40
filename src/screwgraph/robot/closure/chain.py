"""Kinematics around a loop: along the tree from one of its ends to the other, on every kind of number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import matmul

import numpy as np
from jaxtyping import Float

from screwgraph.robot.joints import Universal
from screwgraph.robot.parts import Joint, Loop
from screwgraph.robot.robot import Robot
from screwgraph.spatial import Ad, Array, concatenate_columns, inverse, matrix, rotation, so3, vector

Poses = Sequence[Float[Array, "4 4"]]


@dataclass(frozen=True, eq=False)
class Chain:
    """A loop's way through the tree: up from its predecessor to the nearest common ancestor, down to its successor.

    `kept` are the columns of its wrench basis whose constraints are independent. Methods take positions of `joints`.
    """

    loop: Loop
    kept: tuple[int, ...]
    up: tuple[Joint, ...]
    down: tuple[Joint, ...]

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints on the way, from the predecessor to the successor."""
        return (*self.up, *self.down)

    @property
    def has_constant_wrenches(self) -> bool:
        """Whether the wrenches that the loop joint transmits stand still in the successor's loop frame."""
        return not isinstance(self.loop.type, Universal)

    @property
    def holds_its_point(self) -> bool:
        """Whether the loop joint transmits any force: its frames' origins then never part."""
        W = np.asarray(self.loop.type.constraint_wrenches(self.loop.type.manifold.identity()), dtype=float)
        forces = W[3:, ~W[:3].any(axis=0)]
        return bool(np.linalg.matrix_rank(forces) == 3)

    def T_fp(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "4 4"]:
        """Return the pose of the predecessor in the successor's loop frame f."""
        T, positions = inverse(self.loop.T_sf), list(q)
        for joint in reversed(self.down):
            T = T @ joint.T_child_parent(positions.pop())
        for joint in reversed(self.up):
            T = T @ joint.T_parent_child(positions.pop())
        return T

    def poses(self, q: Sequence[Float[Array, " nq"]]) -> Poses:
        """Return the poses of the joints' children in the common ancestor."""
        moving = [joint.T_parent_child(at) for joint, at in zip(self.joints, q, strict=True)]
        up, down = moving[: len(self.up)], moving[len(self.up) :]
        return [*reversed(list(accumulate(reversed(up), matmul))), *accumulate(down, matmul)]

    def T_loop(self, poses: Poses) -> Float[Array, "4 4"]:
        """Return the pose of the successor's loop frame in the predecessor's: where the loop joint should stand."""
        p, s = self._ends(poses)
        return inverse(p) @ s

    def screws(self, q: Sequence[Float[Array, " nq"]], poses: Poses) -> Float[Array, "6 nv"]:
        """Return the twist of the successor's loop frame relative to the predecessor, in that frame, per velocity."""
        to_f, columns = inverse(self._ends(poses)[1]), []
        for i, (joint, at, pose) in enumerate(zip(self.joints, q, poses, strict=True)):
            column = Ad(to_f @ pose) @ joint.type.screw_axes(at)
            columns.append(-column if i < len(self.up) else column)
        return concatenate_columns(*columns)

    def _ends(self, poses: Poses) -> tuple[Float[Array, "4 4"], Float[Array, "4 4"]]:
        """Return the poses of the loop's frames on the predecessor and on the successor in the common ancestor."""
        p = poses[0] @ self.loop.T_pf if self.up else self.loop.T_pf
        s = poses[-1] @ self.loop.T_sf if self.down else self.loop.T_sf
        return p, s

    def relative_twist(self, q: Sequence[Float[Array, " nq"]], qd: Sequence[Float[Array, " nv"]]) -> Float[Array, "6"]:
        """Return the twist of the successor's loop frame relative to the predecessor, in that frame."""
        moving = list(zip(self.joints, q, qd, strict=True))
        V_p, V_s = (_twist(way) for way in (reversed(moving[: len(self.up)]), moving[len(self.up) :]))
        return Ad(inverse(self.loop.T_sf)) @ V_s - Ad(self.T_fp(q)) @ V_p

    def wrenches(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "6 rows"]:
        """Return the kept wrenches, in the successor's loop frame."""
        kind, kept = self.loop.type, list(self.kept)
        if not isinstance(kind, Universal):
            return np.asarray(kind.constraint_wrenches(kind.manifold.identity()), dtype=float)[:, kept]
        normal = so3.skew(np.array(kind.axis2)) @ self._first_axis(kind, q)
        forces = np.eye(6)[:, 3:]
        return matrix([[normal[i] if i < 3 else 0.0, *forces[i]] for i in range(6)])[:, kept]

    def rate_of_wrenches(self, q: Sequence[Float[Array, " nq"]], V_rel: Float[Array, "6"]) -> Float[Array, " rows"]:
        """Return (dW/dt)' V_rel, for the successor's loop frame moving by V_rel as the predecessor sees it."""
        kind = self.loop.type
        if not isinstance(kind, Universal):
            return np.zeros(len(self.kept))
        turning = -(so3.skew(V_rel[:3]) @ self._first_axis(kind, q))
        across = so3.skew(np.array(kind.axis2)) @ turning
        rate = across[0] * V_rel[0] + across[1] * V_rel[1] + across[2] * V_rel[2]
        return vector([rate if i == 0 else 0.0 for i in self.kept])

    def _first_axis(self, kind: Universal, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "3"]:
        """Return the axis that is fixed in the predecessor, as the successor's loop frame sees it."""
        return rotation(self.T_fp(q) @ self.loop.T_pf) @ np.array(kind.axis)


def _twist(way: Iterable[tuple[Joint, Array, Array]]) -> Float[Array, "6"]:
    """Return the twist of the last link on a way down from a link at rest."""
    V = np.zeros(6)
    for joint, q, qd in way:
        V = Ad(joint.T_child_parent(q)) @ V + joint.type.screw_axes(q) @ qd
    return V


def chain_of(robot: Robot, loop: Loop, kept: Iterable[int] | None = None) -> Chain:
    """Return a loop's way through a robot's tree, with some of its constraints, or all."""
    up, down = (robot.joints_to_base(link) for link in (loop.predecessor, loop.successor))
    while up and down and up[-1] is down[-1]:
        up, down = up[:-1], down[:-1]
    return Chain(loop, tuple(range(loop.rows) if kept is None else kept), up, tuple(reversed(down)))
