"""A motion over time: simulated, planned, estimated or followed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module
from screwgraph.base.summary import one_line
from screwgraph.model import Model, coordinate_names
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.integration_rules import between_states
from screwgraph.motion.simulation.contacts.contact_wrenches import ContactForces
from screwgraph.motion.simulation.energy_balance import EnergyBalance, compute_energy_balance
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.motion_files import (
    check_growing,
    join_columns,
    motion_arrays,
    motion_columns,
    read_motion,
    save_motion,
)

BALANCE = ("energy", "work", "violation")
Place = int | str | tuple[Any, ...]
"""A frame, link or point by name (points by number, too), or (link, frame or body, place on it in m)."""
ROUNDING = 1e-12
"""Part of a time by which sums of time steps may lie outside of a motion."""
SMOOTH = 400
"""Points of a curve that looks smooth."""


class States(NamedTuple):
    """States at times: arrays (N, ...) in the order of these, or vectors of a single one."""

    __repr__ = one_line

    q: Float[np.ndarray, "*N nq"]
    qd: Float[np.ndarray, "*N nv"]
    qdd: Float[np.ndarray, "*N nv"]
    tau: Float[np.ndarray, "*N m"]
    external_wrenches: Mapping[str, Float[np.ndarray, "*N 6"]]
    contact_forces: Mapping[str, Float[np.ndarray, "*N k 6"]] = {}


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The motion of a robot or a mechanism: N states at times t (s); SI units.

    `tau` are the torques and forces of all joints, or those of a mechanism's motors; `external_wrenches` (moment,
    force) act on frames of the robot, in the axes of these; `contact_forces` are those that contacts have in them: of
    each contact of a frame the point (m) and the force (N), in the base's axes. `method` is how the motion was found.
    `between` gives the states at other times; without it, positions are polynomials of degree 5 that have the
    positions, velocities and accelerations of neighbouring states, torques and wrenches are linear. `warnings` say
    where it is not accurate.
    """

    _repr_html_ = html_display.html

    model: Model
    method: str
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N m"]
    external_wrenches: Mapping[str, Float[np.ndarray, "N 6"]] = field(default_factory=dict)
    between: Callable[[Float[np.ndarray, " n"]], States] | None = None
    balance: EnergyBalance | None = None
    warnings: tuple[str, ...] = ()
    contact_forces: ContactForces = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_growing(self.t, "the motion")

    def __repr__(self) -> str:
        known = self.balance
        found = f", energy drift {self.energy_drift:.2g} J, violation {known.violation.max():.2g}" if known else ""
        doubts = f", {len(self.doubts)} doubt{'s' if len(self.doubts) > 1 else ''}" if self.doubts else ""
        return (
            f"<motion of {self.model.name!r} by {self.method}: {len(self.t)} states, t = {self.t[0]:g} to "
            f"{self.t[-1]:g} s{found}{doubts}>"
        )

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.t)

    @overload
    def __getitem__(self, i: int) -> States: ...
    @overload
    def __getitem__(self, i: slice) -> Trajectory: ...
    def __getitem__(self, i: int | slice) -> States | Trajectory:
        """Return a state, as `at` does of its time, or the motion of some of the states, from one place to another.

        Raises:
            IndexError: there is no such state.
            InputError: a slice has no states, or goes back in time.
        """
        wrenches = {frame: x[i] for frame, x in self.external_wrenches.items()}
        forces = {frame: x[i] for frame, x in self.contact_forces.items()}
        states = States(self.q[i], self.qd[i], self.qdd[i], self.tau[i], wrenches, forces)
        if not isinstance(i, slice):
            return states
        t = self.t[i]
        if not len(t) or (np.diff(t) < 0.0).any():
            raise InputError(f"[{i.start}:{i.stop}:{i.step}] is no part of a motion", why="it is empty, or goes back")
        return replace(self, t=t, **states._asdict(), between=self._states_between, balance=None)

    @property
    def energy(self) -> Float[np.ndarray, " N"]:
        """Kinetic plus potential energy (J), springs of mechanisms included."""
        return self._balance.energy

    @property
    def work(self) -> Float[np.ndarray, " N"]:
        """Work of torques, forces and wrenches since the beginning, less what dampers took (J)."""
        return self._balance.work

    @property
    def violation(self) -> Float[np.ndarray, " N"]:
        """The largest closure error (rad, m) of loops, couplings or constraints at each time, zero for trees."""
        return self._balance.violation

    @property
    def energy_drift(self) -> float:
        """The largest change of energy (J) that no work explains: an error of the integration."""
        return float(np.abs(self.energy_residual).max())

    @property
    def energy_residual(self) -> Float[np.ndarray, " N"]:
        """The change of energy since the start, less the work done since (J)."""
        return self.energy - self.energy[0] - self.work

    @check_arguments
    def at(self, times: Float[np.ndarray, "*n"] | float) -> States:
        """Return the states at times (s), between those of the motion, too; a single time gives vectors.

        Positions stay on their manifold, and velocities are their rates.

        Raises:
            InputError: a time is outside of the motion, or no number.
        """
        asked, rounding = np.asarray(times, dtype=float), ROUNDING * np.abs(self.t[[0, -1]]).max()
        inside = (asked >= self.t[0] - rounding) & (asked <= self.t[-1] + rounding)  # not a number is neither
        if not inside.all():
            raise InputError(
                f"the motion of {self.model.name!r} has no state at t = {asked[~inside].flat[0]:g} s",
                why=f"it lasts from {self.t[0]:g} to {self.t[-1]:g} s",
            )
        found = self._states_between(np.clip(asked.ravel(), self.t[0], self.t[-1]))
        q, qd, qdd, tau = (x.reshape(*asked.shape, x.shape[-1]) for x in found[:4])
        acting = [{frame: x.reshape(*asked.shape, *x.shape[1:]) for frame, x in own.items()} for own in found[4:]]
        return States(q, qd, qdd, tau, *acting)

    @check_arguments
    def resampled(self, times: Float[np.ndarray, " n"]) -> Trajectory:
        """Return the motion with its states at other times (s), which grow. Raises InputError as `at`."""
        t = np.asarray(times, dtype=float)
        if t.ndim != 1 or not len(t):
            raise InputError("there are no times to resample at", fix="np.linspace(run.t[0], run.t[-1], count)")
        return replace(self, t=t, **self.at(t)._asdict(), between=self._states_between, balance=None)

    @check_arguments
    def coordinate(self, name: str) -> Float[np.ndarray, " N"]:
        """Return a coordinate over time (m, rad), by its name in `columns`. Raises InputError where there is none."""
        names = coordinate_names(self.model)["q"]
        if name not in names:
            raise make_unknown_name_error("coordinate", name, names)
        return self.q[:, names.index(name)]

    @check_arguments
    def path(self, place: Place) -> Float[np.ndarray, "N d"]:
        """Return the path (m) of a frame, link or point by name, or of a place on one: ("coupler", (1.0, 0.5)).

        Of robots (N, 3) in the base's frame, of planar mechanisms (N, 2); points go by number, too.

        Raises:
            InputError: there is no such frame, point or body.
        """
        return path_of(self.model, self.q, place)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Doubts about the motion: `warnings`, and joints beyond the limits of the robot's file."""
        return (*self.warnings, *dynamics_of(self.model).doubts(self.t, self.q, self.tau))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:joint[i] or q:theta, ..., energy, work, violation."""
        return (*motion_columns(self), *BALANCE)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the model, too, as the text of a YAML file; `read_trajectory` and `screwgraph view` take it.
        Numbers keep all their digits; the file is written as a whole or not at all.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        save_motion(path, self, {name: getattr(self, name) for name in BALANCE}, BALANCE)

    def table(self) -> dict[str, Float[np.ndarray, " N"]]:
        """Return the columns of a saved table by name, see `columns`: for polars.DataFrame, pyarrow.table, ..."""
        numbers = join_columns(motion_arrays(self) | {name: getattr(self, name) for name in BALANCE})
        return dict(zip(self.columns, np.ascontiguousarray(numbers.T), strict=True))

    def to_pandas(self) -> Any:
        """Return `table` as a pandas.DataFrame, a row a state. Raises InputError where pandas is not installed."""
        return extra_module("pandas", "pandas", "pandas").DataFrame(self.table())

    @cached_property
    def _balance(self) -> EnergyBalance:
        if self.balance is not None:
            return self.balance
        return compute_energy_balance(self.model, self.t, self.q, self.qd, self.tau, self.external_wrenches)

    def _states_between(self, times: Float[np.ndarray, " n"]) -> States:
        """Return states at times within the motion."""
        if self.between is not None:
            return self.between(times)
        last = len(self.t) - 1
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, max(last - 1, 0))
        end = np.minimum(k + 1, last)
        h = np.where(k < end, self.t[end] - self.t[k], 1.0)[:, None]
        part = (times - self.t[k])[:, None] / h
        begun, ended = ((self.q[i], self.qd[i], self.qdd[i]) for i in (k, end))
        q, qd, qdd = between_states(self.model.manifold, begun, ended, h, part)

        def linear(x: np.ndarray) -> np.ndarray:
            return x[k] + part.reshape(-1, *[1] * (x.ndim - 1)) * (x[end] - x[k])

        acting = (
            {frame: linear(x) for frame, x in own.items()} for own in (self.external_wrenches, self.contact_forces)
        )
        return States(q, qd, qdd, linear(self.tau), *acting)


def read_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Return the motion in an .npz file that `simulate`, `plan`, `estimate` or `inverse_trajectory` wrote.

    Between its states it is a polynomial of degree 5, of plans, too.

    Raises:
        InputError: the file is missing, none of ours or damaged, or its arrays do not fit the model.
        ModelError: the text of the model is damaged.
    """
    return Trajectory(**read_motion(path))


