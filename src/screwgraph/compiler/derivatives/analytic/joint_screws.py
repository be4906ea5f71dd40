"""Screw axes of joints and their rates, in axes that a limb shares, for an observer of constant velocity.

The observer moves as the anchor's origin does at this instant; gravity is an acceleration of the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.body_moments import BodyMoments, compute_rest_moments
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import (
    compute_anchor_views,
    iterate_anchor_joints,
    transform_twist,
    transform_wrench,
)
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import ZERO, Pair, add_pairs, combine_pairs, lie_bracket
from screwgraph.model.robot import Robot


@dataclass(frozen=True)
class Screw:
    """A joint's screw axis S, its rate [ad V] S, and [ad A] S + [ad V]^2 S, which gravity makes of it, too."""

    axis: Pair
    rate: Pair
    second: Pair


@dataclass(frozen=True)
class Screws:
    """The screws of joints of one coordinate, and the bodies on their links, by link; all about one point a limb."""

    screws: Mapping[str, Screw]
    bodies: Mapping[str, BodyMoments]


def compute_screws(
    robot: Robot,
    moved: Mapping[str, LinkMotion],
    qd: np.ndarray,
    qdd: np.ndarray,
    outside: Mapping[str, Pair],
    anchors: Sequence[str],
) -> Screws:
    """Return screws and bodies, as the anchor of each limb of the base sees them.

    Args:
        robot: whose joints have one coordinate each.
        moved: the motions of links.
        qd: velocities (nv,).
        qdd: accelerations (nv,).
        outside: wrenches on links from outside, about their origins and in their axes, by link.
        anchors: one link of each limb of the base.
    """
    view = compute_anchor_views(robot, moved, anchors)
    axes = {name: transform_twist(motion.axes[0], *view[name][:2]) for name, motion in moved.items()}
    V = {name: (moved[name].omega, ZERO) for name in anchors}
    A = {name: moved[name].acceleration for name in anchors}
    found: dict[str, Screw] = {}
    for joint, outward in iterate_anchor_joints(robot, anchors):
        near, far = (joint.parent, joint.child) if outward else (joint.child, joint.parent)
        i, sign = robot.v_slices[joint.name].start, 1.0 if outward else -1.0
        found[joint.child] = screw = _screw(axes[joint.child], V[near], A[near])
        V[far] = add_pairs(V[near], combine_pairs([sign * qd[i]], [screw.axis]))
        A[far] = add_pairs(A[near], combine_pairs([sign * qdd[i], sign * qd[i]], [screw.axis, screw.rate]))
    for joint in robot.children(robot.links[0].name):
        found[joint.child] = _screw(axes[joint.child], V[joint.child], A[joint.child])
    bodies = dict[str, BodyMoments]()
    for name, (R, x, _) in view.items():
        there = transform_wrench(outside[name], R, x)
        bodies[name] = compute_rest_moments(robot.link(name).inertia).seen(R, x).moving(V[name], A[name], there)
    return Screws(found, bodies)


def _screw(axis: Pair, V: Pair, A: Pair) -> Screw:
    """Return a screw that the link on either side of the joint carries."""
    rate = lie_bracket(V, axis)
    return Screw(axis, rate, add_pairs(lie_bracket(A, axis), lie_bracket(V, rate)))
