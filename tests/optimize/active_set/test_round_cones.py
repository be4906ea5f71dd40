"""Quadratic programs with round cones, beside a projection in closed form and a method of cones."""

from functools import cache
from math import prod

import numpy as np
import pytest

from screwgraph.compiler import CachedCode, Result, make_direct_provenance, make_function, make_numbered_argument
from screwgraph.compiler.derivatives.derivative_code import batch_code
from screwgraph.optimize.active_set import QuadraticProgram, RoundCone, RoundCones
from screwgraph.optimize.active_set.round_cones import KEPT
from screwgraph.tape import Memory, Routine
from screwgraph.tape.verifier import list_faults

CONES, OTHERS, ROOM = 4, 4, 0.3
ROWS = 7
"""Rows of each cone: four of the square, two planes, the axis."""


@cache
def solver():
    """Return the function of a program of four cones, and rows of all unknowns."""
    memory, n, m = Memory(), 3 * CONES, ROWS * CONES + OTHERS
    columns = [range(3 * c, 3 * c + 3) for c in range(CONES) for _ in range(ROWS)] + [range(n)] * OTHERS
    program = QuadraticProgram(memory, n, columns, 10 * (n + m))
    cones = [RoundCone((3 * c, 3 * c + 1, 3 * c + 2), ROWS * c) for c in range(CONES)]
    own = RoundCones(memory, program, cones)
    own.allocate()
    sizes = {**own.problem_sizes, "active": m, "planes": KEPT * CONES}
    arguments = tuple(make_numbered_argument(name, size) for name, size in sizes.items())
    inputs = [i for argument in arguments for i in memory.places(argument.name)]
    found = {"x": n, "active'": m, "planes'": KEPT * CONES, "solution": 3, "rounds": 1}
    results = tuple(Result(name.strip("'"), (size,)) for name, size in found.items())
    outputs = [i for name in found for i in memory.places(name)]
    names = tuple(name for argument in arguments for name in argument.names)
    routine = Routine(names, tuple(inputs), tuple(outputs), memory.size, own.parts())
    assert sum(prod(r.shape) for r in results) == len(outputs)
    return make_function(
        "round_cones",
        ("round cones", CONES, OTHERS),
        arguments,
        lambda _: CachedCode(routine, "none"),
        lambda _: make_direct_provenance("it is the code of a test"),
        results,
        quietly=True,
    )


def random_program(seed):
    """Return H, g, frictions and the rows of all unknowns of a program of any scale and condition."""
    rng, n = np.random.default_rng(seed), 3 * CONES
    B = rng.standard_normal((rng.integers(4, n + 3), n))
    H = 10.0 ** rng.uniform(-2, 2) * B.T @ B + 10.0 ** rng.uniform(-6, 0) * np.eye(n)
    g, mu = 10.0 ** rng.uniform(-1, 1) * rng.standard_normal(n), rng.uniform(0.1, 1.0, CONES)
    E = rng.standard_normal((OTHERS, n))
    g[::3] -= 3.0 * abs(g).max() * rng.random()
    return H, g, mu, E


def make_rows(mu, E):
    """Return A, lower, upper before planes touch cones."""
    A = []
    for c, friction in enumerate(mu):
        axis, first, second = np.eye(3 * CONES)[3 * c : 3 * c + 3]
        A += [friction * axis + s * t for t in (first, second) for s in (1, -1)] + [friction * axis] * 2 + [axis]
    k = len(A)
    return (
        np.array([*A, *E]),
        np.r_[np.zeros(k), np.full(OTHERS, -ROOM)],
        np.r_[np.full(k, np.inf), np.full(OTHERS, ROOM)],
    )


def solve_program(H, g, mu, E, last=None):
    """Return x, rounds, and what goes to the next program; it is solved, and within its cones."""
    A, lower, upper = make_rows(mu, E)
    last = last or (np.zeros(len(A)), np.zeros(KEPT * CONES))
    x, *last, (status, _, violation), (rounds,) = solver()(
        H[np.tril_indices(len(g))], g, lower, upper, np.full(len(A), 1e8), A.ravel(), *last
    )
    forces, near = x.reshape(CONES, 3), 1e-9 + 1e-14 * abs(x).max()  # beside rounding of forces of 1e6
    assert status == 0.0
    assert violation < near
    assert (np.linalg.norm(forces[:, 1:], axis=1) - mu * forces[:, 0]).max() < near
    assert abs(E @ x).max() < ROOM + 1e-8
    return x, rounds, last


