"""Curves on the manifold of a robot's positions: velocities of coordinates that move, and of displaced curves."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function, Result, compile_expression, numbered
from screwgraph.kinematics.manifold import positions
from screwgraph.robot import Robot
from screwgraph.robot.joints import Floating
from screwgraph.spatial import Array, ad, skew
from screwgraph.tape import Number

TERMS = 10
"""Of the series of a displacement's exponential: 3e-8 at 1 rad, 1e-13 at 0.3 rad."""

Motion = tuple[Float[np.ndarray, "N nq"], Float[np.ndarray, "N nv"], Float[np.ndarray, "N nv"]]
"""Positions, velocities and accelerations at N times."""


def continued(robot: Robot, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
    """Return positions whose quaternions do not change their sign from sample to sample."""
    q = q.copy()
    for joint in robot.joints:
        if joint.type.nq > joint.type.nv:
            end = robot.q_slices[joint.name].stop
            four = q[:, end - 4 : end]
            sign = np.where((four[1:] * four[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
            four[1:] *= np.cumprod(sign)[:, None]
    return q


def unit(robot: Robot, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
    """Return positions whose quaternions have the length 1."""
    q = q.copy()
    for joint in robot.joints:
        if joint.type.nq > joint.type.nv:
            end = robot.q_slices[joint.name].stop
            q[:, end - 4 : end] /= np.linalg.norm(q[:, end - 4 : end], axis=1)[:, None]
    return q


def lifted(robot: Robot, s: Float[np.ndarray, "N nq"], s1: np.ndarray, s2: np.ndarray) -> Motion:
    """Return the motion of coordinates s(t) with derivatives s1 and s2, whose quaternions need not be unit.

    Of x(t) the body's angular velocity is 2 vec(x* x1) / |x|^2. Lynch & Park, appendix B.3.
    """
    q, qd, qdd = unit(robot, s), *np.zeros((2, len(s), robot.nv))
    for joint in robot.joints:
        at, own = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type.nq == joint.type.nv:
            qd[:, own], qdd[:, own] = s1[:, at], s2[:, at]
            continue
        x, x1, x2 = (a[:, at.stop - 4 : at.stop] for a in (s, s1, s2))
        square = (x * x).sum(axis=1)[:, None]
        w = 2.0 / square * _relative(x, x1)
        wd = 2.0 / square * (_relative(x, x2) - (x * x1).sum(axis=1)[:, None] * w)
        turn = slice(own.start, own.start + 3)
        qd[:, turn], qdd[:, turn] = w, wd
        if isinstance(joint.type, Floating):
            turned, place, shift = x / np.sqrt(square), slice(at.start, at.start + 3), slice(own.start + 3, own.stop)
            qd[:, shift] = _turned_back(turned, s1[:, place])
            qdd[:, shift] = _turned_back(turned, s2[:, place]) - np.cross(w, qd[:, shift])
    return q, qd, qdd


def displaced(robot: Robot) -> Function:
    """Return the motion q exp(d) as code: q, qd, qdd, and displacements d(t) (..., nv) with two derivatives, to three.

    Of twists it is V+ = Ad(exp(-d)) V + J(d) d1, J the right Jacobian: series of brackets. Chirikjian (2011), ch. 10.
    """

    def expression(q: Array, qd: Array, qdd: Array, d: Array, d1: Array, d2: Array) -> list[Number]:
        velocity, acceleration = qd + d1, qdd + d2
        for joint in robot.joints:
            if joint.type.nq > joint.type.nv:
                own = robot.v_slices[joint.name]
                velocity[own], acceleration[own] = _displaced(*(x[own] for x in (qd, qdd, d, d1, d2)))
        return [*robot.manifold.retract(q, d), *velocity, *acceleration]

    sizes = {"qd": robot.nv, "qdd": robot.nv, "dq": robot.nv, "dqd": robot.nv, "dqdd": robot.nv}
    arguments = (positions("q", robot), *(numbered(name, size) for name, size in sizes.items()))
    results = tuple(Result(a.name, a.shape, a.names) for a in arguments[:3])
    question = tuple(joint.type.manifold for joint in robot.joints)
    return compile_expression("displaced", question, arguments, expression, results=results, branches=True)


def _displaced(V: Array, Vd: Array, d: Array, d1: Array, d2: Array) -> tuple[Array, Array]:
    by, rate_by = (ad(x) if len(x) == 6 else skew(x) for x in (d, d1))
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
