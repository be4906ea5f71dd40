"""Impulses from other starts: laws of contacts hold where sweeps and Newton's method find none."""

import numpy as np
import pytest

from screwgraph.motion.simulation.contacts.laws import newton, other_starts
from screwgraph.motion.simulation.contacts.laws.laws import Cone
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, begin_sweeps
from screwgraph.tape import Memory, Routine, SettlingLoop
from tests.motion.simulation.contacts.laws.test_direct_newton import assert_laws_hold

CONTACTS, ROWS = 2, 6
HARD = (7, 9, 20)
"""Of problems that Newton's method does not solve from their first impulses."""
NAMES = ("G", "b", "values", "prepared")


def wedging_problem(seed, mu):
    """Return a problem of contacts that hardly yield along some directions, impulses to begin with, and G."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(ROWS, ROWS)))[0]
    G = Q @ np.diag(10.0 ** rng.uniform(-2.0, 1.3, ROWS)) @ Q.T
    x = np.zeros(ROWS)
    x[::3] = rng.uniform(0.0, 0.1, CONTACTS)
    x[1::3] = 0.5 * x[::3] * rng.uniform(-1.0, 1.0, CONTACTS)
    x[2::3] = 0.5 * x[::3] * rng.uniform(-1.0, 1.0, CONTACTS)
    b = 0.1 * rng.normal(size=ROWS)
    b[::3] *= 0.1
    prepared = [
        p for c in range(0, ROWS, 3) for p in Cone().prepare([G[c + i, c : c + i + 1].tolist() for i in range(3)])
    ]
    rows = [{j: float(G[i, j]) for j in range(i + 1)} for i in range(ROWS)]
    return ImpulseProblem([Cone()] * CONTACTS, rows, b.tolist(), [mu] * CONTACTS, prepared), x, G


def search(problem, x, way):
    """Return impulses and the residual of the code of other starts, or of Newton's method alone."""
    memory, lower = Memory(), [y for row in problem.G for y in row.values()]
    numbers = {"G": lower, "b": problem.b, "values": problem.values, "prepared": problem.prepared, "x": x}
    numbers |= {"state": begin_sweeps(1e-3), "round": [0.0, 1.0, 1.0], "newton": [1.0, 0.0, 1e-10, 1e30, 1e30]}
    for name, own in (*numbers.items(), ("tried", x), ("swept", x)):
        memory.add(name, len(own))

    def read(G, b, values, prepared):
        at = iter(G)
        rows = [{j: next(at) for j in range(i + 1)} for i in range(ROWS)]
        return ImpulseProblem(problem.laws, rows, list(b), list(values), list(prepared))

    first = newton.add_newton(memory, NAMES, read, ROWS)
    parts = other_starts.add_starts(memory, NAMES, read) if way == "starts" else [first]
    assert isinstance(first, SettlingLoop)
    inputs = tuple(place for name in numbers for place in memory.places(name))
    outputs = (*memory.places("x"), memory.places("round" if way == "starts" else "newton")[-1])
    routine = Routine(tuple(f"x{i}" for i in inputs), inputs, outputs, memory.size, tuple(parts))
    *found, left = routine.evaluate([float(y) for own in numbers.values() for y in own])
    return np.array(found, dtype=float), float(left)


@pytest.mark.parametrize("seed", [*range(4), *HARD])
def test_laws_hold_from_other_starts(seed):
    problem, x, G = wedging_problem(seed, 1.0)
    found, left = search(problem, x, "starts")
    assert left < 1e-10
    assert_laws_hold(found, G @ found + problem.b, 1.0)


@pytest.mark.parametrize("seed", HARD)
def test_newton_alone_leaves_them(seed):
    problem, x, _ = wedging_problem(seed, 1.0)
    assert search(problem, x, "newton")[1] > 1e-4


def test_impulses_stay_where_rounds_have_solved_a_step():
    """And where no round was: contacts stick or are open."""
    (problem, *_), x, sweeps = wedging_problem(0, 1.0), [0.0] * ROWS, begin_sweeps(1e-3)
    for rounds, left, expected in ((1.0, 1e-11, 0.0), (0.0, 1.0, 0.0), (1.0, 1e-3, 1.0)):
        assert other_starts.begin_starts(problem, x, sweeps, [0.0, rounds, left])[2 * ROWS] == expected
