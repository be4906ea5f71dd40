"""A table of measurements, given to a smoother update by update as a loop of fixed rate would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.formats import Table
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.initial_guess import UNKNOWNS
from screwgraph.motion.estimation.measurements import OWN_TIME, TIME, TORQUE, describe_missing_torque
from screwgraph.motion.estimation.online_smoother import OnlineSmoother
from screwgraph.motion.estimation.trajectory_tables import read_column, validate_times
from screwgraph.motion.simulation import Trajectory, Watch, dynamics_of, simulate_dynamics
from screwgraph.motion.simulation.state_recorder import report_time


@dataclass(frozen=True, eq=False)
class Replay:
    """Replay of measurements: estimates after each update, of that instant, in `run`; and the smoother at the end.

    The first instants are those of the first full window. `slips` are contacts that were judged slipping, with no size
    of it; `seconds` are those of the updates (wall time).
    """

    run: Trajectory
    smoother: OnlineSmoother
    slips: tuple[tuple[float, str], ...]
    seconds: Float[np.ndarray, " N"]

    def __repr__(self) -> str:
        return f"<{len(self.run.t)} updates of {self.run.model.name!r}, {1e3 * np.median(self.seconds):.2g} ms each>"


def replay_measurements(
    model: Model,
    measurements: Mapping[str, Any],
    lag: float,
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] | None = None,
    watch: Watch | None = None,
    **start: Any,
) -> Replay:
    """Estimate by a `OnlineSmoother`, whose window is `lag` (s) long. Other arguments as for both.

    Raises:
        InputError: a bad argument, times that are not evenly spaced, or sensors with times of their own.
    """
    own = next((str(name) for name in measurements if str(name).startswith(OWN_TIME)), None)
    if own or TIME not in measurements:
        what = f"column {own} has times of its own" if own else "the measurements have no times t"
        raise InputError(what, why="updates come at a fixed rate", fix="give one column t, and NaN where nothing came")
    t = validate_times(measurements, "measurements")
    dt = float(t[-1] - t[0]) / (len(t) - 1)
    if not lag >= dt:
        raise InputError(f"lag = {lag!r} s", why=f"updates are {dt:.6g} s apart", fix="give that or more")
    given = UNKNOWNS[model.kind].default_sensors(measurements) if sensors is None else sensors
    options = {"parameters": parameters, "inputs": inputs, **start}
    smoother = OnlineSmoother(model, given, dt, window=max(2, round(lag / dt) + 1), **options)
    columns, tau = _columns(smoother, measurements, len(t))
    states, slips, seconds = _States(smoother, len(t)), list[tuple[float, str]](), np.zeros(len(t))
    watch = report_time(watch, "estimating", t - t[0])
    for k in range(len(t)):
        began = perf_counter()
        smoother.update({name: values[k] for name, values in columns.items()}, tau[k])
        seconds[k] = perf_counter() - began
        states.take(k)
        slips += [(float(t[k]), frame) for frame in smoother.slipping]
        if watch(float(t[k] - t[0])):
            t, tau, seconds = t[: k + 1], tau[: k + 1], seconds[: k + 1]
            break
    q, qd, qdd, torques = (x[: len(t)] for x in states.arrays)
    run = simulate_dynamics(dynamics_of(model), "smoother", torques, t, q, qd, qdd=qdd, check_balance=False)
    return Replay(run, smoother, tuple(slips), seconds)


def _columns(
    smoother: OnlineSmoother, table: Mapping[str, Any], count: int
) -> tuple[dict[str, Float[np.ndarray, " N"]], Float[np.ndarray, "N nv"]]:
    """Return columns of sensors, and torques."""
    labels = {TORQUE + label: i for i, label in enumerate(smoother.torques)}
    tau, found = np.zeros((count, len(labels))), dict[str, Float[np.ndarray, " N"]]()
    for name in table:
        if name == TIME:
            continue
        if name not in smoother.columns and name not in labels:
            raise make_unknown_name_error("column of measurements", str(name), (TIME, *smoother.columns, *labels))
        is_torque = name in labels
        values = read_column(str(name), table[name], count, "measurements", missing=True)
        there = np.isfinite(values)
        if not there.any():
            at = table.heading if isinstance(table, Table) else None
            raise InputError(f"column {name} of the measurements is empty", at=at, fix="leave its sensor out")
        if is_torque:
            if not there.all():
                raise describe_missing_torque(str(name), table, float(table[TIME][int(np.argmin(there))]))
            tau[:, labels[name]] = values
        else:
            found[str(name)] = values
    return found, tau


class _States:
    """States of each instant as they were first told."""

    def __init__(self, smoother: OnlineSmoother, count: int) -> None:
        model, self.smoother = smoother.model, smoother
        sizes = (model.nq, model.nv, model.nv, len(smoother.torques))
        self.arrays = tuple(np.zeros((count, n)) for n in sizes)

    def take(self, k: int) -> None:
        """Take the state after update k; with the first full window, those before it."""
        s = self.smoother
        for to, now in zip(self.arrays, (s.q, s.qd, s.qdd, s.tau), strict=True):
            to[k] = now
        if s.count == s.window:
            for to, past in zip(self.arrays, s.past, strict=False):
                to[: k + 1] = past
