"""Torques that a trajectory needs, from its factor graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.mechanism.branch_tracking import follow_path
from screwgraph.mechanics.mechanism.kinematics import acceleration_problem, as_vector, velocity_problem
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.motion.estimation.mechanisms.inverse_graph import STAGES, inverse_graph, trajectory_parameters
from screwgraph.motion.estimation.readings.trajectory_tables import Reference, make_reference
from screwgraph.motion.estimation.result import InverseSolution
from screwgraph.motion.simulation import Trajectory, Watch, dynamics_of, simulate_dynamics
from screwgraph.optimize import Problem, Progress, Result, Status, Tolerances, solve

ROUGH = Tolerances(step=1e-5, decrease=1e-6)
"""What stages before the last need: they only begin the next one."""


def inverse_mechanism_trajectory(
    mechanism: Mechanism,
    trajectory: Mapping[str, Any] | Trajectory,
    q0: Any = None,
    noise: float | Mapping[str, float] | None = None,
    watch: Watch | None = None,
) -> InverseSolution:
    """Find the torques of the motors that make a mechanism follow a trajectory.

    Blanco-Claraco et al. (2021), section 7.2.

    The factor graph grows in four stages, each solved from where the one before ended. The trajectory is smoothed
    before, by its noise.

    Args:
        mechanism: where it names no motors, angles of the trajectory are driven.
        trajectory: {"t": (N,), coordinate: (N,), ...}: as many coordinates as there are degrees of freedom, at equal
            distances in time. Or a motion, whose independent coordinates are followed.
        q0: a position (n,) on the branch that is meant, by default the assembled one.
        noise: standard deviation of the trajectory (m, rad), of all coordinates or {coordinate: number, ...}; where
            none is given, it is estimated.
        watch: progress callback with the number of stages done; the search ends where it returns true.

    Raises:
        InputError: a bad trajectory, no motors, or a graph that cannot be solved.
        ModelError: the mechanism does not reach the trajectory.
    """
    mechanism = _drive_angles(mechanism, tuple(trajectory) if isinstance(trajectory, Mapping) else ())
    mechanism.check_motors()
    if isinstance(trajectory, Trajectory):
        q0 = trajectory.q[0] if q0 is None else q0
        own = {name: trajectory.coordinate(name) for name in mechanism.independent_coordinates}
        trajectory = {"t": trajectory.t, **own}
    wanted = make_reference(mechanism, trajectory, noise)
    values, results = {"q": _first_guess(mechanism, wanted, q0)}, []
    start = _start(mechanism, wanted, values["q"][0])
    problems = _problems(mechanism, wanted.coordinates, len(wanted.t))
    for stage, problem in enumerate(problems, 1):
        values |= _make_stage_values(mechanism, wanted, values, stage)
        problem.assembly.prepare()
        graph = problem.with_parameters(trajectory_parameters(wanted, start, stage))
        result = solve(
            graph,
            values,
            method="gauss_newton",
            iterations=30,
            tolerances=None if stage == STAGES else ROUGH,
            callback=_looking(watch, stage - 1),
        )
        if result.status is Status.INTERRUPTED and stage == 1 and not result.iterations:
            raise KeyboardInterrupt
        if result.status is not Status.CONVERGED and not result.status.is_stopped:
            raise InputError(f"stage {stage} of inverse dynamics ends as {result.status.value}", why=result.reason)
        values, results = result.values, [*results, result]
        if result.status.is_stopped:
            values = _make_stage_values(mechanism, wanted, values, 2) | values
            values.setdefault("tau", np.full((len(wanted.t), len(mechanism.motors)), np.nan))
            break
    if watch is not None:
        watch(float(STAGES))
    return _solution(mechanism, wanted, values, results)


@lru_cache(maxsize=8)
def _drive_angles(mechanism: Mechanism, names: tuple[str, ...]) -> Mechanism:
    """Return a mechanism with motors: its own, or those at the named angles."""
    named = tuple(angle.name for angle in mechanism.angles if angle.name in names)
    return mechanism if mechanism.motors or not named else replace(mechanism, motors=named)


def _looking(watch: Watch | None, done: int) -> Callable[[Progress], Any] | None:
    """Return a callback that looks at the watch; the first look of all comes after the first step, as code is made."""
    return None if watch is None else lambda progress: watch(float(done))


@lru_cache(maxsize=1)
def _problems(mechanism: Mechanism, coordinates: tuple[int, ...], count: int) -> tuple[Problem, ...]:
    """Return the graphs of all stages, for any trajectory of so many samples: they are looked at once."""
    t, still = np.arange(float(count)), np.zeros((count, len(coordinates)))
    empty = Reference(t, coordinates, still, still, still, still, np.zeros(len(coordinates)))
    rest = np.zeros(mechanism.n)
    return tuple(inverse_graph(mechanism, empty, (rest, rest), stage) for stage in range(1, STAGES + 1))


def _first_guess(mechanism: Mechanism, wanted: Reference, q0: Any) -> Float[np.ndarray, "N n"]:
    """Follow the trajectory from sample to sample on one branch, roughly: some of them, others between."""
    q = mechanism.home if q0 is None else as_vector(mechanism, q0, "q0")
    return follow_path(mechanism, q, wanted.coordinates, wanted.values)


def _start(mechanism: Mechanism, wanted: Reference, q: Float[np.ndarray, " n"]) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity and acceleration of the first sample."""
    names = [mechanism.coordinates[i] for i in wanted.coordinates]
    qd = velocity_problem(mechanism, q, dict(zip(names, wanted.rates[0], strict=True)))
    return qd, acceleration_problem(mechanism, q, qd, dict(zip(names, wanted.accelerations[0], strict=True)))


def _make_stage_values(
    mechanism: Mechanism, wanted: Reference, values: Mapping[str, np.ndarray], stage: int
) -> dict[str, np.ndarray]:
    """Return first values of what a stage adds."""
    if stage == 2:
        v = np.gradient(values["q"], wanted.dt, axis=0, edge_order=2)
        return {"v": v, "a": np.gradient(v, wanted.dt, axis=0, edge_order=2)}
    if stage == STAGES:
        return {"tau": np.zeros((len(wanted.t), len(mechanism.motors)))}
    return {}


def _solution(
    mechanism: Mechanism, wanted: Reference, values: Mapping[str, np.ndarray], results: list[Result]
) -> InverseSolution:
    q = values["q"]
    off = np.abs(q[:, list(wanted.coordinates)] - wanted.given).max(axis=0)
    names = [mechanism.coordinates[i] for i in wanted.coordinates]
    run = simulate_dynamics(dynamics_of(mechanism), "inverse", values["tau"], wanted.t, q, values["v"], qdd=values["a"])
    errors, levels = (dict(zip(names, column.tolist(), strict=True)) for column in (off, wanted.sigma))
    return InverseSolution(run, errors, levels, tuple(results), wanted.doubts)
