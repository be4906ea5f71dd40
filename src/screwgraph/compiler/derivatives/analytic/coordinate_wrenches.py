"""What each joint coordinate does to all that hangs on its joint, in its link's frame or in a frame for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.derivatives.analytic.body_moments import BodyMoments
from screwgraph.compiler.derivatives.analytic.link_motion import LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    EYE,
    ZERO,
    Matrix,
    Pair,
    Vector,
    add,
    add_pairs,
    cross,
    multiply_matrices,
    multiply_vector,
    rate_of_wrench,
    scale,
    transpose,
)
from screwgraph.model.robot import Joint, Robot
from screwgraph.tape import Number
from screwgraph.tape.sparse_rows import subtract


@dataclass(frozen=True)
class CoordinateWrenches:
    """One column of a joint, and the wrenches on all that hangs on the joint, by its acceleration, rate and position.

    `axis`, `carried`, `rate` and `second` are those of `LinkMotion`; `felt` is `Body.felt_coriolis`.
    """

    axis: Pair
    carried: Vector
    rate: Pair
    second: Pair
    by_qdd: Pair
    by_qd: Pair
    by_q: Pair
    felt: Vector

    def seen(self, R: Matrix, x: Vector, v: Vector) -> CoordinateWrenches:
        """Return the same in axes that R turns its own into, where its origin is at x and moves at v."""
        carried, axis = multiply_vector(R, self.carried), transform_twist(self.axis, R, x)
        rate, second = transform_twist(self.rate, R, x), transform_twist(self.second, R, x)
        by_qdd, by_qd, by_q = (transform_wrench(w, R, x) for w in (self.by_qdd, self.by_qd, self.by_q))
        return CoordinateWrenches(
            axis,
            carried,
            (rate[0], add(rate[1], scale(2.0, cross(v, axis[0])))),
            (second[0], add(second[1], scale(2.0, cross(v, carried)))),
            by_qdd,
            by_qd,
            by_q,
            add(multiply_vector(R, self.felt), scale(2.0, cross(v, by_qdd[1]))),
        )

    def effort_by_q(self, other: CoordinateWrenches) -> Number:
        """Return the derivative of this coordinate's torque by the position of a carrying one, or its own."""
        return _power(other.second, self.by_qdd, other.carried, self.felt)

    def effort_by_qd(self, other: CoordinateWrenches) -> Number:
        """Return the derivative of this coordinate's torque by the rate of a carrying one, or its own."""
        return _power(other.rate, self.by_qdd, other.axis[0], self.felt)


def compute_coordinate_wrenches(moved: LinkMotion, whole: BodyMoments) -> list[CoordinateWrenches]:
    """Return the coordinates of a joint in its link's frame; `whole` is all that hangs on it."""
    found = []
    for S, carried, rate, second in zip(moved.axes, moved.carried, moved.rates, moved.accelerations, strict=True):
        found.append(
            CoordinateWrenches(
                S,
                carried[0],
                rate,
                second,
                whole.inertia_times(S),
                add_pairs(whole.inertia_times(rate), whole.coriolis(S[0])),
                add_pairs(whole.inertia_times(second), whole.coriolis(carried[0]), rate_of_wrench(S, whole.wrench)),
                whole.felt_coriolis(S),
            )
        )
    return found


def list_limb_roots(robot: Robot) -> list[str]:
    """Return the first link of each limb of the base."""
    return [joint.child for joint in robot.children(robot.links[0].name)]


def compute_anchor_views(
    robot: Robot, moved: Mapping[str, LinkMotion], anchors: Sequence[str]
) -> Mapping[str, tuple[Matrix, Vector, Vector]]:
    """Return how links are seen from the anchor of their limb of the base: axes R, origin x, and its velocity v."""
    found: dict[str, tuple[Matrix, Vector, Vector]] = dict.fromkeys(anchors, (EYE, ZERO, ZERO))
    for joint, outward in iterate_anchor_joints(robot, anchors):
        motion = moved[joint.child]
        if outward:
            R, x, v = found[joint.parent]
            turned = multiply_matrices(R, *motion.turn.rotations)
            view = turned, add(x, multiply_vector(R, motion.turn.origin)), add(v, multiply_vector(turned, motion.drift))
            found[joint.child] = view
        else:
            R, x, v = found[joint.child]
            turned = multiply_matrices(R, *map(transpose, reversed(motion.turn.rotations)))
            view = (
                turned,
                subtract(x, multiply_vector(turned, motion.turn.origin)),
                subtract(v, multiply_vector(R, motion.drift)),
            )
            found[joint.parent] = view
    return found


def iterate_anchor_joints(robot: Robot, anchors: Sequence[str]) -> Iterator[tuple[Joint, bool]]:
    """Yield the joints that lead from anchors to all other links but the base; whether they lead to their children."""
    beside: dict[str, list[Joint]] = {link.name: [] for link in robot.links}
    for joint in robot.joints:
        beside[joint.parent].append(joint)
        beside[joint.child].append(joint)
    found, stack = {robot.links[0].name, *anchors}, list(anchors)
    while stack:
        name = stack.pop()
        for joint in beside[name]:
            outward = joint.parent == name
            there = joint.child if outward else joint.parent
            if there not in found:
                found.add(there)
                stack.append(there)
                yield joint, outward


def transform_twist(twist: Pair, R: Matrix, x: Vector) -> Pair:
    """Return a twist in axes that R turns its own into, about the point from which its origin is at x."""
    omega = multiply_vector(R, twist[0])
    return omega, add(multiply_vector(R, twist[1]), cross(x, omega))


def transform_wrench(wrench: Pair, R: Matrix, x: Vector) -> Pair:
    """Return a wrench in the same axes, about the same point."""
    force = multiply_vector(R, wrench[1])
    return add(multiply_vector(R, wrench[0]), cross(x, force)), force


def _power(twist: Pair, wrench: Pair, omega: Vector, felt: Vector) -> Number:
    total = twist[0][0] * wrench[0][0]
    pairs = [*zip(twist[0][1:], wrench[0][1:], strict=True), *zip(twist[1], wrench[1], strict=True)]
    for a, b in (*pairs, *zip(omega, felt, strict=True)):
        total = total + a * b
    return total
