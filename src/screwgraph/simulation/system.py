"""What every method integrates: accelerations of a robot under its torques, on its positions' manifold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.errors import InputError
from screwgraph.robot import Robot
from screwgraph.spatial.manifolds import Manifold

Efforts = Callable[[float, np.ndarray, np.ndarray], Any]
"""Joint torques as a function of time (s), q and qd."""
Acceleration = Callable[
    [float, Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]],
    Float[np.ndarray, " nv"],
]


class Projector(Protocol):
    """What puts states back onto the constraints of a model."""

    def projected(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest state that constraints allow, and the loop-closure error (rad, m). Raises InputError."""
        ...


@dataclass(frozen=True, eq=False)
class System:
    """A model in motion: accelerations as a function of t, q and qd; its `constraints`, if any."""

    manifold: Manifold
    acceleration: Acceleration
    constraints: Projector | None


def acceleration(function: Function, tau: Float[np.ndarray, " nv"] | Efforts) -> Acceleration:
    """Return accelerations of forward dynamics under constant torques, or under those of a function."""
    if callable(tau):
        return lambda t, q, qd: function(q, qd, tau(t, q, qd))
    return lambda t, q, qd: function(q, qd, tau)


def efforts(robot: Robot, tau: Any) -> Float[np.ndarray, " nv"] | Efforts:
    """Check what a user gives as torques; None means none.

    Raises:
        InputError: neither a function nor finite numbers, one for each velocity coordinate. A function that returns
            anything else raises when it does.
    """
    if tau is None:
        return np.zeros(robot.nv)
    if not callable(tau):
        return _checked(tau, robot, "tau")
    return lambda t, q, qd: _checked(tau(t, q, qd), robot, f"what the function tau returns at t = {t:g} s")


def _checked(tau: Any, robot: Robot, what: str) -> Float[np.ndarray, " nv"]:
    try:
        array = np.asarray(tau, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (robot.nv,):
        raise InputError(f"{what} is not {robot.nv} numbers", why="it holds the torques of all joints (N m, N)")
    if not np.isfinite(array @ array):
        raise InputError(f"{what} is not finite")
    return array
