"""Values of a graph's knowns, as scalars on a tape, and the equations that they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from screwgraph.base.errors import EliminationError
from screwgraph.base.progress_report import report_progress
from screwgraph.base.summary import one_line
from screwgraph.elimination.engine import eliminate_rows
from screwgraph.elimination.group import Group
from screwgraph.graph import Derived, FactorGraph, Key, Role, Row, Variable, joints_by_multiplier, linear_rows
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape

SEED = 20260
"""The random states of every tape: fixed, so that the same graph gives the same code."""

EXTREME = 1e-9
"""Part of the largest inertia below which another one's share of a sum may be lost as rounding is."""
SPECIAL = 24
"""How many of the states at which signs are judged are special positions."""
EQUAL = (0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi, 0.25 * np.pi, -0.7)
QUARTERS = (0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi)
"""Angles (rad) of all joints at once, and of each by itself."""


@dataclass(frozen=True, eq=False)
class Equations:
    """A graph's linear equations with coefficients on a tape, and the values of its knowns there."""

    __repr__ = one_line

    tape: Tape
    rows: tuple[Row, ...]
    values: Mapping[Key, np.ndarray]


def equations(graph: FactorGraph, constants: Mapping[Key, np.ndarray] | None = None) -> Equations:
    """Write a graph's equations; knowns that `constants` does not give become inputs of the tape.

    What partial elimination left of a graph goes on with its tape, and with the values of its knowns.
    """
    report_progress(f"writing the equations of {len(graph.factors)} factors")
    before = next((f.parameters["equations"] for f in graph.factors if "equations" in f.parameters), None)
    tape, rng = before.tape if before else Tape(), np.random.default_rng(SEED)
    values: dict[Key, np.ndarray] = {**(before.values if before else {}), **(constants or {})}
    special = not joints_by_multiplier(graph)  # loops are open there
    for variable in graph.inputs:
        if variable.key not in values:
            values[variable.key] = _input_vector(tape, variable, rng, special)
    for derived in graph.derived:
        if not values.keys() >= set(derived.keys):
            values |= _derive(graph, derived, values)
    rows = [row for factor in graph.factors for row in linear_rows(factor, values, graph.variables)]
    sizes = [size for row in rows if (size := _inertia(row))]
    if sizes and min(sizes) < EXTREME * max(sizes):
        tape.distrust(EXTREME * max(sizes))
    return Equations(tape, tuple(rows), values)


def _inertia(row: Row) -> float:
    """Return the largest constant that an equation has with the body's acceleration to which it is conjugate; or 0."""
    if Role.ACCELERATION not in row.factor.template.conjugate:
        return 0.0
    own = (a for (key, _), a in row.terms.items() if key.role is Role.ACCELERATION and not isinstance(a, Scalar))
    return max(map(abs, own), default=0.0)


@lru_cache(maxsize=1024)
def _special(manifold: Manifold, index: int) -> np.ndarray:
    """Return positions at which pivots like to vanish: zero, multiples of pi/2, equal joints (rad, m)."""
    zero, rng = manifold.identity(), np.random.default_rng(SEED + index)
    equal = [np.full(manifold.dim, angle) for angle in EQUAL]
    turned = [rng.choice(QUARTERS, manifold.dim) for _ in range(SPECIAL - len(EQUAL))]
    return np.array([manifold.retract(zero, step) for step in (*equal, *turned)])


def _input_vector(tape: Tape, variable: Variable, rng: np.random.Generator, special: bool) -> np.ndarray:
    samples = np.array([variable.random(rng) for _ in range(SAMPLES + WIDE)])
    if special and variable.key.role is Role.POSITION:
        samples[-SPECIAL:] = _special(variable.manifold, variable.index)
    if variable.assembled is not None:  # signs of pivots are judged where the model is assembled
        states = variable.assembled.states
        samples[-len(states) :] = states
    names = [f"{variable.key}[{i}]" for i in range(variable.dim)]
    return tape.vector(names, samples, variable.manifold.quaternions)


def _derive(graph: FactorGraph, derived: Derived, values: Mapping[Key, np.ndarray]) -> dict[Key, np.ndarray]:
    """Solve one factor for its unknown variables, by elimination like everything else."""
    columns = {key: [(key, i) for i in range(graph.variables[key].dim)] for key in derived.keys}
    rows = linear_rows(derived.factor, values, graph.variables)
    group = Group(tuple(column for own in columns.values() for column in own), block=len(columns) > 1)
    elimination = eliminate_rows(rows, [group])
    if elimination.undetermined:
        raise EliminationError(
            f"no equation determines {', '.join(dict.fromkeys(str(key) for key, _ in elimination.undetermined))}",
            fix="choose other independent joints",
        )
    solution = elimination.solve()
    return {key: np.array([solution[column] for column in own], dtype=object) for key, own in columns.items()}
