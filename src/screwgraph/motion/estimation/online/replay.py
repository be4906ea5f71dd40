"""A table of measurements, given to a smoother update by update as a loop of fixed rate would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.initial_guess import UNKNOWNS
from screwgraph.motion.estimation.online.clock import Clock, find_clock
from screwgraph.motion.estimation.online.smoother import OnlineSmoother
from screwgraph.motion.estimation.online.update_inputs import AGE
from screwgraph.motion.estimation.readings.measurements import OWN_TIME, TIME, TORQUE, interpolate_torques, read_times
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

    Updates are at the times "t" where these are evenly spaced; else as far apart as two readings of the sensor that
    comes most often at least are. Sensors with times of their own, and all of them where "t" is
    uneven, are read at their times.

    Raises:
        InputError: a bad argument, or a sensor that is read twice between two updates.
    """
    given = UNKNOWNS[model.kind].default_sensors(measurements) if sensors is None else sensors
    own = UNKNOWNS[model.kind].from_model(model, tuple(parameters)).sensors(given, None)
    clock = find_clock(measurements, own)
    t, dt = clock.t, clock.dt
    if not lag >= dt:
        raise InputError(f"lag = {lag!r} s", why=f"updates are {dt:.6g} s apart", fix="give that or more")
    options = {"parameters": parameters, "inputs": inputs, "timed": clock.timed, "t0": float(t[0]), **start}
    observed = model if given is not None else _with_sensors_of(model, own, measurements)
    smoother = OnlineSmoother(observed, given, dt, window=max(2, round(lag / dt) + 1), **options)
    columns, tau = _columns(smoother, own, measurements, clock)
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


def _with_sensors_of(model: Any, sensors: Sequence[Sensor], table: Mapping[str, Any]) -> Model:
    """Return a mechanism with those of its sensors that have columns in a table."""
    read = tuple(sensor for sensor in sensors if any(name in table for name in sensor.columns))
    return model if len(read) == len(sensors) else replace(model, sensors=read)


def _columns(
    smoother: OnlineSmoother, sensors: Sequence[Sensor], table: Mapping[str, Any], clock: Clock
) -> tuple[dict[str, Float[np.ndarray, " N"]], Float[np.ndarray, "N nv"]]:
    """Return columns of sensors, and torques."""
    labels, t = {TORQUE + label: i for i, label in enumerate(smoother.torques)}, clock.t
    tau, found = np.zeros((len(t), len(labels))), dict[str, Float[np.ndarray, " N"]]()
    columns = [name for name in smoother.columns if not name.startswith(AGE)]
    for name in map(str, table):
        if name == TIME or name.startswith(OWN_TIME):
            continue
        if name not in columns and name not in labels:
            known = dict.fromkeys((TIME, *columns, *(c for sensor in sensors for c in sensor.columns), *labels))
            raise make_unknown_name_error("column of measurements", name, tuple(known))
        if name in labels:
            times, values = read_times(table, name, (name,))
            tau[:, labels[name]] = interpolate_torques(name, table, t, times, values[:, 0])
    for sensor in smoother.sensors:
        there = [name for name in sensor.columns if name in table]
        times, values = read_times(table, sensor.name, there) if there else (t, np.zeros((len(t), 0)))
        if there and sensor.name in clock.timed:
            at, ages = clock.place(sensor, times, np.asarray(np.isfinite(values).any(axis=1)))
            found[AGE + sensor.name] = _spread(len(t), at, ages[at >= 0])
            values = np.array([_spread(len(t), at, column[at >= 0]) for column in values.T]).T
        found |= dict(zip(there, values.T, strict=True))
    return found, tau


def _spread(count: int, at: Int[np.ndarray, " k"], values: Float[np.ndarray, " j"]) -> Float[np.ndarray, " N"]:
    """Return values at the updates that they are given to, NaN elsewhere."""
    found = np.full(count, np.nan)
    found[at[at >= 0]] = values
    return found


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
