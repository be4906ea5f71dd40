"""Articulated inertias, seen from one point: what accelerations take while nothing else is driven.

Featherstone (2008), section 7.3. Coordinates of one joint go one after the other, as if massless links were between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.body_moments import BodyMoments, compute_body_moments
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import (
    compute_anchor_views,
    list_limb_roots,
    transform_twist,
)
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.memory_builder import MemoryBuilder, interleave_pairs
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    NOTHING,
    Matrix,
    Pair,
    add_matrices,
    cross,
    dot,
    scale,
)
from screwgraph.model.robot import Robot
from screwgraph.tape import Number, Program, reciprocal
from screwgraph.tape.parts import SIX, Block, Copies, Fill, Recursion, work_size


@dataclass(frozen=True)
class ArticulatedInertias:
    """Of each velocity coordinate: the one that it hangs on (-1: the base), S, U / D and 1 / D of `Recursion`."""

    parents: Sequence[int]
    axes: Sequence[Pair]
    scaled: Sequence[Pair]
    pivots: Sequence[Number]


def compute_articulated_inertias(robot: Robot, moved: Mapping[str, LinkMotion]) -> ArticulatedInertias:
    """Return them at positions that `moved` knows."""
    view = compute_anchor_views(robot, moved, list_limb_roots(robot))
    inertias = {
        name: _inertia(compute_body_moments(robot.link(name).inertia, moved[name], NOTHING), view[name])
        for name in moved
    }
    n = robot.nv
    axes, wrenches, pivots = [NOTHING] * n, [NOTHING] * n, list[Number]([0.0] * n)
    for joint in reversed(robot.joints):
        R, x, _ = view[joint.child]
        v, G = robot.v_slices[joint.name], inertias[joint.child]
        armatures = joint.armature * np.ones(joint.type.nv)
        for i, S, armature in reversed(
            list(zip(range(v.start, v.stop), moved[joint.child].axes, armatures, strict=True))
        ):
            axis = transform_twist(S, R, x)
            s = [*axis[0], *axis[1]]
            U = [dot(row, s) for row in G]
            pivots[i] = reciprocal(dot(s, U) + armature)
            W = scale(pivots[i], U)
            axes[i], wrenches[i] = axis, (W[:3], W[3:])
            G = _less(G, W, U)
        if joint.parent in inertias:
            inertias[joint.parent] = add_matrices(inertias[joint.parent], G)
    return ArticulatedInertias(_parents(robot), axes, wrenches, pivots)


def _parents(robot: Robot) -> list[int]:
    parents, last = list[int](), dict[str, int]()
    for joint in robot.joints:
        v = robot.v_slices[joint.name]
        before = last.get(joint.parent, -1)
        parents += [before, *range(v.start, v.stop - 1)][: v.stop - v.start]
        last[joint.child] = v.stop - 1 if v.stop > v.start else before
    return parents


def _inertia(own: BodyMoments, view: tuple[Matrix, Sequence[Number], Sequence[Number]]) -> Matrix:
    """Return the spatial inertia (6, 6) of a link, seen from the point and in the axes of a view."""
    seen = own.seen(*view[:2])
    m, h, about = seen.mass, seen.first, seen.rotational
    coupling = [cross(h, [float(i == j) for i in range(3)]) for j in range(3)]  # columns of [h]x
    upper = [[*about[i], *(coupling[j][i] for j in range(3))] for i in range(3)]
    return [*upper, *([*coupling[i], *(m * float(i == j) for j in range(3))] for i in range(3))]


def _less(G: Matrix, a: Sequence[Number], b: Sequence[Number]) -> Matrix:
    """Return the symmetric matrix G - a b'."""
    upper = {(i, j): G[i][j] - a[i] * b[j] for i in range(SIX) for j in range(i, SIX)}
    return [[upper[min(i, j), max(i, j)] for j in range(SIX)] for i in range(SIX)]


@dataclass(frozen=True)
class ArticulatedSlots:
    """Memory layout of the arrays of `ArticulatedInertias`."""

    parents: tuple[int, ...]
    axes: int
    scaled: int
    pivots: int
    work: int

    @classmethod
    def allocate_slots(
        cls, memory: MemoryBuilder, parents: Sequence[int], places: tuple[int, int, int]
    ) -> ArticulatedSlots:
        """Take memory for the work."""
        return cls(tuple(parents), *places, memory.allocate(work_size(len(parents))))

    def solve(
        self, memory: MemoryBuilder, target: int, columns: int, *, negative: bool = False, triangle: bool = False
    ) -> None:
        """Replace X (size, columns) at a place by M^-1 X, or by less than that; a `triangle` is zero on its left."""
        n, places = len(self.parents), (self.axes, self.scaled, self.pivots)
        memory.parts.append(Recursion(n, self.parents, *places, target, columns, self.work, negative, triangle))

    def invert(self, memory: MemoryBuilder, target: int) -> None:
        """Put M^-1 at a place."""
        n, one = len(self.parents), memory.allocate(1)
        memory.parts += [Fill(target, n**2), Block("one", Program((), (), (1.0,)), (), (one,))]
        memory.parts.append(Copies((one,) * n, tuple(target + i * (n + 1) for i in range(n))))
        self.solve(memory, target, n, triangle=True)


def flatten_articulated(found: ArticulatedInertias) -> list[list[Number]]:
    """Return axes, scaled wrenches and pivots as arrays."""
    return [interleave_pairs(found.axes), interleave_pairs(found.scaled), list(found.pivots)]
