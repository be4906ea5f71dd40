"""Derivatives of a tree's inverse dynamics, joint pair by joint pair, on numbers of any kind.

What hangs on a joint is one body with moments of mass, momentum and wrench (`BodyMoments`). A joint nearer to the base
that accelerates moves it as a whole; one that turns at some rate adds 2 omega x u, Coriolis' acceleration, to each of
its particles. So the derivative for a pair of joints is one product of 6-vectors, and one of 3-vectors. Singh, Russell
& Wensing (2022), eqs. (24)-(33), in which the 6x6 Coriolis matrices stand for `flow` and `momentum`; Carpentier &
Mansard (2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.body_moments import BodyMoments, compute_body_moments
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import (
    CoordinateWrenches,
    compute_anchor_views,
    compute_coordinate_wrenches,
    list_limb_roots,
)
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    NOTHING,
    Pair,
    add,
    add_pairs,
    cross,
    multiply_vector,
    power,
)
from screwgraph.compiler.derivatives.analytic.symbolic_state import SymbolicState
from screwgraph.model.robot import Frame, Robot
from screwgraph.spatial import rotation, translation
from screwgraph.tape import Number

Entries = Mapping[tuple[int, int], Number]
"""A sparse matrix: what is not there is zero."""


@dataclass(frozen=True)
class TreeDerivatives:
    """Derivatives of the torques by q (its tangent coordinates), qd and qdd: (torque, coordinate) -> value."""

    by_q: Entries
    by_qd: Entries
    by_qdd: Entries


def compute_tree_derivatives(state: SymbolicState, anchors: Sequence[str] = ()) -> TreeDerivatives:
    """Return the derivatives at a state.

    Args:
        state: q, qd, qdd and external wrenches are known. The robot has no loops, and all screw axes are constant;
            products of inertia and masses may be regrouped.
        anchors: the links in whose axes pairs of joints meet, one for each limb of the base; by default its first.
    """
    robot = state.robot
    own, seen = compute_tree_coordinates(robot, state.motions(), state.wrenches, anchors)
    by_q: dict[tuple[int, int], Number] = {}
    by_qd: dict[tuple[int, int], Number] = {}
    by_qdd: dict[tuple[int, int], Number] = {}
    for joint in robot.joints:
        for nearer in robot.joints_to_base(joint.child):
            alike = own if nearer is joint else seen
            for i, a in enumerate(alike[joint.child], robot.v_slices[joint.name].start):
                for j, b in enumerate(alike[nearer.child], robot.v_slices[nearer.name].start):
                    by_q[i, j], by_qd[i, j] = a.effort_by_q(b), a.effort_by_qd(b)
                    by_qdd[i, j] = by_qdd[j, i] = power(b.axis, a.by_qdd)
                    if nearer is not joint:
                        by_q[j, i], by_qd[j, i] = power(b.axis, a.by_q), power(b.axis, a.by_qd)
        armatures = joint.armature * np.ones(joint.type.nv)
        for i, armature in enumerate(armatures, robot.v_slices[joint.name].start):
            by_qdd[i, i] = by_qdd[i, i] + armature
            by_qd[i, i] = by_qd[i, i] + joint.damping
    return TreeDerivatives(by_q, by_qd, by_qdd)


def compute_tree_coordinates(
    robot: Robot,
    moved: Mapping[str, LinkMotion],
    external_wrenches: Mapping[str, Pair] | None = None,
    anchors: Sequence[str] = (),
) -> tuple[Mapping[str, Sequence[CoordinateWrenches]], Mapping[str, Sequence[CoordinateWrenches]]]:
    """Return the coordinates of each joint, by its link: in its own frame, and as an anchor of its limb sees it."""
    wholes = accumulate_bodies(robot, moved, external_wrenches or {})
    own = {name: compute_coordinate_wrenches(motion, wholes[name]) for name, motion in moved.items()}
    view = compute_anchor_views(robot, moved, anchors or list_limb_roots(robot))
    return own, {name: [c.seen(*view[name]) for c in columns] for name, columns in own.items()}


def accumulate_bodies(
    robot: Robot, moved: Mapping[str, LinkMotion], external_wrenches: Mapping[str, Pair]
) -> Mapping[str, BodyMoments]:
    """Return all that hangs on each joint as one body, by the name of the joint's link."""
    outside = shift_external_wrenches(robot, external_wrenches)
    whole = {
        name: compute_body_moments(robot.link(name).inertia, motion, outside[name]) for name, motion in moved.items()
    }
    for joint in reversed(robot.joints):
        if joint.parent in whole:
            whole[joint.parent] = whole[joint.parent] + whole[joint.child].on_parent(moved[joint.child])
    return whole


def shift_external_wrenches(robot: Robot, external_wrenches: Mapping[str, Pair]) -> Mapping[str, Pair]:
    """Return wrenches on all links but the base, about their origins, of wrenches on frames."""
    outside = {link.name: NOTHING for link in robot.links[1:]}
    for name, wrench in external_wrenches.items():
        frame = robot.frame(name)
        if frame.link in outside:
            outside[frame.link] = add_pairs(outside[frame.link], _at_link(frame, wrench))
    return outside


def _at_link(frame: Frame, wrench: Pair) -> Pair:
    """Return a wrench at a frame as one at its link's origin."""
    R, p = rotation(frame.T_lf).tolist(), translation(frame.T_lf).tolist()
    force = multiply_vector(R, wrench[1])
    return add(multiply_vector(R, wrench[0]), cross(p, force)), force
