"""Constraints that depend on time: coordinates that follow functions, and the efforts that this takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError, ModelError
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import hybrid_dynamics
from screwgraph.model import Model
from screwgraph.model.formats import check_increasing, locate_names, read_table
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.functions_of_time import (
    TIME,
    FunctionOfTime,
    interpolate_samples,
    parse_function,
    trace_function,
)
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.simulation.system import Dynamics, Efforts

CONSISTENT = 1e-6
"""Differences of rates, relative to the largest (or 1), that are the rounding of what a user gives."""

QUANTITIES = 3
"""Numbers of a driven coordinate that a step takes: its value and rate at the end, its acceleration in the middle."""

HeldCoordinates = Mapping[str, tuple[float, float]]
"""Values and rates (SI units) by coordinate."""


@dataclass(frozen=True, eq=False)
class DrivenMotion:
    """A model some of whose coordinates are functions of time: Phi(q, t) = 0 has a row q_i - u_i(t) for each.

    Its multiplier is the effort along the coordinate. Blanco-Claraco et al. (2021), (1)-(3); Garcia de Jalon & Bayo
    (1994), section 3.1.
    """

    dynamics: Dynamics
    functions: Mapping[str, FunctionOfTime]

    @cached_property
    def efforts(self) -> Function:
        """Efforts of the driven coordinates, in the place of their accelerations, of q, qd and given numbers."""
        return hybrid_dynamics(self.dynamics.model, list(self.functions))

    @cached_property
    def places(self) -> list[int]:
        """Places of the coordinates among the efforts."""
        names = _labels(self.dynamics.model, "tau")
        return [names.index(name) for name in self.functions]

    @property
    def model(self) -> Model:
        """The model that moves."""
        return self.dynamics.model

    def numbers_of_steps(self, t: Float[np.ndarray, " N"], dt: float) -> Float[np.ndarray, "N 3*k"]:
        """Return what steps that begin at times (s) take: values and rates at their ends, accelerations amid them.

        Raises InputError where a function is not known.
        """
        t = np.asarray(t, dtype=float)
        ends = [function(t + dt) for function in self.functions.values()]
        middles = [function(t + 0.5 * dt)[2] for function in self.functions.values()]
        return np.array([*(end[0] for end in ends), *(end[1] for end in ends), *middles]).T

    def complete_efforts(
        self,
        t: Float[np.ndarray, "*N"],
        q: Float[np.ndarray, "*N nq"],
        qd: Float[np.ndarray, "*N nv"],
        tau: Any,
        pushed: Float[np.ndarray, "*N nv"] | None = None,
    ) -> Float[np.ndarray, "*N m"]:
        """Return the efforts of all along a motion, given those of the other motors, and what else pushes coordinates.

        `pushed` are forces on these (N m, N), of contacts.
        """
        tau = np.array(tau, dtype=float)
        if pushed is not None:
            return self._balance_efforts(t, q, qd, tau, pushed)
        given = tau.copy()
        for place, function in zip(self.places, self.functions.values(), strict=True):
            given[..., place] = function(t)[2]
        tau[..., self.places] = self.efforts(q, qd, given)[..., self.places]
        return tau

    def _balance_efforts(self, t: Any, q: Any, qd: Any, tau: np.ndarray, pushed: Any) -> Float[np.ndarray, "*N m"]:
        """Return the efforts by which driven coordinates accelerate as they should: accelerations are linear in them.

        Both are finite where the mass matrix is, however many coordinates are driven.
        """
        dynamics, labels = self.dynamics, _labels(self.model, "qd")
        slots, wanted = [labels.index(name) for name in self.functions], []
        force = dynamics.force(tau) + pushed
        rest = dynamics.function(q, qd, force)[..., slots]
        columns = list[np.ndarray]()
        for place, function in zip(self.places, self.functions.values(), strict=True):
            unit = np.zeros(tau.shape[-1])
            unit[place] = 1.0
            columns.append(dynamics.function(q, qd, force + dynamics.force(unit))[..., slots] - rest)
            wanted.append(function(t)[2])
        missing = np.stack(np.broadcast_arrays(*wanted), axis=-1) - rest
        tau[..., self.places] = np.linalg.solve(np.stack(columns, axis=-1), missing[..., None])[..., 0]
        return tau

    def refuse_efforts(self, tau: Any) -> None:
        """Raise InputError where a driven coordinate is given an effort that is not zero, in an array (..., m)."""
        try:
            given = convert_numbers(tau)
        except (TypeError, ValueError):
            return  # who takes them says what they are not
        if given.shape[-1:] != (len(self.model.columns["tau"]),):
            return
        pushed = np.flatnonzero(given[..., self.places].any(axis=tuple(range(given.ndim - 1))))
        if len(pushed):
            raise InputError(
                f"tau gives an effort to {list(self.functions)[int(pushed[0])]!r}, which is driven",
                why="its motion is given, and its effort is an answer",
                fix="leave it zero",
            )

    def evaluate(self, t: float) -> Float[np.ndarray, "k 3"]:
        """Return values, rates and accelerations at a time (s). Raises InputError where a function is not known."""
        return np.array([function(t) for function in self.functions.values()])

    def check_times(self, t: Float[np.ndarray, " N"]) -> None:
        """Raise InputError where a function is not known at one of the times (s)."""
        for function in self.functions.values():
            function(t)

    def hold_coordinates(self, t: float) -> HeldCoordinates:
        """Return values and rates at a time (s)."""
        return {name: (u, ud) for name, (u, ud, _) in zip(self.functions, self.evaluate(t).tolist(), strict=True)}

    def start(self, q0: Any, qd0: Any) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return where the motion begins: driven coordinates at their values and rates at t = 0, constraints closed.

        Raises:
            InputError: what constraints or functions forbid.
            ModelError: the model does not close there.
        """
        held = self.hold_coordinates(0.0)
        q, qd = self.dynamics.start(q0, qd0, held)
        names = _labels(self.dynamics.model, "qd")
        for name, (_, rate) in held.items():
            given = None if qd0 is None else float(np.ravel(qd0)[names.index(name)])
            if given is not None and abs(given - rate) > CONSISTENT * max(1.0, abs(rate)):
                raise InputError(
                    f"qd0 gives {name!r} the rate {given:.6g}",
                    why=f"it is driven, with the rate {rate:.6g} at t = 0",
                    fix="give that rate, or leave out qd0",
                )
        return q, qd

    def with_efforts(self, torques: Float[np.ndarray, " m"] | Efforts, pushed: Efforts | None = None) -> Efforts:
        """Return the efforts of all, as a function of t, q and qd: those of driven coordinates follow from the others.

        `pushed` are efforts of external wrenches, which act on driven coordinates, too.

        Raises InputError where a driven coordinate is given an effort that is not zero.
        """
        places = self.places

        def evaluate(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau = np.array(torques(t, q, qd) if callable(torques) else torques, dtype=float)
            self.refuse_efforts(tau)
            tau = tau if pushed is None else tau + pushed(t, q, qd)
            given = tau.copy()
            given[places] = self.evaluate(t)[:, 2]
            tau[places] = self.efforts(q, qd, given)[places]
            return tau

        return evaluate

    def project(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest state with the driven values and rates at a time, and its closure error (rad, m).

        Raises:
            InputError: no such state is near.
        """
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            return q, np.full_like(qd, np.nan), np.nan
        try:
            q, qd = self.dynamics.hold(q, qd, self.hold_coordinates(t))
        except (InputError, ModelError) as error:
            names = ", ".join(self.functions)
            raise InputError(
                f"the driven motion of {names} cannot go on at t = {t:g} s: {error.what}",
                why="nothing nearby closes: it passes a dead centre, or leaves what lengths allow",
                fix="drive it to where it can go",
            ) from error
        return q, qd, float(self.dynamics.violation(q[None])[0])


def make_driven_motion(dynamics: Dynamics, driven: Mapping[str, Any] | None) -> DrivenMotion | None:
    """Return the driven coordinates that a user names, else those of the file; None without any.

    Raises:
        InputError: a coordinate without an effort of its own, or what is no function of time.
    """
    functions = read_functions(driven) if driven is not None else dynamics.model.driven
    if not functions:
        return None
    _check_names(dynamics.model, functions)
    return DrivenMotion(dynamics, functions)


def read_driven_table(model: Model, file: str, time: float) -> dict[str, FunctionOfTime]:
    """Return splines through the columns of a table by coordinate, its times `t` from 0 to `time` (s) or longer.

    Raises:
        InputError: no such file, times or names, with the line; see `read_functions`.
    """
    table = read_table(file)
    with locate_names(table):
        if TIME not in table:
            raise InputError(f"there is no column {TIME!r}", fix="its first line names the columns: t,theta")
        _check_names(model, [name for name in table if name != TIME])
    times = table[TIME]
    check_increasing(times, table, "driven motion", np.arange(len(times)))
    with locate_names(table):
        functions = read_functions(table)
    for row, at in ((0, 0.0), (-1, time)):
        for function in functions.values():
            try:
                function(at)
            except InputError as error:
                raise InputError(error.what, at=table.place(row), why=error.why, fix=error.fix) from error
    return functions


def _check_names(model: Model, names: Iterable[str]) -> None:
    """Raise InputError where one of the names is no coordinate that has an effort."""
    of_positions, of_velocities, of_efforts = (_labels(model, kind) for kind in ("q", "qd", "tau"))
    both = [name for name in of_efforts if name in of_positions and name in of_velocities]
    for name in names:
        if name not in both:
            raise make_unknown_name_error("motor or joint of one coordinate", name, both)


def _labels(model: Model, kind: str) -> list[str]:
    return [column.label for column in model.columns[kind]]


def read_functions(driven: Mapping[str, Any]) -> dict[str, FunctionOfTime]:
    """Return functions of time by coordinate: expressions in t, Python functions, or samples at times `t`.

    Raises:
        InputError: samples without times, or what is none of these.
        ModelError: an expression that is none.
    """
    found: dict[str, FunctionOfTime] = {}
    for name, given in driven.items():
        if name == TIME:
            continue
        if isinstance(given, FunctionOfTime):
            found[name] = given
        elif isinstance(given, (str, int, float)):
            found[name] = parse_function(str(given), {}, repr(name), Place("driven="))
        elif callable(given):
            found[name] = trace_function(given, name)
        elif TIME in driven:
            found[name] = interpolate_samples(driven[TIME], given, name)
        else:
            raise InputError(
                f"driven: {name} is neither an expression in t nor a function",
                fix='give "0.1*sin(2*t)", a number, a function of t, or samples: {"t": times, name: samples}',
            )
    return found
