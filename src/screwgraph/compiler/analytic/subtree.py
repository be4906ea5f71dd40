"""What hangs on a joint, and how it changes with the joint's position, in axes that a limb shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from screwgraph.compiler.analytic.body_moments import BodyMoments
from screwgraph.compiler.analytic.coriolis import Coriolis, compute_coriolis
from screwgraph.compiler.analytic.joint_screws import Screw, Screws
from screwgraph.compiler.analytic.sparse_vectors import (
    Matrix,
    Pair,
    Vector,
    add,
    add_matrices,
    add_pairs,
    cross,
    cross_columns,
    double_pair,
    multiply_vector,
    outer,
    rate_of_wrench,
    scale,
    transpose,
)
from screwgraph.model.robot import Robot


@dataclass(frozen=True)
class Subtree:
    """Wrenches on all that hangs on a joint, and derivatives of its inertia by the joint's position.

    `by_qdd`, `by_qd` and `by_q` are the wrenches by the joint's acceleration, rate and position, with which it turns.
    `own` is Coriolis' part of a motion along the joint's screw, `change` the derivative of that of the body's motion;
    `rotational` is the derivative of the rotational inertia. `delay` is the vector c by which `change` is ahead of
    the rate of `own`: their wrenches differ by the moment c x omega.
    """

    by_qdd: Pair
    by_qd: Pair
    by_q: Pair
    own: Coriolis
    change: Coriolis
    rotational: Matrix
    delay: Vector

    def inertia_change(self, twist: Pair) -> Pair:
        """Return the derivative of the wrench G A for an acceleration A."""
        alpha, a = twist
        momentum = self.own.momentum  # of a unit rate: the derivative of the first moment
        return add(multiply_vector(self.rotational, alpha), cross(momentum, a)), cross(alpha, momentum)


def compute_subtrees(robot: Robot, seen: Screws) -> Mapping[str, Subtree]:
    """Return what hangs on each joint, by the name of the joint's link."""
    whole = dict(seen.bodies)
    for joint in reversed(robot.joints):
        if joint.parent in whole:
            whole[joint.parent] = whole[joint.parent] + whole[joint.child]
    return {name: _subtree(body, seen.screws[name]) for name, body in whole.items()}


def _subtree(body: BodyMoments, screw: Screw) -> Subtree:
    (s, m), (omega, v) = screw.axis, screw.rate
    by_qdd = body.inertia_times(screw.axis)
    by_qd = add_pairs(body.inertia_times(double_pair(screw.rate)), body.coriolis(s))
    by_q = add_pairs(body.inertia_times(screw.second), body.coriolis(omega), rate_of_wrench(screw.axis, body.wrench))
    own = compute_coriolis(add_matrices(cross_columns(s, body.second), outer(m, body.first)), by_qdd[1])
    # Particles of velocities u move along the screw, and u turns with it.
    swept = add_matrices(transpose(cross_columns(s, transpose(body.flow))), outer(body.momentum, m))
    turned = add_matrices(cross_columns(omega, body.second), outer(v, body.first), cross_columns(s, body.flow))
    momentum = add(cross(s, body.momentum), scale(body.mass, v), cross(omega, body.first))
    return Subtree(
        by_qdd,
        by_qd,
        by_q,
        own,
        compute_coriolis(add_matrices(turned, swept), momentum),
        add_matrices(own.spread, transpose(own.spread)),
        [swept[j][i] - swept[i][j] for i, j in ((1, 2), (2, 0), (0, 1))],
    )
