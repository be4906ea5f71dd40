"""Wrenches of loops on the links at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Chain, Joint, Loop
from screwgraph.model.robot.parts import SeenWrenches
from screwgraph.spatial import Ad, Array, inverse


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


def check_wrenches(loop: Loop) -> None:
    """Check that the wrenches of a loop joint follow from positions of the tree. Raises InputError."""
    kind, rng = loop.type, np.random.default_rng(0)
    if isinstance(kind, SeenWrenches):
        return
    first, second = (np.asarray(kind.constraint_wrenches(kind.manifold.random(rng)), dtype=float) for _ in range(2))
    if not np.allclose(first, second, atol=1e-12):
        raise InputError(
            f"loop {loop.name!r} is closed by a joint of type {type(kind).__name__}",
            why="the wrenches that it transmits depend on its position, which is no variable",
            fix="close the loop at another of its joints",
        )
