"""The loop over steps and starts: Newton's square root, from starts that lead nowhere, too."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.compiler import Descent, compiled
from screwgraph.spatial import choose
from screwgraph.tape import Tape, program

NAMES = ("a", "start", "attempts", "steps")


def root(starts) -> Descent:
    """Return x with x x = a, x > 0, by Newton's steps: each is judged before it is taken; negative x are given up."""
    tape = Tape("form")
    x, _, a, *_ = (tape.input(name) for name in ("x", "cost", *NAMES))
    gap = x * x - a
    met = choose(gap * gap <= 1e-20, 1.0, 0.0)
    verdict = choose(x < 0.0, 2.0, met)
    step = program(tape, [choose(met > 0.5, x, x - 0.5 * gap / x), gap * gap, verdict], ["x", "cost", *NAMES])
    last = Tape("form")
    (found,) = (last.input(name) for name in ("x",))
    end = program(last, [found, found * found], ["x", *NAMES])
    return Descent(step, end, NAMES, ("start",), (), np.array(starts, dtype=float)[:, None], ("attempts", "steps"))


def function(starts):
    shapes = [((), (name,)) for name in NAMES]
    return compiled("root", root(starts), shapes, [(), (), (3,)])


def test_the_first_start_that_reaches_ends_the_descent():
    f = function([-5.0, 0.5, 3.0])
    for call in (f.quick, f.ufunc):
        x, squared, counts = call(*(np.array(v) for v in (2.0, -1.0, 10.0, 30.0)))
        assert x == pytest.approx(np.sqrt(2.0), abs=1e-10)
        assert squared == pytest.approx(2.0, abs=1e-9)
        assert counts[:2].tolist() == [1.0, 3.0]  # the third start is the first that is positive


def test_batches_take_as_many_steps_as_each_needs():
    f = function([1.0])
    a = np.array([[1.0, 2.0, 1e6], [4.0, 9.0, 1e-6]])
    x, _, counts = f.ufunc(a, 1.0, 2.0, 60.0)
    np.testing.assert_allclose(x, np.sqrt(a), rtol=1e-5)
    assert counts.shape == (2, 3, 3)
    assert counts[0, 0, 2] == 1.0
    assert counts[0, 2, 2] > counts[0, 1, 2]


def test_where_no_start_reaches_the_best_position_counts():
    f = function([40.0, 3.0, 20.0])
    x, _, counts = f.ufunc(2.0, 50.0, 4.0, 1.0)
    assert counts.tolist() == [0.0, 4.0, 4.0]
    assert x == 3.0 - 0.5 * 7.0 / 3.0  # one step from 3, the start of least cost


def test_more_attempts_than_starts_begin_there_again():
    starts, attempts = [40.0, 3.0, 20.0], 100_000
    once, often = (function(starts).ufunc(2.0, 50.0, many, 1.0) for many in (4.0, attempts))
    assert once[0] == often[0]
    assert often[2].tolist() == [0.0, attempts, attempts]
