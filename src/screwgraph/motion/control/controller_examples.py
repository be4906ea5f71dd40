"""States and arguments at which exported code of a controller is tried: they have sense, goals can be reached."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.motion.control.whole_body import WholeBody

COUNT = 8
"""Calls; in pairs, of which the second goes on from the first."""
SLOW = 0.3
"""Size of velocities and rates (rad/s, m/s; rad/s^2, m/s^2), and of what no position says, such as forces (N)."""
FRICTION = 0.6
"""Coulomb's coefficient of contacts."""


def draw_examples(f: Function, body: WholeBody) -> list[Float[np.ndarray, "N k"]]:
    """Return values (N, numbers) of each argument: loops are closed, goals are where another position has them."""
    rng, rows = np.random.default_rng(11), []
    places = [np.asarray(q, dtype=float) for q, _ in body.motion.coordinates.samples]
    while len(rows) < COUNT:
        first, last = (places[i] for i in rng.integers(len(places), size=2))
        given, active = _draw_arguments(rng, body, first, last), np.zeros(f.arguments[-1].shape)
        for _ in range(2):
            values = given | {"active": active}
            rows.append([np.ravel(values[a.name]) for a in f.arguments])
            shaped = [np.reshape(x, a.shape) for x, a in zip(rows[-1], f.arguments, strict=True)]
            active = np.asarray(dict(zip((r.name for r in f.results), f(*shaped), strict=True))["active"], dtype=float)
    return [np.array(column, dtype=float) for column in zip(*rows, strict=True)]


def _draw_arguments(
    rng: np.random.Generator, body: WholeBody, q: Float[np.ndarray, " nq"], goal: Float[np.ndarray, " nq"]
) -> dict[str, Float[np.ndarray, "..."]]:
    coordinates = body.motion.coordinates
    yd = SLOW * rng.standard_normal(len(coordinates.places))
    found = {a.name: SLOW * rng.standard_normal(a.shape) for a in body.given}
    found |= {"q": q, "qd": np.asarray(coordinates.complete_velocity(q, yd), dtype=float)}
    for task in body.tasks:
        found |= {name: np.asarray(x, dtype=float) for name, x in task.hold(body.model, goal).items()}
    for name in ("gains", "barriers"):
        if name in found:
            found[name] = rng.uniform(0.1, 1.0, found[name].shape)
    if "contacts" in found:
        found["contacts"] = np.full(found["contacts"].shape, FRICTION)
        found["contacts"][:, 0] = rng.random(len(found["contacts"])) < 2.0 / 3.0
    return found
