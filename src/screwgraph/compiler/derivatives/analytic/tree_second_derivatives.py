"""Second derivatives of a tree's inverse dynamics, by triples of joints on one way to the base, on numbers of any kind.

A triple i, j, k, each carried by the one before it, has six mixed derivatives and three by positions. A torque is
d/dt dL/dqd_i - dL/dq_i, and d/dt commutes with d/dq: so differences of derivatives of two torques are derivatives of
generalised momenta, or their rates, and few products of screws with what hangs on joint k give all of them. Singh,
Russell & Wensing (2022, second-order derivatives) give a form of its own to each.

Screw axes of joints and their rates are those that an observer of constant velocity sees, in axes that a limb shares.
The observer moves as the anchor's origin does at this instant; gravity is an acceleration of the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.derivatives.analytic.body_moments import (
    BodyMoments,
    Coriolis,
    compute_coriolis,
    compute_rest_moments,
)
from screwgraph.compiler.derivatives.analytic.coordinate_wrenches import (
    compute_anchor_views,
    iterate_anchor_joints,
    list_limb_roots,
    transform_twist,
    transform_wrench,
)
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    ZERO,
    Matrix,
    Pair,
    Vector,
    add,
    add_matrices,
    add_pairs,
    combine_pairs,
    cross,
    cross_columns,
    dot,
    double_pair,
    lie_bracket,
    multiply_vector,
    outer,
    power,
    rate_of_wrench,
    scale,
    transpose,
)
from screwgraph.compiler.derivatives.analytic.symbolic_state import SymbolicState
from screwgraph.compiler.derivatives.analytic.tree_derivatives import shift_external_wrenches
from screwgraph.model.robot import Robot
from screwgraph.tape import Number
from screwgraph.tape.sparse_rows import subtract

Triples = Mapping[tuple[int, int, int], Number]
"""A sparse tensor: what is not there is zero."""


@dataclass(frozen=True)
class SecondDerivatives:
    """Second derivatives of the torques: (torque, first coordinate, second coordinate) -> value.

    `mass_by_q` are the derivatives of the mass matrix by positions: (row, column, coordinate) -> value.
    """

    by_q_q: Triples
    by_q_qd: Triples
    mass_by_q: Triples

    def entry(self, torque: int, first: tuple[str, int], second: tuple[str, int]) -> Number:
        """Return a derivative by two variables: a kind ("q", "qd" or "qdd") and a coordinate each."""
        (kind, a), (other, b) = first, second
        if (kind, other) == ("q", "q"):
            return self.by_q_q.get((torque, a, b), 0.0)
        if (kind, other) == ("q", "qd"):
            return self.by_q_qd.get((torque, a, b), 0.0)
        if (kind, other) == ("qd", "qd"):
            return self._mass(torque, a, b) + self._mass(torque, b, a) - self._mass(a, b, torque)
        if (kind, other) == ("q", "qdd"):
            return self._mass(torque, b, a)
        return self.entry(torque, second, first) if other == "q" else 0.0

    def _mass(self, row: int, column: int, by: int) -> Number:
        return self.mass_by_q.get((row, column, by), 0.0)


def compute_tree_second_derivatives(state: SymbolicState, anchors: Sequence[str] = ()) -> SecondDerivatives:
    """Return the second derivatives at a state; `tree_derivatives` describes the arguments.

    Joints have one coordinate each.
    """
    robot, qd, qdd = state.robot, state.vector("qd"), state.vector("qdd")
    outside = shift_external_wrenches(robot, state.wrenches)
    seen = compute_screws(robot, state.motions(), qd, qdd, outside, anchors or list_limb_roots(robot))
    place = {joint.child: robot.v_slices[joint.name].start for joint in robot.joints}
    found = _Found({}, {}, {})
    brackets: dict[tuple[str, str], Pair] = {}
    for name, subtree in compute_subtrees(robot, seen).items():
        path = sorted((joint.child for joint in robot.joints_to_base(name)), key=place.__getitem__)
        carriers = [_carrier(place[other], seen.screws[other], subtree) for other in path]
        for y, b in enumerate(carriers):
            for x, a in enumerate(carriers[:y]):
                pair = path[x], path[y]
                if pair not in brackets:
                    brackets[pair] = lie_bracket(a.screw.axis, b.screw.axis)
                found.add_pair(a, b, place[name], subtree, brackets[pair])
            found.add_own(b, place[name])
    return SecondDerivatives(found.by_q_q, found.by_q_qd, found.mass_by_q)


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


@dataclass(frozen=True)
class _Carrier:
    """A joint and one that hangs on it: what their subtree takes along the carrier's screw.

    `inertia` is the derivative of G S by the position of the joint that hangs on it; `own`, `change` and `late` are
    halves of what is felt of the subtree's Coriolis parts `own` and `change`, and of `change` less the rate of `own`.
    """

    place: int
    screw: Screw
    inertia: Pair
    own: Vector
    change: Vector
    late: Vector

    def by_q(self, other: Screw) -> Number:
        """Return what a position of another carrier and the joint's own make of this torque."""
        return power(other.second, self.inertia) + dot(self.change, scale(2.0, other.rate[0]))

    def by_qd(self, other: Screw) -> Number:
        """Return what the rate of another carrier and the joint's position make of this torque."""
        return power(double_pair(other.rate), self.inertia) + dot(self.change, scale(2.0, other.axis[0]))

    def late_by_q(self, other: Screw) -> Number:
        """Return what positions of two carriers make of the torque of the joint that hangs on them."""
        by_rate = dot(self.late, scale(2.0, other.rate[0])) - dot(self.own, scale(2.0, other.second[0]))
        return power(other.second, self.inertia) + by_rate


