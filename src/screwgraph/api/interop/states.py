"""A robot's states in another library's coordinates: joints matched by name, numbers put where they belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.api.interop.coordinate_conversions import CoordinateConversion
from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot, check_unit


@dataclass(frozen=True)
class JointPlace:
    """Place of a joint of ours in the other library's vectors, and how its numbers change."""

    joint: str
    q: slice
    v: slice
    change: CoordinateConversion


@dataclass(frozen=True)
class States:
    """Converts states of a robot to another library's coordinates and back; arrays (..., n), any leading axes.

    Their vectors have `nq` and `nv` numbers. What is asked for `at` positions or velocities takes ours.
    Made by `pinocchio_states` and `mujoco_states`. Arguments of a wrong shape, and quaternions that are not unit, raise
    InputError.
    """

    robot: Robot
    places: tuple[JointPlace, ...]
    nq: int
    nv: int

    def q_out(self, q: ArrayLike) -> Float[np.ndarray, "... nq"]:
        """Return their positions from ours."""
        ours = self._ours(q)
        theirs = np.zeros((*ours.shape[:-1], self.nq))
        for place in self.places:
            theirs[..., place.q] = place.change.out(ours[..., self.robot.q_slices[place.joint]])
        return theirs

    def q_back(self, q: ArrayLike) -> Float[np.ndarray, "... nq"]:
        """Return our positions from theirs; angles that they write as (cos, sin) are within +-pi."""
        theirs = _ending(q, self.nq, "positions")
        ours = np.zeros((*theirs.shape[:-1], self.robot.nq))
        for place in self.places:
            ours[..., self.robot.q_slices[place.joint]] = place.change.back(theirs[..., place.q])
        check_unit(self.robot, ours)
        return ours

    def qd_out(self, q: ArrayLike, qd: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return their velocities, at our positions, from ours."""
        return _times(self.matrix(q), _ending(qd, self.robot.nv, "velocities"))

    def qd_back(self, q: ArrayLike, qd: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return our velocities, at our positions, from theirs."""
        return _solve_exactly(self.matrix(q), _ending(qd, self.nv, "velocities"))

    def qdd_out(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return their accelerations, at our positions and velocities, from ours."""
        return _times(self.matrix(q), _ending(qdd, self.robot.nv, "accelerations")) + self._bias(q, qd)

    def qdd_back(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return our accelerations, at our positions and velocities, from theirs."""
        return _solve_exactly(self.matrix(q), _ending(qdd, self.nv, "accelerations") - self._bias(q, qd))

    def tau_out(self, q: ArrayLike, tau: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return their torques, at our positions, from ours: the same power at the same motion."""
        return _solve_exactly(np.swapaxes(self.matrix(q), -1, -2), _ending(tau, self.robot.nv, "torques"))

    def tau_back(self, q: ArrayLike, tau: ArrayLike) -> Float[np.ndarray, "... nv"]:
        """Return our torques, at our positions, from theirs."""
        return _times(np.swapaxes(self.matrix(q), -1, -2), _ending(tau, self.nv, "torques"))

    def mass_matrix_back(self, q: ArrayLike, M: ArrayLike) -> Float[np.ndarray, "... nv nv"]:
        """Return the mass matrix in our coordinates, at our positions, from theirs (both triangles)."""
        E = self.matrix(q)
        return np.swapaxes(E, -1, -2) @ np.asarray(M, dtype=float) @ E

    def matrix(self, q: ArrayLike) -> Float[np.ndarray, "... nv nv"]:
        """Return E(q) at our positions: their velocity = E qd."""
        ours = self._ours(q)
        E = np.zeros((*ours.shape[:-1], self.nv, self.robot.nv))
        for place in self.places:
            own, columns = ours[..., self.robot.q_slices[place.joint]], self.robot.v_slices[place.joint]
            E[..., place.v, columns] = place.change.E(own, columns.stop - columns.start)
        return E

    def _ours(self, q: ArrayLike) -> Float[np.ndarray, "... nq"]:
        ours = _ending(q, self.robot.nq, "positions")
        check_unit(self.robot, ours)
        return ours

    def _bias(self, q: ArrayLike, qd: ArrayLike) -> Float[np.ndarray, "... nv"]:
        position = self._ours(q)
        velocity = _ending(qd, self.robot.nv, "velocities")
        bias = np.zeros((*np.broadcast_shapes(position.shape[:-1], velocity.shape[:-1]), self.nv))
        for place in self.places:
            own = position[..., self.robot.q_slices[place.joint]], velocity[..., self.robot.v_slices[place.joint]]
            bias[..., place.v] = place.change.bias(*own)
        return bias


def match_joints(robot: Robot, theirs: Sequence[str], free: Iterable[str], library: str) -> dict[str, str]:
    """Return the name there of each joint of ours: the same, or that of the only joint without one that moves freely.

    Raises:
        InputError: joints that only one side has.
    """
    found = {name: name for name in robot.joint_names if name in theirs}
    floating = [j.name for j in robot.joints if j.is_free and j.name not in found]
    root = [name for name in free if name not in found]
    if len(floating) == len(root) == 1:
        found[floating[0]] = root[0]
    sides = ((robot.joint_names, found, f"{library}'s model"), (theirs, found.values(), "screwgraph's robot"))
    for own, paired, where in sides:
        names = set(own) - set(paired)
        if names:
            raise InputError(
                f"joint {', '.join(map(repr, sorted(names)))} has no counterpart in {where}",
                why="joints are matched by their names",
                fix="lock the same joints on both sides",
            )
    return found


def _ending(values: ArrayLike, size: int, what: str) -> Float[np.ndarray, "..."]:
    array = validate_numbers(what, values)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"{what} of shape {array.shape} have not {size} numbers along their last axis")
    return array


def _times(E: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (E @ x[..., np.newaxis])[..., 0]


def _solve_exactly(E: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.linalg.solve(E, x[..., np.newaxis])[..., 0]
