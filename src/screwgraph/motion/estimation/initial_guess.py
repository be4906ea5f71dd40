"""Values that the search for an estimate begins with: those found so far, and where the model moves from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.mechanisms.unknowns import MechanismUnknowns
from screwgraph.motion.estimation.readings.measurements import Measurements
from screwgraph.motion.estimation.readings.sensors import Walk
from screwgraph.motion.estimation.robots.unknowns import RobotUnknowns
from screwgraph.motion.integration_rules import RK4, take_step
from screwgraph.motion.planning.accuracy.extrapolated_euler import MotionStretches, integrate_stretches
from screwgraph.optimize.manifold_code import displacement_rates, retract_values
from screwgraph.spatial.manifolds import Manifold

Unknowns = RobotUnknowns | MechanismUnknowns
"""Unknowns and factors of a kind of model."""
UNKNOWNS: Mapping[str, Any] = {"robot": RobotUnknowns, "mechanism": MechanismUnknowns}
"""Classes of these by kind of model."""
State = tuple[np.ndarray, np.ndarray]
STIFF = 2.0
"""A step times the rate (1/s) of what decays, beyond which explicit methods diverge."""
NEAR = (1e-4, 1e-3)
"""Errors of positions (rad, m) and velocities that a stiff step may have."""


def extend_guess(
    unknowns: Unknowns, values: Mapping[str, np.ndarray], start: State, data: Measurements, walks: Sequence[Walk]
) -> dict[str, Float[np.ndarray, "N k"]]:
    """Return values of all samples: those found so far, and where the model moves from the last of them."""
    found = dict(values)
    done = len(values["q"]) if "q" in values else 0
    q, v = (values["q"][-1], values["qd"][-1]) if done else start
    tau, last = data.torques.copy(), max(done, 1) - 1
    for x in (walk.variables for walk in walks):
        old = values.get(x.name, np.zeros((1, x.manifold.dim)))
        found[x.name] = np.vstack([old, np.tile(old[-1], (x.count - len(old), 1))])
    if unknowns.inputs:
        tau[:, list(unknowns.inputs)] = found["tau"][-1]
    if unknowns.pushed:
        path = _still(unknowns, (q, v), len(data.steps) - last)
    else:
        with np.errstate(all="ignore"):  # what is not finite is found and said
            path = _predict_states(unknowns, (q, v), data.steps[last:], tau[last:], values.get("parameters"))
    _check_predicted(path[0], data, last)
    for node, reached in enumerate(path):
        moving, multipliers = unknowns.states(node)[:3], unknowns.states(node)[3:]
        for family, ahead in zip(moving, reached, strict=True):
            new = ahead[1:] if done and not node else ahead
            found[family.name] = np.vstack([values[family.name], new]) if done else new
        for family in multipliers:
            old = values.get(family.name, np.zeros((0, family.manifold.dim)))
            found[family.name] = np.vstack([old, np.zeros((family.count - len(old), family.manifold.dim))])
    return found


def _check_predicted(path: Sequence[np.ndarray], data: Measurements, first: int) -> None:
    """Raise InputError where a motion diverges."""
    sound = np.all([np.isfinite(x).all(axis=1) for x in path], axis=0)
    if not sound.all():
        k = first + int(np.argmin(sound))
        raise InputError(
            f"the motion of the model diverges at t = {data.t[k]:.6g} s",
            why=f"steps are up to {data.steps.max():.6g} s long",
            fix="check the unit of the times (s), or give q0 and qd0 nearer to where the motion begins",
        )


def _predict_states(unknowns: Unknowns, state: State, steps: np.ndarray, tau: np.ndarray, parameters: Any) -> list[Any]:
    """Return positions, velocities, accelerations at the instants, and at each inner point of the steps."""
    parts, positions = (*unknowns.inner, 1.0), unknowns.states()[0].manifold
    acceleration = unknowns.acceleration(None if parameters is None else parameters[0])
    reached: list[list[Any]] = [[(*state, acceleration(*state, tau[0]))], *([] for _ in unknowns.inner)]
    for dt, torques in zip(steps, tau, strict=False):
        for node, part in enumerate(parts, 1):
            q, v = _integrate_step(positions, partial(_evaluate_acceleration, acceleration, torques), part * dt, *state)
            reached[node % len(parts)].append((q, v, acceleration(q, v, torques)))
        state = (q, v)
    return [[np.array(x) for x in zip(*at, strict=True)] if at else [] for at in reached]


def _evaluate_acceleration(
    acceleration: Callable[..., np.ndarray], tau: np.ndarray, q: np.ndarray, v: np.ndarray
) -> np.ndarray:
    return acceleration(q, v, tau)


def _integrate_step(
    positions: Manifold, acceleration: Callable[..., np.ndarray], h: float, q: np.ndarray, v: np.ndarray
) -> State:
    """Return where a model is after h (s): by an explicit method, where it is stiff by an implicit one.

    It is stiff where stages two and three, which differ by a change of velocity, differ much in acceleration.
    Hairer & Wanner (1996), section IV.2.
    """
    stages: list[State] = []

    def acceleration_at(_: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        stages.append((v, acceleration(q, v)))
        return stages[-1][1]

    end = take_step(RK4, positions, acceleration_at, h, q, v)
    speed, change = (np.linalg.norm(b - a) for a, b in zip(*stages[1:3], strict=True))
    if h * change <= STIFF * speed:
        return end
    start = np.reshape(q, (1, -1))
    motion = MotionStretches(
        np.reshape(v, (1, -1)),
        np.array([h]),
        lambda d, v: displacement_rates(positions, d, v),
        lambda which, _, d, v: acceleration(retract_values(positions, np.repeat(start, len(which), axis=0), d), v),
    )
    d, ended = integrate_stretches(motion, (np.full(len(v), NEAR[0]), np.full(len(v), NEAR[1])))
    return retract_values(positions, start, d)[0], ended[0]


def _still(unknowns: Unknowns, state: State, steps: int) -> list[Any]:
    """Return the same as `_predict_states` of a model that stays where it is: what pushes on it is not known yet."""
    still = (state[0], np.zeros_like(state[1]), np.zeros_like(state[1]))
    counts = (steps + 1, *(steps for _ in unknowns.inner))
    return [[np.tile(x, (count, 1)) for x in still] for count in counts]