def _carrier(place: int, screw: Screw, subtree: Subtree) -> _Carrier:
    own, change = subtree.own.felt(screw.axis), subtree.change.felt(screw.axis)
    late = subtract(cross(subtree.delay, screw.axis[0]), subtree.own.felt(screw.rate))
    return _Carrier(place, screw, subtree.inertia_change(screw.axis), own, change, late)


@dataclass(frozen=True)
class _Found:
    """Tensors computed so far."""

    by_q_q: dict[tuple[int, int, int], Number]
    by_q_qd: dict[tuple[int, int, int], Number]
    mass_by_q: dict[tuple[int, int, int], Number]

    def add_own(self, b: _Carrier, k: int) -> None:
        """Add the derivatives of which two are by, or of, the same carrier of joint k."""
        j, screw = b.place, b.screw
        self._add_q(j, j, k, b.by_q(screw))
        if j != k:
            self._add_mass(j, j, k, power(screw.axis, b.inertia))
            self._add_q(k, j, j, b.late_by_q(screw))
            turning = dot(b.own, scale(2.0, screw.rate[0]))
            self.by_q_qd[j, j, k], self.by_q_qd[k, j, j] = turning, -turning
            self.by_q_qd[j, k, j] = b.by_qd(screw)

    def add_pair(self, a: _Carrier, b: _Carrier, k: int, subtree: Subtree, crossed: Pair) -> None:
        """Add those by, and of, joint k, a carrier b of it, or itself, and a carrier a of both."""
        i, j = a.place, b.place
        self._add_mass(i, k, j, power(crossed, subtree.by_qdd))
        self._add_q(j, i, k, b.by_q(a.screw))
        self._add_q(i, j, k, power(crossed, subtree.by_q) + a.by_q(b.screw))
        near = power(crossed, subtree.by_qd) + dot(a.own, scale(2.0, b.screw.rate[0]))
        middle = b.by_qd(a.screw)
        self.by_q_qd[i, j, k], self.by_q_qd[j, k, i] = near, middle
        if j != k:
            self._add_mass(i, j, k, power(a.screw.axis, b.inertia))
            self._add_q(k, i, j, b.late_by_q(a.screw))
            turning = dot(b.own, scale(2.0, a.screw.rate[0]))
            self.by_q_qd[j, i, k], self.by_q_qd[k, i, j] = turning, -turning
            self.by_q_qd[i, k, j] = far = a.by_qd(b.screw)
            self.by_q_qd[k, j, i] = (near - far) + (middle - 2.0 * turning)

    def _add_q(self, torque: int, a: int, b: int, value: Number) -> None:
        self.by_q_q[torque, a, b] = self.by_q_q[torque, b, a] = value

    def _add_mass(self, row: int, column: int, by: int, value: Number) -> None:
        self.mass_by_q[row, column, by] = self.mass_by_q[column, row, by] = value


# What hangs on a joint, and how it changes with the joint's position, in axes that a limb shares.


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
