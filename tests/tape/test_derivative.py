"""Derivatives on a tape: of every operation, of random expressions, sparse, forward and reverse alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from screwgraph.tape import OPERATIONS, Tape, apply, derivative, gradient, hessian, jacobian, program
from tests.tape.expressions import INPUTS, evaluate, inputs, known_well, trees

PROPERTY = settings(deadline=None, max_examples=150)
STEP = 1e-30
WAYS = ("forward", "reverse")


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Sweep one way, whatever is shorter."""
    monkeypatch.setattr(derivative._Graph, "forward_work", lambda graph, columns: request.param != "forward")
    monkeypatch.setattr(derivative._Graph, "reverse_work", lambda graph, columns: request.param != "reverse")
    return request.param


def values_of(tape, numbers, x):
    return np.array([float(v) for v in program(tape, numbers, tape.input_names).evaluate(x)])


def form_tape(count):
    tape = Tape(merge="form")
    return tape, [tape.input(name) for name in "abc"[:count]]


@pytest.mark.parametrize("name", [n for n, o in OPERATIONS.items() if any(o.partials) and n != "where"])
def test_partial_derivatives_are_slopes(name):
    tape, ab = form_tape(OPERATIONS[name].arity)
    y = apply(name, *ab)
    code = program(tape, [y, *gradient(y, ab)], tape.input_names)
    rng = np.random.default_rng(5)
    for x in rng.uniform(0.1, 0.9, (20, len(ab))):
        x[0] += 1.0 if name in ("acosh", "guard") else 0.0
        value, *slopes = code.evaluate(x)
        assert value == pytest.approx(OPERATIONS[name].values(*x), rel=1e-14)
        for i, slope in enumerate(slopes):
            h = np.eye(len(x))[i] * 1e-6
            # A central difference errs by h^2 times the third derivative, and by rounding of the values over h.
            difference = (OPERATIONS[name].values(*(x + h)) - OPERATIONS[name].values(*(x - h))) / 2e-6
            assert slope == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("abs", (0.0,), (0.0,)),
        ("abs", (-2.0,), (-1.0,)),
        ("min", (1.0, 1.0), (1.0, 0.0)),
        ("max", (1.0, 1.0), (1.0, 0.0)),
        ("max", (1.0, 2.0), (0.0, 1.0)),
        ("where", (0.0, 3.0), (0.0, 0.0)),
        ("where", (1.0, 3.0), (0.0, 1.0)),
        ("floor", (1.0,), (0.0,)),
        ("lt", (1.0, 1.0), (0.0, 0.0)),
    ],
)
def test_kinks_have_one_sided_derivatives(name, x, expected):
    tape, ab = form_tape(len(x))
    np.testing.assert_array_equal(values_of(tape, gradient(apply(name, *ab), ab), x), expected)


@pytest.mark.parametrize("merge", ["value", "form"])
@pytest.mark.sampled(4)
def test_both_ways_are_exact(way, merge):
    @PROPERTY
    @given(st.lists(trees, min_size=1, max_size=3))
    def exact(several):
        x = np.array([0.7312, -1.1823, 1.6231])
        assume(all(known_well(tree, x) for tree in several))
        with np.errstate(all="ignore"):
            rows = [evaluate_complex(tree, x) for tree in several]
        assume(np.isfinite(rows).all() and np.abs(rows).max() < 1e3)
        scalars = inputs(*INPUTS) if merge == "value" else form_tape(3)[1]
        tape = scalars[0].tape
        found = jacobian([evaluate(tree, scalars) for tree in several], scalars)
        dense = [row.get(j, 0.0) for row in found for j in range(3)]
        with np.errstate(all="ignore"):
            actual = values_of(tape, dense, x).reshape(-1, 3)
        np.testing.assert_allclose(actual, rows, rtol=1e-9, atol=1e-9)

    exact()


def evaluate_complex(tree, x):
    """Return the derivatives of a tree by complex steps."""
    values = [evaluate(tree, x + 1j * STEP * unit) for unit in np.eye(3)]
    return np.imag(np.array(values, dtype=complex)) / STEP


def test_only_what_depends_has_entries(way):
    _, (a, b, c) = form_tape(3)
    rows = jacobian([a * b, np.sin(c), 3.0, a - a + c], [a, b, c])
    assert [set(row) for row in rows] == [{0, 1}, {2}, set(), {2}]


def test_seeds_are_directions(way):
    tape, (a, b) = form_tape(2)
    rows = jacobian([a * b], [a, b], [{0: 2.0, 1: 1.0}, {1: b}])
    assert values_of(tape, [rows[0][0], rows[0][1]], (3.0, 5.0)).tolist() == [10.0, 5.0 + 15.0]


def test_second_derivatives_are_a_lower_triangle():
    tape, (a, b, c) = form_tape(3)
    rows = hessian(a * a * b + np.exp(c) * b, [a, b, c])
    assert [set(row) for row in rows] == [{0}, {0}, {1, 2}]
    entries = values_of(tape, [rows[0][0], rows[1][0], rows[2][1], rows[2][2]], (2.0, 3.0, 0.5))
    np.testing.assert_allclose(entries, [6.0, 4.0, np.exp(0.5), 3.0 * np.exp(0.5)], rtol=1e-15)


def test_values_of_both_orders_of_a_product_are_written_once():
    tape, (a, b) = form_tape(2)
    before = len(tape.nodes)
    assert a * b is b * a
    assert len(tape.nodes) == before + 1
    assert (a * b) - (b * a) == 0.0


@pytest.mark.parametrize("build", [np.abs, lambda x: np.sqrt(x * x), lambda x: apply("max", x, -x)])
def test_what_holds_at_the_samples_only_is_not_believed(build):
    tape = Tape()
    x = tape.input("x", [1.5, 0.3, 2.0, 0.7, *np.linspace(0.1, 1.0, 64)])
    y = build(x)
    (at_minus_two, difference) = program(tape, [y, y - x]).evaluate([-2.0])
    assert (at_minus_two, difference) == (2.0, 4.0)


@pytest.mark.parametrize("merge", ["value", "form"])
def test_conditions_choose(merge):
    tape = Tape(merge)
    x = tape.input("x", np.linspace(0.5, 1.5, 68) if merge == "value" else ())
    smaller = x < 2.0
    y = apply("where", smaller, x) + apply("where", apply("not", smaller), x * x)
    assert [program(tape, [y]).evaluate([v])[0] for v in (1.5, 3.0)] == [1.5, 9.0]


def test_a_condition_is_no_truth_value():
    _, (a, b) = form_tape(2)
    with pytest.raises(ValueError, match="choose"):
        bool(a < b)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 16, -2, 0.5, -0.5, 1.7, 40])
def test_powers(exponent):
    tape, (a,) = form_tape(1)
    y = a**exponent
    expected = 1.3**exponent
    assert values_of(tape, [y, *gradient(y, [a])], [1.3]) == pytest.approx(
        [expected, exponent * expected / 1.3], rel=1e-13
    )


def test_functions_of_numpy_work_on_arrays_of_scalars():
    tape, ab = form_tape(2)
    x = np.array(ab, dtype=object)
    y = np.concatenate([np.sin(x), np.exp(x), np.sqrt(x), np.arctan2(x, x[::-1]), np.tanh(x), x @ x * x])
    at = np.array([0.3, 0.8])
    expected = [np.sin(at), np.exp(at), np.sqrt(at), np.arctan2(at, at[::-1]), np.tanh(at), at @ at * at]
    np.testing.assert_allclose(values_of(tape, list(y), at), np.concatenate(expected), rtol=1e-15)
