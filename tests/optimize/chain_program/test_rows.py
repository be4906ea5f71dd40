"""Chains with bounds of C z and equalities F z = f: optima by duality and by DAQP, warm starts, what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.optimize.chain_program import Bound, compile_chain_program
from screwgraph.optimize.chain_program.bound_groups import find_groups
from tests.optimize.chain_program.chains import Chain, Rows, both, pattern, random_chain, solve

SIZES = {"small": (8, 4, 3, 2), "wide": (6, 9, 5, 4)}
"""Stages, states, inputs, positions; stages of more than ten unknowns go by rows."""
ROWS = (Bound(0, lower=True), Bound(1, lower=True), Bound(0, lower=False), Bound(1, lower=False), Bound(2, True, True))
PENALTY = (2.0, 3.0)
LIMIT = 0.9


@dataclass(frozen=True)
class Problem:
    """A chain with rows, and the values of its bounds at each stage."""

    chain: Chain
    rows: Rows
    bounds: np.ndarray


def draw(kind: str, seed: int, equalities: int = 2) -> Problem:
    """A problem that inputs within +-.5 solve: three rows, one of them dense; equalities, one of inputs alone."""
    stages, nx, nu, positions = SIZES[kind]
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, stages, nx, nu, positions)
    C = rng.normal(size=(stages, 3, nx + nu))
    C[:, 1] = 0.0
    C[:, 1, nx], C[:, 1, nx + 1] = 1.0, rng.uniform(-1.0, 1.0, stages)
    C[:, 2] = np.eye(nx + nu)[0]
    F = rng.normal(size=(stages, 2, nx + nu))[:, :equalities]
    F[:, 1:, :nx] = 0.0
    u = rng.uniform(-0.5, 0.5, (stages, nu))
    z = np.concatenate([np.vstack([chain.x0, chain.states(u)[:-1]]), u], axis=1)
    products = np.einsum("kij,kj->ki", C, z)
    values = [products[:, b.index] - b.sign * rng.uniform(0.01, 0.5, stages) + b.soft for b in ROWS]
    limits = np.tile([-LIMIT, LIMIT], (stages, nu))
    return Problem(chain, Rows(C, F, np.einsum("kij,kj->ki", F, z)), np.hstack([limits, np.transpose(values)]))


@cache
def code(kind: str, equalities: int = 2, iterations: int = 80, tolerance: float = 1e-10) -> Function:
    stages, nx, nu, positions = SIZES[kind]
    chain, rows = draw(kind, 0, equalities).chain, draw(kind, 0, equalities).rows
    pairs = [(i, positions + i) for i in range(positions)]
    options = {"J": pattern(chain.J), "integrated": pairs, "inputs": both(nu), "tolerance": tolerance}
    options |= {"C": pattern(rows.C), "rows": ROWS, "F": pattern(rows.F), "iterations": iterations}
    return compile_chain_program(stages, nx, nu, **options)


def express(chain: Chain, matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Products with z of all stages as A u + a, (stages, rows, inputs) and (stages, rows)."""
    M, m = chain.maps
    A, B = np.split(matrices, [chain.nx], axis=2)
    found = A @ M[:-1]
    for k in range(len(A)):
        found[k][:, chain.nu * k : chain.nu * (k + 1)] += B[k]
    return found, np.einsum("kij,kj->ki", A, m[:-1])


def find_multipliers(numbers: np.ndarray, nu: int, nx: int) -> dict[tuple[int, bool], np.ndarray]:
    """Multipliers of each bound of w = (u, x', C z), (stages,)."""
    found = {}
    for group in find_groups(both(nu), (), nu, ROWS, nx):
        for n, kind in enumerate(group.kinds):
            start = group.number + group.count * (1 + sum(k.size for k in group.kinds[:n]))
            for i in range(group.count):
                found[group.first + i, kind.lower] = numbers[:, start + i]
    return found


def certify(problem: Problem, found) -> tuple[float, float]:
    """Cost less Lagrange's dual at the multipliers, and the largest violation of hard bounds and equalities."""
    _, u, _, multipliers, numbers, *_ = found
    chain, rows = problem.chain, problem.rows
    nu, nx, u = chain.nu, chain.nx, u.ravel()
    (H, g), cost = chain.condensed, chain.cost(u)
    slope, constant, violation = g.copy(), 0.0, 0.0
    given = find_multipliers(numbers, nu, nx)
    C, c = express(chain, rows.C)
    chosen = np.eye(len(u)).reshape(len(chain.J), nu, -1)
    kinds = [(b, chosen, np.zeros((len(C), nu)), 0) for b in both(nu)] + [(b, C, c, nu + nx) for b in ROWS]
    for (bound, A, a, first), value in zip(kinds, problem.bounds.T, strict=True):
        y = given[first + bound.index, bound.lower]
        d = bound.sign * (A[:, bound.index] @ u + a[:, bound.index] - value)
        if bound.soft:
            e = np.maximum(-d, 0.0)
            cost += np.sum(PENALTY[0] * e + 0.5 * PENALTY[1] * e * e)
            constant -= np.sum(0.5 * np.maximum(y - PENALTY[0], 0.0) ** 2 / PENALTY[1])
        else:
            violation = max(violation, -d.min())
        slope -= bound.sign * y @ A[:, bound.index]
        constant -= bound.sign * y @ (a[:, bound.index] - value)
    if rows.F.shape[1]:
        A, a = express(chain, rows.F)
        residual = A @ u + a - rows.f
        violation = max(violation, np.abs(residual).max())
        slope += np.einsum("ki,kij->j", multipliers, A)
        constant += np.sum(multipliers * (a - rows.f))
    best = np.linalg.solve(H, -slope)
    return float(cost - (0.5 * best @ H @ best + slope @ best + constant)), violation


