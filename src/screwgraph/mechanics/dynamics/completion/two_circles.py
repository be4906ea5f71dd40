"""Two joints of a planar loop that a pin closes: the intersection of two circles, or of a circle and a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.completion.base import square_root
from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.model.robot import chain_of, is_planar
from screwgraph.spatial import Array, atan2, choose, cos, sin, translation
from screwgraph.tape import Number


class _Point(NamedTuple):
    """A point of the plane, or a complex number."""

    x: Number
    y: Number

    def plus(self, other: _Point) -> _Point:
        return _Point(self.x + other.x, self.y + other.y)

    def less(self, other: _Point) -> _Point:
        return _Point(self.x - other.x, self.y - other.y)

    def times(self, other: _Point) -> _Point:
        return _Point(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    def scale(self, factor: Number) -> _Point:
        return _Point(factor * self.x, factor * self.y)

    @property
    def conjugate(self) -> _Point:
        return _Point(self.x, -self.y)

    @property
    def squared_length(self) -> Number:
        return self.x * self.x + self.y * self.y


class _Arm(NamedTuple):
    """One side of the loop, seen from the link between both joints: a pin carried by a joint of sign +-1.

    Of a joint that turns, `axis` is where; of one that slides, `axis` is the direction (unit).
    """

    place: int
    turns: bool
    sign: float
    axis: _Point
    pin: _Point


@dataclass(frozen=True, eq=False)
class TwoCircles:
    """The positions of two joints of a planar loop: of both solutions the one on whose side the guess is.

    `normal` (unit) is across the plane, in the frame of the loop joint's successor; `signs` say which way the joints
    turn about it.
    """

    __repr__ = one_line
    takes_guess = True

    block: Block
    normal: Float[np.ndarray, "3"]
    signs: tuple[float, float]

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's two coordinates filled in."""
        first, second = self._arms(q)
        at = q.copy()
        if first.turns and second.turns:
            at[first.place], at[second.place] = _two_turns(first, second, guess)
        elif first.turns:
            at[first.place], at[second.place] = _turn_and_slide(first, second, guess)
        else:
            at[second.place], at[first.place] = _turn_and_slide(second, first, guess)
        return at

    def _arms(self, q: Array) -> tuple[_Arm, _Arm]:
        """Return both sides where the two joints stand at zero."""
        robot, (loop,) = self.block.robot, self.block.part[0].loops
        chain, zero = chain_of(robot, loop), q.copy()
        zero[self.block.places] = 0.0
        around = [zero[robot.q_slices[joint.name]] for joint in chain.joints]
        poses = chain.poses(around)
        screws = chain.screws(around, poses)
        pins = (self._seen(translation(poses[0] @ loop.T_pf)), _Point(0.0, 0.0))
        arms, column = [], 0
        for joint in chain.joints:
            start = robot.v_slices[joint.name].start
            if start in self.block.coordinates:
                turns, screw = joint.turning_axis is not None, screws[:, column]
                where = np.cross(screw[:3], screw[3:]) if turns else screw[3:]
                side = len(arms)
                sign = (-1.0 if side == 0 else 1.0) * (self.signs[side] if turns else 1.0)
                arms.append(_Arm(robot.q_slices[joint.name].start, turns, sign, self._seen(where), pins[side]))
            column += joint.type.nv
        return arms[0], arms[1]

    def _seen(self, p: Array) -> _Point:
        """Return a vector's components in the plane."""
        e = _perpendicular_axes(self.normal)
        x, y = (sum(a * b for a, b in zip(axis.tolist(), p, strict=True) if a) for axis in e)
        return _Point(x, y)


def _two_turns(first: _Arm, second: _Arm, guess: Array) -> tuple[Number, Number]:
    """Solve A + e^(i alpha) w = B + e^(i beta) v for both angles."""
    # e^(i alpha) w = d + e^(i beta) v; squared lengths give Re(g e^(i beta)) = k, so g e^(i beta) = k + i h.
    d, v, w = second.axis.less(first.axis), second.pin.less(second.axis), first.pin.less(first.axis)
    g, k = d.conjugate.times(v), 0.5 * (w.squared_length - d.squared_length - v.squared_length)
    near = _direction_at_guess(second, guess)
    h = _signed_root(near.times(g).y, g.squared_length - k * k)
    beta = _Point(k, h).times(g.conjugate)  # e^(i beta) |g|^2
    alpha = d.plus(_Point(k, h).times(d).scale(1.0 / d.squared_length)).times(w.conjugate)
    return _angle(first, alpha, guess), _angle(second, beta, guess)


def _turn_and_slide(turning: _Arm, sliding: _Arm, guess: Array) -> tuple[Number, Number]:
    """Solve A + e^(i alpha) w = P + x e for the angle and the displacement."""
    w, D = turning.pin.less(turning.axis), sliding.pin.less(turning.axis)
    e = sliding.axis.scale(sliding.sign)
    # |D + x e|^2 = |w|^2 with |e| = 1 is a quadratic equation in x + m.
    m = e.x * D.x + e.y * D.y
    x = _signed_root(guess[sliding.place] + m, m * m - D.squared_length + w.squared_length) - m
    return _angle(turning, D.plus(e.scale(x)).times(w.conjugate), guess), x


def _signed_root(like: Number, square: Number) -> Number:
    """Return the root that has the sign of a number."""
    return choose(like < 0.0, -1.0, 1.0) * square_root(square)


def _direction_at_guess(arm: _Arm, guess: Array) -> _Point:
    """Return e^(i angle) of an arm at the guess."""
    angle = arm.sign * guess[arm.place]
    return _Point(cos(angle), sin(angle))


def _angle(arm: _Arm, direction: _Point, guess: Array) -> Number:
    """Return the joint's position where its arm has turned into a direction: the turn nearest to the guess."""
    turn = direction.times(_direction_at_guess(arm, guess).conjugate)
    return guess[arm.place] + arm.sign * atan2(turn.y, turn.x)


def _perpendicular_axes(normal: Float[np.ndarray, "3"]) -> Float[np.ndarray, "2 3"]:
    """Return two unit vectors that are right-handed with a normal."""
    first = np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3]
    first = first - (first @ normal) * normal
    first = first / np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def match_two_circles(block: Block) -> TwoCircles | None:
    """Return how two joints of a planar loop are found that a pin closes; None for other blocks."""
    robot, part = block.robot, block.part[0]
    if len(block.coordinates) != 2 or len(part.loops) != 1 or part.couplings or not is_planar(robot, part.loops[0]):
        return None
    (loop,) = part.loops
    chain, q = chain_of(robot, loop), robot.mobility.states[0]
    own = [j for j in chain.joints if robot.v_slices[j.name].start in block.coordinates]
    if len(own) != 2 or any(joint.turning_axis is None and joint.sliding_axis is None for joint in own):
        return None
    around = [q[robot.q_slices[joint.name]] for joint in chain.joints]
    screws = chain.screws(around, chain.poses(around))
    starts = dict(zip([j.name for j in chain.joints], np.cumsum([0, *(j.type.nv for j in chain.joints)]), strict=False))
    turns = screws[:3]
    normal = turns[:, int(np.argmax(np.linalg.norm(turns, axis=0)))]
    normal = normal / np.linalg.norm(normal)
    W = np.asarray(loop.type.constraint_wrenches(loop.type.manifold.identity()), dtype=float)
    if not chain.holds_its_point or np.abs(normal @ W[:3]).max(initial=0.0) > 1e-9:
        return None
    first, second = (float(np.sign(normal @ turns[:, starts[joint.name]])) for joint in own)
    return TwoCircles(block, normal, (first, second)) if first or second else None
