"""Simulation of robots by fixed-lag smoothing of their factor graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from screwgraph.dynamics import forward_dynamics
from screwgraph.errors import InputError
from screwgraph.estimation.motion import Motion, Sigmas, mechanics_of
from screwgraph.mechanism import Noise, check_windows, checked_window
from screwgraph.optimize import FixedLag, Problem, each
from screwgraph.robot import Robot, constraint_residual, unknown
from screwgraph.simulation import Trajectory, Watch, sample_times, simulated, starting_state
from screwgraph.time import RULES

CHUNK = 100
"""States between two calls of the progress callback."""
FADING = 1e-3
"""Standard deviation of integrators of marginal windows: with larger ones they forget all but rounding."""
SMOOTHED = {name: rule for name, rule in RULES.items() if len(set(rule.nodes)) == len(rule.nodes)}
"""Rules whose points are instants of the motion."""

Values = dict[str, np.ndarray]
Known = dict[str, dict[str, Any]]
State = tuple[np.ndarray, np.ndarray, np.ndarray]
Efforts = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


def simulate_robot_by_smoothing(
    robot: Robot,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    tau: Any = None,
    *,
    coordinates: str = "spanning",
    window: int = 2,
    marginal: bool = False,
    integrator: str = "trapezoidal",
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Trajectory:
    """Simulate a robot: its factor graph, solved in a window of states that moves on.

    Blanco-Claraco et al. (2021), section 7.1. The equations of motion are one factor an instant: compiled inverse
    dynamics, with multipliers where there are loops. Arguments as for `queries.simulate`.

    Raises:
        InputError: a bad argument, or a window whose optimisation fails.
    """
    if coordinates not in ("spanning", "dependent"):
        raise InputError(
            f"the smoother of robots has no {coordinates} coordinates",
            why="it integrates those of all joints, which also hold singular positions of loops",
            fix="leave coordinates= out",
        )
    if integrator not in SMOOTHED:
        raise unknown("integrator", integrator, SMOOTHED)
    rule, times, watch = SMOOTHED[integrator], sample_times(robot, time, dt), watch or (lambda t: False)
    if marginal and len(rule.nodes) > 2:
        raise InputError(
            f"marginal windows have no integrator {integrator!r}",
            why="its points inside the step that leaves the window would need a prior",
            fix="leave marginal= out, or take trapezoidal",
        )
    steps = checked_window(window, len(times))
    q, qd, forces = starting_state(robot, q0, qd0, tau)
    moving = forward_dynamics(robot)
    efforts = forces if callable(forces) else lambda t, q, qd: forces
    mechanics = mechanics_of(robot)
    believed = noise or Noise(integration=FADING if marginal else Noise().integration)
    sigma = Sigmas(believed.integration, believed.constraints, np.full(robot.nv, believed.dynamics))
    motion = Motion(mechanics, steps, rule, is_window=True)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        first = (q, qd, moving(q, qd, efforts(0.0, q, qd)))
        values = _guess(motion, first, float(dt))
        problem = _problem(motion, times, first, forces, sigma)
        certain = {v.name: believed.prior for v in motion.states()[:3]} if marginal else None
        lag = FixedLag(problem, values, prior=certain, pinned=not marginal, predict=_prediction(motion, float(dt)))
        found = _run(lag, motion, times, efforts if callable(forces) else None, watch)
        q, qd = found["q"], found["qd"]
        gaps = [np.abs(constraint_residual(robot, x)).max() for x in q] if robot.is_closed else np.zeros(len(q))
        return simulated(robot, "smoother", moving, forces, (times[: len(q)], q, qd, np.array(gaps)))


def _problem(motion: Motion, times: np.ndarray, first: State, forces: np.ndarray | Efforts, sigma: Sigmas) -> Problem:
    """Return the first window; torques that change are those where the first accelerations lead."""
    dt, families = float(times[1]), [v for node in (0, *motion.inner) for v in motion.states(node)]
    if not callable(forces):
        return Problem(motion.factors(dt, forces, sigma), families)
    steps = [_torques(motion, 0.0, float(t), first, forces) for t in times[1 : motion.count]]
    problem = Problem(motion.factors(dt, np.zeros((motion.count, len(first[1]))), sigma), families)
    known = {name: {"tau": each([step[name]["tau"] for step in steps])} for name in steps[0]}
    known["dynamics"] = {"tau": each([forces(0.0, *first[:2]), *(step["dynamics"]["tau"] for step in steps)])}
    return problem.with_parameters(known)


def _guess(motion: Motion, first: State, dt: float) -> Values:
    """Return values of a window: the first state, and where constant accelerations lead."""
    found: Values = {}
    for node in (0, *motion.inner):
        for v in motion.states(node):
            found[v.name] = np.zeros((v.count, *v.manifold.shape))
        names = [v.name for v in motion.states(node)[:3]]
        for k in range(motion.count):
            part = k - 1.0 + motion.rule.nodes[node] if node else k
            for name, value in zip(names, ahead(motion.mechanics.positions, max(part, 0.0) * dt, *first), strict=True):
                found[name][k] = np.asarray(value, dtype=float).ravel()
    return found


def ahead(positions: Any, dt: Any, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
    """Return position and velocity where a constant acceleration leads, and that."""
    return positions.retract(q, dt * v + (0.5 * dt * dt) * a), v + dt * a, a


def _prediction(motion: Motion, dt: float) -> Any:
    """Return what predicts the unknowns of the next instant, and of the inner points before it."""
    positions, closed = motion.mechanics.positions, motion.mechanics.robot.is_closed

    def predict(q: Any, v: Any, a: Any, *more: Any) -> tuple[Any, ...]:
        loops = more[:1] if closed else ()
        found: list[Any] = [*ahead(positions, dt, q, v, a), *loops]
        for node in motion.inner:
            found += [*ahead(positions, motion.rule.nodes[node] * dt, q, v, a), *loops]
        return tuple(found)

    return predict


def _run(lag: FixedLag, motion: Motion, times: np.ndarray, efforts: Efforts | None, watch: Watch) -> Values:
    """Solve window by window; return positions and velocities at all times, or as far as the callback allows."""
    check_windows([lag.solve()], float(times[0]))
    parts, done = [lag.values], motion.count
    stopped = watch(float(times[0]))
    while not stopped and done < len(times):
        chunk = times[done - 1 : done + CHUNK]
        coming = None if efforts is None else _coming(lag, motion, chunk, efforts)
        record, ended = lag.run(len(chunk) - 1, coming)
        check_windows(ended, float(times[done]))
        parts.append(record)
        done += len(ended)
        stopped = watch(float(times[done - 1]))
    return {name: np.concatenate([part[name] for part in parts]) for name in ("q", "qd")}


def _coming(lag: FixedLag, motion: Motion, times: np.ndarray, efforts: Efforts) -> Iterator[Known]:
    """Yield the torques of the steps to times[1:], from the state that the window ends with then."""
    for t, dt in zip(times[:-1].tolist(), np.diff(times).tolist(), strict=True):
        values = lag.values
        yield _torques(motion, t, dt, (values["q"][-1], values["qd"][-1], values["qdd"][-1]), efforts)


def _torques(motion: Motion, t: float, dt: float, state: State, efforts: Efforts) -> Known:
    """Return the torques at the end of a step, and at its inner points, where constant accelerations lead there."""
    found: Known = {}
    for node in (0, *motion.inner):
        h = motion.rule.nodes[node or -1] * dt
        q, v, _ = ahead(motion.mechanics.positions, h, *state)
        name = f"dynamics.{node}" if node else "dynamics"
        found[name] = {"tau": efforts(t + h, np.asarray(q, dtype=float).ravel(), v)}
    return found
