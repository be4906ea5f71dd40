"""Samples that take much longer than others: whichever they are, each has the result that it has alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

from screwgraph.compiler import compile_program
from screwgraph.compiler.backends.llvm.assembly import emit_loop
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Routine, SettledWhen, SettlingLoop, Tape, program

NAMES = ("x", "y", "z", "limit")
ARGUMENTS = [((3,), NAMES[:3]), ((), NAMES[3:])]
RESULTS = [(2, 2), (3,)]
FAR = 1e3
"""Beyond all limits."""


GUESSES = {
    "right": lambda x, y, z, limit: choose(z > limit, 1.0, 0.0),
    "often wrong": lambda x, y, z, limit: choose(x > y, 1.0, 0.0),
    "never": lambda x, y, z, limit: choose(limit < 0.0, 1.0, 0.0),
}
"""Which samples are expected to take long."""


def halve(guess: str = "") -> Routine:
    """Return ((x, y), (z, n)) and (x, y, z): z is halved n times, until it is at most a limit."""
    memory = Memory()
    for name, size in {"given": 3, "limit": 1, "z": 1, "count": 1, "more": 1}.items():
        memory.add(name, size)

    def begin(given, limit):
        return [given[2], 0.0, choose(given[2] > limit[0], 1.0, 0.0)]

    def again(z, count, more, limit):
        after = choose(more[0] > 0.5, 0.5 * z[0], z[0])
        return [after, count[0] + more[0], choose(after > limit[0], 1.0, 0.0)]

    test = memory.places("more").start
    half = memory.block("again", ["z", "count", "more", "limit"], ["z", "count", "more"], again)
    parts = (
        memory.block("begin", ["given", "limit"], ["z", "count", "more"], begin),
        SettledWhen(test, (SettlingLoop(test, (half,)),), is_rare=True),
    )
    given, own = memory.places("given"), (memory.places("z").start, memory.places("count").start)
    inputs = (*given, memory.places("limit").start)
    likely = None
    if guess:
        tape = Tape(merge="form")
        likely = program(tape, [GUESSES[guess](*map(tape.input, NAMES))], NAMES)
    return Routine(NAMES, inputs, (*given[:2], *own, *given), memory.size, parts, likely)


def expected(points, limits):
    """Return what is found, one state after the other."""
    found = []
    for (x, y, z), limit in zip(points, limits, strict=True):
        low, n = z, 0
        while low > limit:
            low, n = low / 2, n + 1
        found.append([[x, y], [low, n]])
    return np.array(found)


@pytest.mark.parametrize("guess", ["", *GUESSES])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("count", [3, 64, 257, 1000])
def test_each_sample_is_what_it_is_alone(guess, dtype, share, count):
    rng = np.random.default_rng(count)
    f = compile_program("halve", halve(guess), ARGUMENTS, RESULTS, dtype)
    points, limits = rng.integers(1, 900, (count, 3)).astype(dtype), np.full(count, FAR, dtype)
    chosen = rng.random(count) < share
    limits[chosen] = rng.integers(1, 8, chosen.sum())
    halved, kept = f.ufunc(points, limits)
    np.testing.assert_array_equal(halved, expected(points, limits))
    np.testing.assert_array_equal(kept, points)


@pytest.mark.parametrize("guess", ["", "often wrong"])
def test_arrays_may_have_any_strides_and_one_row_for_all(guess):
    rng = np.random.default_rng(0)
    f = compile_program("halve", halve(guess), ARGUMENTS, RESULTS)
    wide = rng.integers(1, 900, (600, 7)).astype(float)
    points, limits = wide[::2, 5:2:-1], np.where(rng.random(300) < 0.1, 4.0, FAR)
    out = np.full((300, 4, 2), np.nan), np.full((300, 6), np.nan)
    f.ufunc(points, limits, out=(out[0][:, ::2], out[1][:, ::2]))
    np.testing.assert_array_equal(out[0][:, ::2], expected(points, limits))
    np.testing.assert_array_equal(out[1][:, ::2], points)
    assert np.isnan(out[0][:, 1::2]).all()
    columns = np.asfortranarray(points)
    np.testing.assert_array_equal(f.ufunc(columns, limits)[0], expected(points, limits))
    np.testing.assert_array_equal(f.ufunc(points[0], limits)[0], expected([points[0]] * 300, limits))


def test_only_code_with_parts_that_few_samples_do_has_samples_that_wait():
    code = halve("right")
    assert unpack_code(pack_code(code)) == code
    assert code.is_rarely_long
    assert re.search("call i[0-9]+ @patient_block", emit_loop(code, ARGUMENTS, RESULTS))
    assert "call void @likely" in emit_loop(code, ARGUMENTS, RESULTS)
    assert "@likely" not in emit_loop(halve(), ARGUMENTS, RESULTS)
    often = Routine(
        code.input_names, code.inputs, code.outputs, code.size, (code.parts[0], SettledWhen(*_fields(code.parts[1])))
    )
    assert not often.is_rarely_long
    assert "patient" not in emit_loop(often, ARGUMENTS, RESULTS)
    assert "patient" not in emit_loop(code, ARGUMENTS, RESULTS, batches=False)


def _fields(part):
    return part.test, part.parts
