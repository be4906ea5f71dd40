"""Curves on the manifold of a robot's positions: velocities of coordinates that move, and of displaced curves."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.model.robot import Joint, Robot
from screwgraph.spatial import Array, ad, skew
from screwgraph.spatial.manifolds import FloatingPose, Manifold, UnitQuaternion
from screwgraph.tape import Number

TERMS = 10
"""Of the series of a displacement's exponential: 3e-8 at 1 rad, 1e-13 at 0.3 rad."""

SMALL = 1e-3
"""Part of a curve's scale over which values of manifolds are differenced: errors are some 1e-10."""

Motion = tuple[Float[np.ndarray, "N nq"], Float[np.ndarray, "N nv"], Float[np.ndarray, "N nv"]]
"""Positions, velocities and accelerations at N times."""


def normalise_quaternions(robot: Robot, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
    """Return positions that are on their manifold: quaternions have the length 1."""
    q = q.copy()
    for at in robot.manifold.quaternions:
        q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1)[:, None]
    for joint in robot.joints:
        if _is_curved(joint):
            own = robot.q_slices[joint.name]
            q[:, own] = [joint.type.manifold.normalise(x) for x in q[:, own]]
    return q


def lift_motion(robot: Robot, s: Float[np.ndarray, "N nq"], s1: np.ndarray, s2: np.ndarray) -> Motion:
    """Return the motion of coordinates s(t) with derivatives s1 and s2, whose quaternions need not be unit.

    Of x(t) the body's angular velocity is 2 vec(x* x1) / |x|^2. Lynch & Park, appendix B.3. Values of other manifolds
    are differenced along the curve.
    """
    q, qd, qdd = normalise_quaternions(robot, s), *np.zeros((2, len(s), robot.nv))
    for joint in robot.joints:
        at, own = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if _is_curved(joint):
            pairs = [
                _differentiate_twice(joint.type.manifold, *x) for x in zip(s[:, at], s1[:, at], s2[:, at], strict=True)
            ]
            qd[:, own], qdd[:, own] = (np.array(x).reshape(len(s), -1) for x in zip(*pairs, strict=True))
            continue
        if joint.type.nq == joint.type.nv:
            qd[:, own], qdd[:, own] = s1[:, at], s2[:, at]
            continue
        x, x1, x2 = (a[:, at.stop - 4 : at.stop] for a in (s, s1, s2))
        square = (x * x).sum(axis=1)[:, None]
        w = 2.0 / square * _relative(x, x1)
        wd = 2.0 / square * (_relative(x, x2) - (x * x1).sum(axis=1)[:, None] * w)
        turn = slice(own.start, own.start + 3)
        qd[:, turn], qdd[:, turn] = w, wd
        if joint.has_pose:
            turned, place, shift = x / np.sqrt(square), slice(at.start, at.start + 3), slice(own.start + 3, own.stop)
            qd[:, shift] = _turned_back(turned, s1[:, place])
            qdd[:, shift] = _turned_back(turned, s2[:, place]) - np.cross(w, qd[:, shift])
    return q, qd, qdd


def is_displaced(joint: Joint) -> bool:
    """Whether code displaces a joint's motions: those of one coordinate, vectors, and quaternions."""
    return not _is_curved(joint) or joint.type.nv == 1


def _is_curved(joint: Joint) -> bool:
    """Whether a joint's positions are neither a vector whose rate is qd, nor those of a ball or a floating base."""
    return joint.type.nq != joint.type.nv and not isinstance(joint.type.manifold, FloatingPose | UnitQuaternion)


def _differentiate_twice(
    manifold: Manifold, s: Float[np.ndarray, " nq"], s1: Float[np.ndarray, " nq"], s2: Float[np.ndarray, " nq"]
) -> tuple[Float[np.ndarray, " nv"], Float[np.ndarray, " nv"]]:
    """Return velocity and acceleration of the value that is nearest to a curve: differences of order 4."""
    h = SMALL / max(1.0, float(np.abs(s1).max(initial=0.0)), float(np.sqrt(np.abs(s2).max(initial=0.0))))
    x = manifold.normalise(s)
    steps = [-2.0 * h, -h, h, 2.0 * h]
    near = [manifold.difference(x, manifold.normalise(s + k * s1 + 0.5 * k * k * s2)) for k in steps]
    a, b, c, d = (np.asarray(y, dtype=float) for y in near)
    # Five-point formulas; the value in the middle is zero.
    return (8.0 * (c - b) - (d - a)) / (12.0 * h), (16.0 * (b + c) - (a + d)) / (12.0 * h * h)


def compile_displacement(robot: Robot) -> Function:
    """Return the motion q exp(d) as code: q, qd, qdd, and displacements d(t) (..., nv) with two derivatives, to three.

    Of twists it is V+ = Ad(exp(-d)) V + J(d) d1, J the right Jacobian: series of brackets. Chirikjian (2011), ch. 10.
    """

    def expression(q: Array, qd: Array, qdd: Array, d: Array, d1: Array, d2: Array) -> list[Number]:
        velocity, acceleration = qd + d1, qdd + d2
        for joint in robot.joints:
            if joint.type.nq != joint.type.nv and not _is_curved(joint):
                own = robot.v_slices[joint.name]
                velocity[own], acceleration[own] = _displace_motion(*(x[own] for x in (qd, qdd, d, d1, d2)))
        return [*robot.manifold.retract(q, d), *velocity, *acceleration]

    sizes = {"qd": robot.nv, "qdd": robot.nv, "dq": robot.nv, "dqd": robot.nv, "dqdd": robot.nv}
    arguments = (position_argument("q", robot), *(make_numbered_argument(name, size) for name, size in sizes.items()))
    results = tuple(Result(a.name, a.shape, a.names) for a in arguments[:3])
    question = tuple(joint.type.manifold for joint in robot.joints)
    return compile_expression("displaced", question, arguments, expression, results=results, branches=True)


def _displace_motion(V: Array, Vd: Array, d: Array, d1: Array, d2: Array) -> tuple[Array, Array]:
    by, rate_by = (ad(x) if len(x) == 6 else skew(x) for x in (d, d1))
    # Ad(exp(-d)) V = sum (-ad d)^k V / k!, J(d) d1 = sum (-ad d)^k d1 / (k + 1)!; `own` is the rate of each term.
    found, rate = V + d1, Vd + d2
    for first, first_rate, late in ((V, Vd, 0), (d1, d2, 1)):
        term, own = first, first_rate
        for k in range(1, TERMS + 1):
            own = (rate_by @ term + by @ own) * (-1.0 / (k + late))
            term = (by @ term) * (-1.0 / (k + late))
            found, rate = found + term, rate + own
    return found, rate


def _relative(x: Float[np.ndarray, "N 4"], y: Float[np.ndarray, "N 4"]) -> Float[np.ndarray, "N 3"]:
    """Return the vector part of x* y."""
    return x[:, 3:] * y[:, :3] - y[:, 3:] * x[:, :3] - np.cross(x[:, :3], y[:, :3])


def _turned_back(x: Float[np.ndarray, "N 4"], p: Float[np.ndarray, "N 3"]) -> Float[np.ndarray, "N 3"]:
    """Return vectors p in the axes of the body, R' p."""
    once = np.cross(p, x[:, :3])
    return p + 2.0 * x[:, 3:] * once + 2.0 * np.cross(once, x[:, :3])
