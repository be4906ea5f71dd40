"""Orders for mechanisms: "auto" takes the cheapest one that is safe, and its answers are right where others fail."""

from contextlib import suppress
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.problem.validation import validate_pivots
from screwgraph.elimination import cost
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.elimination.orderings.base import as_groups
from screwgraph.mechanics.mechanism import compile_mechanism
from screwgraph.model.mechanism import find_assembled_states
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.tape import WIDE
from tests.mechanics.mechanism.oracle import accelerations, motor_torques
from tests.suites import in_suites


def queries(mechanism):
    """Queries of a mechanism that leave elimination a choice, and the graph of each."""
    graph = sg.dynamics_graph(mechanism)
    found = [(sg.forward_dynamics, graph.given("q", "qd", *(["tau"] if mechanism.motors else [])))]
    if len(mechanism.motors) == mechanism.dof:
        driven = [f"qdd:{name}" for name in mechanism.motors]
        found.append((sg.inverse_dynamics, graph.given("q", "qd", *driven)))
    return found


def distinct(graph):
    """Names of orders, one of those that come to the same for a graph."""
    plans = {}
    for name, make in ORDERINGS.items():
        with suppress(sg.EliminationError):
            plans.setdefault(tuple(as_groups(make(), graph)), name)
    return plans.values()


@cache
def answers(name):
    """A mechanism, and for each query the functions of "auto" and of all orders that are possible and safe."""
    mechanism, found = sg.load_mechanism(name), []
    for query, graph in queries(mechanism):
        safe = {ordering: query(mechanism, ordering=ordering) for ordering in ("auto", "quasi_definite")}
        for ordering in distinct(graph):
            with suppress(sg.EliminationError):
                function = query(mechanism, ordering=ordering)
                vanished = function.origin.vanished
                assert vanished is not None
                validate_pivots(vanished.problem, function.program, ordering)
                safe[ordering] = function
        found.append(safe)
    return mechanism, found


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", [in_suites(n) if n == "parallel_robot" else n for n in sg.mechanism_names()])
def test_auto_is_never_costlier_than_an_order_that_is_safe(name):
    for functions in answers(name)[1]:
        costs = {ordering: cost(f.program) for ordering, f in functions.items()}
        assert costs["auto"] == min(costs.values()), costs


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", sg.mechanism_names())
def test_dynamics_are_right_at_random_and_special_positions(name):
    mechanism, found = answers(name)
    rng, q = np.random.default_rng(4), find_assembled_states(mechanism, WIDE)
    qd, tau = rng.standard_normal(q.shape), rng.standard_normal((len(q), len(mechanism.motors)))
    given = (q, qd, tau) if mechanism.motors else (q, qd)
    expected = np.array([accelerations(mechanism, *state) for state in zip(q, qd, tau, strict=True)])
    size = np.abs(expected).max(axis=1, keepdims=True)
    for ordering in ("auto", "quasi_definite"):
        assert (np.abs(found[0][ordering](*given) - expected) <= 1e-9 * size).all()
    for functions in found[1:]:
        torques = motor_torques(mechanism, q, qd, expected)
        J = compile_mechanism(mechanism).closing(q)[1][:, list(mechanism.freedom.kept)]
        forces = np.abs(expected @ mass_matrix(mechanism)).max(axis=1) + np.abs(torques).max(axis=1) + 1.0
        driven = np.eye(mechanism.n)[list(mechanism.motor_slots)]
        driven = np.concatenate([J, np.broadcast_to(driven, (len(q), *driven.shape))], axis=1)
        rounding = 1e-15 * np.linalg.cond(driven) ** 2 * forces  # near positions where motors do not tell the motion
        assert (np.abs(functions["auto"](q, qd, expected) - torques) <= 1e-11 + 10.0 * rounding[:, None]).all()


@pytest.mark.parametrize("name", [name for name in sg.mechanism_names() if name != "parallel_robot"])
@pytest.mark.sampled(6)
def test_pivots_without_guards_stay_away_from_zero_at_all_assembled_positions(name):
    """None of these is singular anywhere; pivots of multipliers may vanish before the coordinates of their rows go."""
    mechanism, found = answers(name)
    q = find_assembled_states(mechanism, 2000)
    values = {f"q:{name}[0]": q[:, i] for i, name in enumerate(mechanism.coordinates)}
    for program in (f.program for functions in found for f in functions.values()):
        divisors = [program.instructions[i[-1]] for i in program.instructions if i[0] in ("div", "inv")]
        places = [i[-1] for i in program.instructions if i[0] in ("div", "inv")]
        places = [place for place, divisor in zip(places, divisors, strict=True) if divisor[0] != "guard"]
        inputs = [values.get(name, np.zeros(1)) for name in program.input_names]
        code = type(program)(program.input_names, program.instructions, tuple(places))
        for size in map(np.abs, code.evaluate(inputs)):
            assert np.min(size) > 0.05 * np.median(size)


def test_special_positions_have_cranks_along_the_axes_and_are_closed_and_regular():
    mechanism = sg.load_mechanism("four_bar_angle")
    q = find_assembled_states(mechanism, WIDE)
    residual, J = mechanism.closing_program.interpreter(q)
    assert np.abs(residual).max() < 1e-9
    assert np.linalg.svd(J, compute_uv=False).min() > 1e-2
    for axis in range(2):  # of the crank
        assert (np.abs(q[:, axis]) < 1e-9).any()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e2])
def test_special_positions_are_those_of_mechanisms_of_any_size(size):
    """That at the beginning, a square with its crank along y, is among them."""
    square = sg.load_mechanism(f"""
points:
  - {{name: O, x: 0, y: 0, fixed: true}}
  - {{name: P, x: {size}, y: 0, fixed: true}}
  - {{name: A, x: 0, y: {size}}}
  - {{name: B, x: {size}, y: {size}}}
bodies:
  - {{name: crank, points: [O, A], length: {size}}}
  - {{name: coupler, points: [A, B], length: {size}}}
  - {{name: rocker, points: [P, B], length: {size}}}
angles: [{{angle: theta, of: [O, A]}}]
""")
    q = find_assembled_states(square, WIDE)
    assert (np.abs(q - square.home).max(axis=1) <= 1e-9 * size).any()
