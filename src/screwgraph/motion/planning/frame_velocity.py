"""How frames move: velocities and their rates as code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screwgraph.model.robot import frame_velocity
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.vector_code import VectorCode, trace_function
from screwgraph.spatial import Array
from screwgraph.tape import jacobian


def make_frame_twist(mechanics: Mechanics, frame: str) -> Any:
    """Return a function of q, qd to a frame's angular velocity and its origin's velocity (6,), in base axes."""
    return mechanics.get_or_make(("twist", frame), lambda: _twist(mechanics, frame))


def differentiate_in_time(mechanics: Mechanics, key: Any, of: Callable[[Any, Any, Any], Any], parameters: int) -> Any:
    """Return the time derivative of of(q, qd, parameters) as a function of q, qd, qdd, parameters.

    `key` is what it is kept by.
    """
    return mechanics.get_or_make(("rate", key), lambda: _rate(mechanics, of, parameters))


def _differentiate_along(value: Any, x: Array, rates: Array) -> Array:
    """Return the derivative of an array by the vector x, times rates."""
    rows = jacobian(np.ravel(value).tolist(), list(x), [{0: rate} for rate in rates])
    return np.array([row.get(0, 0.0) for row in rows], dtype=object).reshape(np.shape(value))


def _twist(mechanics: Mechanics, frame: str) -> VectorCode:
    robot = mechanics.robot
    return trace_function(lambda q, qd: frame_velocity(robot, robot.frame(frame), q, qd), robot.nq, robot.nv)


def _rate(mechanics: Mechanics, of: Callable[[Any, Any, Any], Any], parameters: int) -> VectorCode:
    def rate(q: Array, qd: Array, qdd: Array, given: Array) -> Array:
        value = of(q, qd, given)
        return _differentiate_along(value, q, mechanics.positions.rate(q, qd)) + _differentiate_along(value, qd, qdd)

    nv = mechanics.robot.nv
    return trace_function(rate, mechanics.robot.nq, nv, nv, parameters)