def run(problem: Problem, f: Function, last=None):
    return solve(f, problem.chain, problem.bounds, PENALTY, last, problem.rows)


@pytest.mark.parametrize("kind", list(SIZES))
@pytest.mark.parametrize("equalities", [0, 2])
def test_optimal_by_duality(kind, equalities):
    f = code(kind, equalities)
    for seed in range(12):
        problem = draw(kind, seed, equalities)
        found = run(problem, f)
        over, violation = certify(problem, found)
        assert found[-1][0] == 0.0
        assert abs(over) < 1e-8 * (1.0 + np.abs(found[4]).max() + abs(problem.chain.cost(found[1])))
        assert violation < 1e-8


@pytest.mark.parametrize("kind", list(SIZES))
def test_as_daqp_finds_it(kind):
    daqp = pytest.importorskip("daqp")
    for seed in range(20, 24):
        problem = draw(kind, seed)
        chain, rows = problem.chain, problem.rows
        (H, g), stages = chain.condensed, len(chain.J)
        C, c = express(chain, rows.C)
        F, f = express(chain, rows.F)
        n, slacks, endless = len(g), stages, np.full(stages, 1e30)  # an e of the soft row at each stage
        products = [np.hstack([C[:, i], np.zeros((stages, slacks))]) for i in (0, 1)]
        products.append(np.hstack([C[:, 2], np.eye(slacks)]))
        products += [np.hstack([F[:, i], np.zeros((stages, slacks))]) for i in (0, 1)]
        values = problem.bounds[:, 2 * chain.nu :].T - [c[:, b.index] for b in ROWS]
        held = [rows.f[:, i] - f[:, i] for i in (0, 1)]
        lower = np.concatenate([np.full(n, -LIMIT), np.zeros(slacks), values[0], values[1], values[4], *held])
        upper = np.concatenate([np.full(n, LIMIT), endless, values[2], values[3], endless, *held])
        sense = np.repeat([0, 5], [n + slacks + 3 * stages, 2 * stages]).astype(np.int32)
        H = np.block([[H, np.zeros((n, slacks))], [np.zeros((slacks, n)), PENALTY[1] * np.eye(slacks)]])
        g = np.concatenate([g, np.full(slacks, PENALTY[0])])
        wanted, _, flag, _ = daqp.solve(H, g, np.vstack(products), upper, lower, sense)
        assert flag == 1
        _, u, *_, solution = run(problem, code(kind))
        assert solution[0] == 0.0
        np.testing.assert_allclose(u.ravel(), wanted[:n], atol=1e-6)


@pytest.mark.parametrize("kind", list(SIZES))
def test_calls_of_few_steps_go_on_where_the_last_one_ended(kind):
    problem, f = draw(kind, 5), code(kind, 2, 2, 0.0)
    last = run(problem, f)
    for _ in range(18):
        last = run(problem, f, last)
    wanted = run(problem, code(kind))
    np.testing.assert_allclose(last[1], wanted[1], atol=1e-6)
    np.testing.assert_allclose(last[3], wanted[3], atol=1e-4)


def test_equalities_that_bounds_do_not_allow_leave_numbers():
    problem = draw("small", 3)
    far = replace(problem, rows=replace(problem.rows, f=problem.rows.f + 100.0))
    found = run(far, code("small"))
    assert found[-1][0] == 1.0
    assert found[-1][3] > 1.0
    assert all(np.isfinite(x).all() for x in found)
    assert np.abs(found[1]).max() <= LIMIT


def test_rows_that_are_off_count_for_nothing():
    problem = draw("small", 4, 0)
    signs = np.array([b.sign for b in ROWS])
    off = replace(problem, bounds=np.hstack([problem.bounds[:, : -len(ROWS)], np.tile(-1e9 * signs, (8, 1))]))
    chain = problem.chain
    pairs = {"J": pattern(chain.J), "integrated": chain.integrated, "inputs": both(chain.nu), "tolerance": 1e-10}
    plain = compile_chain_program(8, chain.nx, chain.nu, iterations=80, **pairs)
    wanted = solve(plain, chain, [-LIMIT, LIMIT] * chain.nu)
    np.testing.assert_allclose(run(off, code("small", 0))[1], wanted[1], atol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": [Bound(0, lower=True)]}, "rows: a bound of number 0"),
        ({"C": [[1.0, 2.0]]}, "C: rows of"),
        ({"F": [[None] * 4]}, "F: rows of"),
        ({"stiffness": 0.0}, "stiffness"),
    ],
)
def test_what_cannot_be(options, message):
    with pytest.raises(InputError, match=message):
        compile_chain_program(3, 2, 1, **options)
