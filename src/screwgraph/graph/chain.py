"""Loops as the tree sees them: the way from one end to the other, and what the loop joint transmits there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.robot import Joint, Loop, Robot, joints_around
from screwgraph.robot.joints import Universal
from screwgraph.spatial import Ad, Array, inverse, matrix, rotation, so3, vector
from screwgraph.summary import one_line


@dataclass(frozen=True, eq=False)
class Chain:
    """A loop's way through the tree: up from its predecessor to the nearest common ancestor, down to its successor.

    `kept` are the columns of its wrench basis whose constraints are independent. Methods take positions of `joints`.
    """

    __repr__ = one_line

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
        W = np.asarray(self.loop.type.constraint_wrenches(self.loop.type.neutral()), dtype=float)
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

    def wrenches(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "6 rows"]:
        """Return the kept wrenches, in the successor's loop frame."""
        kind, kept = self.loop.type, list(self.kept)
        if not isinstance(kind, Universal):
            return np.asarray(kind.constraint_wrenches(kind.neutral()), dtype=float)[:, kept]
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

    def relative_twist(self, q: Sequence[Float[Array, " nq"]], qd: Sequence[Float[Array, " nv"]]) -> Float[Array, "6"]:
        """Return the twist of the successor's loop frame relative to the predecessor, in that frame."""
        moving = list(zip(self.joints, q, qd, strict=True))
        V_p, V_s = (_twist(way) for way in (reversed(moving[: len(self.up)]), moving[len(self.up) :]))
        return Ad(inverse(self.loop.T_sf)) @ V_s - Ad(self.T_fp(q)) @ V_p

    def _first_axis(self, kind: Universal, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "3"]:
        """Return the axis that is fixed in the predecessor, as the successor's loop frame sees it."""
        return rotation(self.T_fp(q) @ self.loop.T_pf) @ np.array(kind.axis)


@dataclass(frozen=True, eq=False)
class End:
    """One end of a chain: the wrench that the loop exerts on the link there."""

    chain: Chain
    is_successor: bool

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose positions that wrench depends on."""
        return () if self.is_successor and self.chain.has_constant_wrenches else self.chain.joints

    def wrenches(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "6 rows"]:
        """Return what one unit of each multiplier exerts on the link, in the link's frame."""
        W = self.chain.wrenches(q)
        if self.is_successor:
            return Ad(inverse(self.chain.loop.T_sf)).T @ W
        return -(Ad(self.chain.T_fp(q)).T @ W)


def loop_wrenches(
    ends: Sequence[End], multipliers: Sequence[Float[Array, " rows"]], q: Sequence[Float[Array, " nq"]]
) -> Float[Array, "6"]:
    """Return what loops exert on the link where they end, in its frame; q are the positions of all ends' joints."""
    total, positions = np.zeros(6), iter(q)
    for end, multiplier in zip(ends, multipliers, strict=True):
        total = total + end.wrenches([next(positions) for _ in end.joints]) @ multiplier
    return total


def _twist(way: Iterable[tuple[Joint, Array, Array]]) -> Float[Array, "6"]:
    """Return the twist of the last link on a way down from a link at rest."""
    V = np.zeros(6)
    for joint, q, qd in way:
        V = Ad(joint.T_child_parent(q)) @ V + joint.type.screw_axes(q) @ qd
    return V


def chain_of(robot: Robot, loop: Loop, kept: tuple[int, ...]) -> Chain:
    """Return a loop's way through a robot's tree.

    Raises:
        InputError: the loop joint is of a type of other people whose wrenches depend on its position.
    """
    _check_type(loop)
    up, down = joints_around(robot, loop)
    return Chain(loop, kept, up, tuple(reversed(down)))


def _check_type(loop: Loop) -> None:
    kind, rng = loop.type, np.random.default_rng(0)
    if isinstance(kind, Universal):
        return
    first, second = (np.asarray(kind.constraint_wrenches(kind.random(rng)), dtype=float) for _ in range(2))
    if not np.allclose(first, second, atol=1e-12):
        raise InputError(
            f"loop {loop.name!r} is closed by a joint of type {type(kind).__name__}",
            why="the wrenches that it transmits depend on its position, which is no variable",
            fix="close the loop at another of its joints",
        )
