"""How frames move: velocities and their rates as code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screwgraph.plan.code import Code, written
from screwgraph.plan.mechanics import Mechanics
from screwgraph.robot import frame_velocity
from screwgraph.spatial import Array
from screwgraph.tape import jacobian


def twist_of(mechanics: Mechanics, frame: str) -> Any:
    """Return a function of q, qd to a frame's angular velocity and its origin's velocity (6,), in base axes."""
    return mechanics.kept(("twist", frame), lambda: _twist(mechanics, frame))


def rate_of(mechanics: Mechanics, key: Any, of: Callable[[Any, Any, Any], Any], parameters: int) -> Any:
    """Return the time derivative of of(q, qd, parameters) as a function of q, qd, qdd, parameters.

    `key` is what it is kept by.
    """
    return mechanics.kept(("rate", key), lambda: _rate(mechanics, of, parameters))


def _along(value: Any, x: Array, rates: Array) -> Array:
    """Return the derivative of an array by the vector x, times rates."""
    rows = jacobian(np.ravel(value).tolist(), list(x), [{0: rate} for rate in rates])
    return np.array([row.get(0, 0.0) for row in rows], dtype=object).reshape(np.shape(value))


def _twist(mechanics: Mechanics, frame: str) -> Code:
    robot = mechanics.robot
    return written(lambda q, qd: frame_velocity(robot, robot.frame(frame), q, qd), robot.nq, robot.nv)


def _rate(mechanics: Mechanics, of: Callable[[Any, Any, Any], Any], parameters: int) -> Code:
    def rate(q: Array, qd: Array, qdd: Array, given: Array) -> Array:
        value = of(q, qd, given)
        return _along(value, q, mechanics.positions.rate(q, qd)) + _along(value, qd, qdd)

    nv = mechanics.robot.nv
    return written(rate, mechanics.robot.nq, nv, nv, parameters)