def path_of(model: Model, q: Float[np.ndarray, "N nq"], place: Place) -> Float[np.ndarray, "N d"]:
    """Return where a place is (m) at positions q: (N, 3) of robots, (N, 2) of mechanisms.

    Raises:
        InputError: there is no such frame, point or body, or a place of another number of coordinates.
    """
    return model.locate(q, *(place if isinstance(place, tuple) and len(place) == 2 else (place, None)))


def smooth_path(motion: Trajectory, place: Place, most: int | None = None) -> Float[np.ndarray, "M d"]:
    """Return the curve of a place (m) through at least 400 points, those between states by `Trajectory.at`.

    Of longer motions all states are taken, `most` of them if that is given. Raises InputError as `path_of`.
    """
    count = max(min(len(motion.t), most or len(motion.t)), SMOOTH)
    if len(motion.t) in (1, count):
        return path_of(motion.model, motion.q, place)
    return path_of(motion.model, motion.at(np.linspace(motion.t[0], motion.t[-1], count)).q, place)


def check_places(model: Model, places: Sequence[Place]) -> Sequence[Place]:
    """Return places that a model has. Raises InputError as `path_of`."""
    for place in places:
        path_of(model, np.zeros((0, model.nq)), place)
    return places


def label_of(place: Place) -> str:
    """Return what to call a path: `coupler (1, 0.5)`."""
    if isinstance(place, tuple):
        return f"{place[0]} ({', '.join(f'{x:g}' for x in place[1])})"
    return str(place)
