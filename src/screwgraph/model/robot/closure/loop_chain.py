"""Kinematics around a loop: along the tree from one of its ends to the other, on every kind of number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot.parts import Joint, Loop, SeenWrenches
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Ad, Array, concatenate, concatenate_columns, inverse, rotation

Poses = Sequence[Float[Array, "4 4"]]


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
        return not isinstance(self.loop.type, SeenWrenches)

    @property
    def holds_its_point(self) -> bool:
        """Whether the loop joint transmits any force: its frames' origins then never part."""
        W = np.asarray(self.loop.type.constraint_wrenches(self.loop.type.manifold.identity()), dtype=float)
        forces = W[3:, ~W[:3].any(axis=0)]
        return bool(np.linalg.matrix_rank(forces) == 3)

    def poses(self, q: Sequence[Float[Array, " nq"]]) -> Poses:
        """Return the poses of the links on the way, predecessor first, in the successor's loop frame f."""
        found, positions = [inverse(self.loop.T_sf)], list(q)
        for joint in reversed(self.down):
            found.append(found[-1] @ joint.T_child_parent(positions.pop()))
        for joint in reversed(self.up):
            found.append(found[-1] @ joint.T_parent_child(positions.pop()))
        return found[::-1]

    def T_fp(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "4 4"]:
        """Return the pose of the predecessor in the successor's loop frame f."""
        return self.poses(q)[0]

    def T_loop(self, poses: Poses) -> Float[Array, "4 4"]:
        """Return the pose of the successor's loop frame in the predecessor's: where the loop joint should stand."""
        return inverse(poses[0] @ self.loop.T_pf)

    def screws(self, q: Sequence[Float[Array, " nq"]], poses: Poses) -> Float[Array, "6 nv"]:
        """Return the twist of the successor's loop frame relative to the predecessor, in that frame, per velocity."""
        n, columns = len(self.up), []
        children = [*poses[:n], *poses[n + 1 :]]
        for i, (joint, at, T_fc) in enumerate(zip(self.joints, q, children, strict=True)):
            column = Ad(T_fc) @ joint.type.screw_axes(at)
            columns.append(-column if i < n else column)
        return concatenate_columns(*columns)

    def relative_twist(self, q: Sequence[Float[Array, " nq"]], qd: Sequence[Float[Array, " nv"]]) -> Float[Array, "6"]:
        """Return the twist of the successor's loop frame relative to the predecessor, in that frame."""
        return self.screws(q, self.poses(q)) @ concatenate(*qd)

    def wrenches(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "6 rows"]:
        """Return the kept wrenches, in the successor's loop frame."""
        kind, kept = self.loop.type, list(self.kept)
        if not isinstance(kind, SeenWrenches):
            return np.asarray(kind.constraint_wrenches(kind.manifold.identity()), dtype=float)[:, kept]
        return kind.wrenches_seen(self._seen_rotation(q))[:, kept]

    def rate_of_wrenches(self, q: Sequence[Float[Array, " nq"]], V_rel: Float[Array, "6"]) -> Float[Array, " rows"]:
        """Return (dW/dt)' V_rel, for the successor's loop frame moving by V_rel as the predecessor sees it."""
        kind = self.loop.type
        if not isinstance(kind, SeenWrenches):
            return np.zeros(len(self.kept))
        return kind.rate_of_wrenches(self._seen_rotation(q), V_rel)[list(self.kept)]

    def _seen_rotation(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, "3 3"]:
        """Return the rotation of the predecessor's loop frame as the successor's sees it."""
        return rotation(self.T_fp(q) @ self.loop.T_pf)


def chain_of(robot: Robot, loop: Loop, kept: Iterable[int] | None = None) -> Chain:
    """Return a loop's way through a robot's tree, with some of its constraints, or all."""
    up, down = _ways_of(robot, loop)
    return Chain(loop, tuple(range(loop.rows) if kept is None else kept), up, down)


@lru_cache(maxsize=256)
def _ways_of(robot: Robot, loop: Loop) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
    """Return the joints up from a loop's predecessor to the nearest common ancestor, and down to its successor."""
    up, down = (robot.joints_to_base(link) for link in (loop.predecessor, loop.successor))
    while up and down and up[-1] is down[-1]:
        up, down = up[:-1], down[:-1]
    return up, tuple(reversed(down))
