"""States and arguments of a predictive controller at which exported code is tried: calls that go on from each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Argument, Function
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.horizon_costs import HorizonCost

COUNT = 8
"""Calls; in pairs, of which the second goes on from the first."""
AWAY = 0.05
"""How far states and references are from a position of the robot (rad, m, rad/s, m/s)."""
FRICTION = 0.6
"""Coulomb's coefficient of contacts."""

Draw = Callable[[np.random.Generator, Argument], Float[np.ndarray, " k"]]


def draw_examples(f: Function, horizon: Horizon) -> list[Float[np.ndarray, "N k"]]:
    """Return values (N, numbers) of each argument of a controller: fresh calls, and calls that go on from these."""
    rng, rows = np.random.default_rng(11), []
    while len(rows) < COUNT:
        given = [_draw_argument(rng, a, horizon) for a in f.arguments[:-1]]
        previous = np.zeros(f.arguments[-1].shape)
        for _ in range(2):
            rows.append([*given, previous])
            shaped = [np.reshape(x, a.shape) for x, a in zip(rows[-1], f.arguments, strict=True)]
            results = dict(zip((r.name for r in f.results), f(*shaped), strict=True))
            previous = np.asarray(results["next"], dtype=float)
    return [np.array(column, dtype=float) for column in zip(*rows, strict=True)]


def _draw_argument(rng: np.random.Generator, a: Argument, horizon: Horizon) -> Float[np.ndarray, " k"]:
    robot = horizon.model.robot
    own: Mapping[str, Draw] = {
        "q": lambda rng, a: _draw_position(rng, horizon),
        "qd": lambda rng, a: AWAY * rng.standard_normal(robot.nv),
        "references": lambda rng, a: _draw_references(rng, a, horizon),
        "terminal": lambda rng, a: np.diag(rng.uniform(0.1, 1.0, a.shape[0])).ravel(),
        **{own.name: partial(_draw_goals, own) for own in horizon.costs},
        "contacts": _draw_contacts,
        "first": lambda rng, a: np.array([0.7 * horizon.dt]),
        "advance": lambda rng, a: rng.choice([0.0, 0.3, 1.0], 1),
    }
    return own.get(a.name, _draw_weights)(rng, a)


def _draw_position(rng: np.random.Generator, horizon: Horizon) -> Float[np.ndarray, " nq"]:
    robot = horizon.model.robot
    return np.asarray(robot.manifold.retract(horizon.model.coordinates.start, AWAY * rng.standard_normal(robot.nv)))


def _draw_references(rng: np.random.Generator, a: Argument, horizon: Horizon) -> Float[np.ndarray, " k"]:
    robot, found = horizon.model.robot, AWAY * rng.standard_normal(a.shape)
    found[:, : robot.nq] = _draw_position(rng, horizon)
    return found.ravel()


def _draw_goals(cost: HorizonCost, rng: np.random.Generator, a: Argument) -> Float[np.ndarray, " k"]:
    return np.ravel([cost.draw(rng) for _ in range(a.shape[0])])


def _draw_contacts(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, " k"]:
    """Return contacts of which each is on at two of three stages."""
    found = np.full(a.shape, FRICTION)
    found[..., 0] = rng.random(a.shape[:2]) < 2.0 / 3.0
    return found.ravel()


def _draw_weights(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, " k"]:
    return rng.uniform(0.1, 1.0, len(a.names))