def check_optimum(seed):
    """Compare the cost of a random program with Clarabel's, an interior-point method of cones; return the rounds."""
    clarabel = pytest.importorskip("clarabel")
    sparse = pytest.importorskip("scipy.sparse")
    H, g, mu, E = random_program(seed)
    cones = [clarabel.NonnegativeConeT(2 * OTHERS), *(clarabel.SecondOrderConeT(3) for _ in mu)]
    scaled = np.eye(len(g))
    scaled[::3] *= mu[:, None]
    rows, right = np.vstack([E, -E, -scaled]), np.r_[np.full(2 * OTHERS, ROOM), np.zeros(len(g))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    upper = sparse.csc_matrix(np.triu(H))
    best = clarabel.DefaultSolver(upper, g, sparse.csc_matrix(rows), right, cones, settings).solve().obj_val
    x, rounds, last = solve_program(H, g, mu, E)
    again, *_ = solve_program(H, g, mu, E, last)
    costs = np.array([0.5 * u @ H @ u + g @ u for u in (x, again)])
    # Along a round edge forces are determined to the root of the 1e-9 within which they are in their cones.
    assert abs(again - x).max() < 1e-5 * (1.0 + abs(x).max())
    assert abs(costs[1] - costs[0]) < 1e-10 * (1.0 + abs(best))
    assert abs(costs - best).max() < 1e-7 * (1.0 + abs(best))
    return rounds


def test_solutions_are_within_cones():
    assert list_faults(batch_code(solver().body)) == []
    rounds = [solve_program(*random_program(seed))[1] for seed in range(150)]
    assert max(rounds) <= 20


def test_a_force_on_the_edge_of_its_cone():
    """The nearest force of a cone to one beside it is its projection, in closed form; to one behind, the apex."""
    rng, mu = np.random.default_rng(0), np.array([0.3, 0.7, 1.0, 0.5])
    for _ in range(20):
        goal = rng.standard_normal((CONES, 3))
        x, *_ = solve_program(np.eye(3 * CONES), -goal.ravel(), mu, np.zeros((OTHERS, 3 * CONES)))
        for force, wanted, friction in zip(x.reshape(CONES, 3), goal, mu, strict=True):
            length = np.linalg.norm(wanted[1:])
            ray = np.r_[1.0, friction * wanted[1:] / length] / np.hypot(1.0, friction)
            is_inside = length <= friction * wanted[0]
            nearest = wanted if is_inside else max(ray @ wanted, 0.0) * ray
            np.testing.assert_allclose(force, nearest, atol=2e-8)


def test_beside_clarabel():
    for seed in range(40):
        check_optimum(seed)


def test_the_next_program_begins_with_the_last_planes():
    """Programs that move slowly have the costs of those from scratch, in fewer rounds; any planes are true."""
    (H, g, mu, E), rng = random_program(3), np.random.default_rng(1)
    last, other, rounds = None, solve_program(*random_program(4))[2], np.zeros(3)
    for _ in range(30):
        g = g + 1e-3 * abs(g).max() * rng.standard_normal(len(g))
        cold, warm, foreign = (solve_program(H, g, mu, E, before) for before in (None, last, other))
        last = warm[2]
        best, *costs = (0.5 * x @ H @ x + g @ x for x, *_ in (cold, warm, foreign))
        assert np.abs(np.array(costs) - best).max() < 1e-8 * (1.0 + abs(best))
        rounds += cold[1], warm[1], foreign[1]
    assert rounds[1] < 0.8 * rounds[0]
    assert rounds[2] < 1.5 * rounds[0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 7.0, 1e300])
def test_planes_that_are_none_are_left_out(wrong):
    H, g, mu, E = random_program(5)
    planes = np.zeros(KEPT * CONES)
    planes[[1, 4, 7]] = wrong
    active = np.zeros(ROWS * CONES + OTHERS)
    best, found = (solve_program(H, g, mu, E, (active, own))[0] for own in (np.zeros(KEPT * CONES), planes))
    np.testing.assert_allclose(found, best, atol=1e-7 * (1.0 + abs(best).max()))


@pytest.mark.suite
def test_many_programs_beside_clarabel():
    assert max(check_optimum(seed) for seed in range(3000)) <= 25
