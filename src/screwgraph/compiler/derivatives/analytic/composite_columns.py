"""Columns of a mass matrix: what each coordinate's acceleration takes of all that hangs on its joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import (
    compute_anchor_views,
    list_limb_roots,
    transform_twist,
    transform_wrench,
)
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import Pair, power
from screwgraph.compiler.derivatives.analytic.tree_derivatives import Entries, accumulate_bodies
from screwgraph.model.robot import Robot
from screwgraph.tape import Number

LONG = 10.0
"""How many joints carry a joint, on average, where pairs of joints go in loops, and nothing else is tried."""


@dataclass(frozen=True)
class CompositeColumns:
    """Screw axes of all velocity coordinates, and the wrenches that accelerations of these take of all they carry.

    Both are seen from one point of each limb. `own` are entries of coordinates of one joint, `carriers` the coordinates
    of joints nearer to the base, for each coordinate; `efforts` what the motion itself takes.
    """

    axes: Sequence[Pair]
    wrenches: Sequence[Pair]
    own: Entries
    carriers: Sequence[Sequence[int]]
    efforts: Sequence[Number]


def compute_composite_columns(
    robot: Robot, moved: Mapping[str, LinkMotion], external_wrenches: Mapping[str, Pair] | None = None
) -> CompositeColumns:
    """Return the columns for links that move so, and the efforts of that motion under wrenches from outside."""
    whole = accumulate_bodies(robot, moved, external_wrenches or {})
    view = compute_anchor_views(robot, moved, list_limb_roots(robot))
    axes, wrenches = list[Pair](), list[Pair]()
    own: dict[tuple[int, int], Number] = {}
    efforts: list[Number] = []
    for joint in robot.joints:
        first, (R, x, _) = robot.v_slices[joint.name].start, view[joint.child]
        columns = [whole[joint.child].inertia_times(S) for S in moved[joint.child].axes]
        for i, W in enumerate(columns, first):
            for j, S in enumerate(moved[joint.child].axes, first):
                own[i, j] = power(S, W)
        for i, armature in enumerate(joint.armature * np.ones(joint.type.nv), first):
            own[i, i] = own[i, i] + armature
        axes += [transform_twist(S, R, x) for S in moved[joint.child].axes]
        wrenches += [transform_wrench(W, R, x) for W in columns]
        efforts += [power(S, whole[joint.child].wrench) for S in moved[joint.child].axes]
    return CompositeColumns(axes, wrenches, own, list_carriers(robot), efforts)


def list_carriers(robot: Robot) -> Sequence[Sequence[int]]:
    """Return, for each velocity coordinate, those of other joints between it and the base, the base's first."""
    found: list[Sequence[int]] = []
    for joint in robot.joints:
        nearer = [other for other in robot.joints_to_base(joint.child) if other is not joint]
        slices = [robot.v_slices[other.name] for other in nearer]
        found += [sorted(i for v in slices for i in range(v.start, v.stop))] * joint.type.nv
    return found


def mean_depth(robot: Robot) -> float:
    """Return how many joints carry a joint, on average."""
    return sum(len(robot.joints_to_base(j.child)) for j in robot.joints) / max(1, len(robot.joints))
