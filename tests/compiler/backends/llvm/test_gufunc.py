"""Machine code is a genuine NumPy gufunc, and its sines are right."""

from __future__ import annotations

import ctypes
import gc
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.assembly import emit_assembly
from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc
from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import compile_assembly
from screwgraph.tape import Program

SINCOS = Program(("x",), (("input", 0), ("sin", 0), ("cos", 0)), (1, 2))


@pytest.fixture(scope="module", params=["float64", "float32"])
def sincos(request):
    return compile_gufunc("sincos", SINCOS, [((1,), ("x",))], [(2,)], request.param)


def number_type(sincos: np.ufunc) -> type:
    return {"d": np.float64, "f": np.float32}[sincos.types[0][0]]


def ulps(found: np.floating, exact: mpmath.mpf) -> float:
    spacing = np.spacing(abs(type(found)(float(exact))))
    return float(abs(mpmath.mpf(float(found)) - exact) / mpmath.mpf(float(spacing)))


def largest_error(sincos: np.ufunc, x: np.ndarray, digits: int) -> float:
    with mpmath.workdps(digits):
        return max(
            max(ulps(s, mpmath.sin(mpmath.mpf(a))), ulps(c, mpmath.cos(mpmath.mpf(a))))
            for a, (s, c) in zip(x.tolist(), sincos(x[:, None]), strict=True)
        )


@pytest.mark.parametrize("largest", [1e-300, 1e-40, 1e-8, 1.0, 4.0, 100.0, 1e5, 1e22, 1e38, 1e300])
@pytest.mark.sampled(6)
def test_sines_and_cosines_are_within_two_ulps(sincos, largest):
    kind = number_type(sincos)
    if largest > float(np.finfo(kind).max):
        pytest.skip("there are no such numbers")
    x = np.random.default_rng(1).uniform(-largest, largest, 400).astype(kind)
    assert largest_error(sincos, x, 700) <= 2.0


def test_sines_are_right_beside_the_zeros_of_sine_and_cosine(sincos):
    quarter_turns = (np.arange(-60000, 60001, 997) * (np.pi / 2)).astype(number_type(sincos))
    x = np.concatenate([np.nextafter(quarter_turns, quarter_turns.dtype.type(end)) for end in (-np.inf, np.inf)])
    assert largest_error(sincos, x, 60) <= 2.0


def test_special_angles(sincos):
    with np.errstate(invalid="ignore"):
        found = sincos(np.array([[0.0], [-0.0], [np.nan], [np.inf], [-np.inf]], number_type(sincos)))
    np.testing.assert_array_equal(found[:2], [[0.0, 1.0], [-0.0, 1.0]])
    assert np.isnan(found[2:]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_angles_of_one_sample_go_together_and_large_ones_too(dtype):
    """Nine or seventeen angles: whole vectors of them, one alone, some that are sums; the digits of batches."""
    n = 17
    inputs = tuple(("input", i) for i in range(n))
    sums = tuple(("add", i, i + 1) for i in range(n - 1))
    angles = (*range(n), *range(n, 2 * n - 1))
    code = (*inputs, *sums, *(("sin", i) for i in angles), *(("cos", i) for i in angles))
    names = tuple(f"x{i}" for i in range(n))
    program = Program(names, code, tuple(range(2 * n - 1, len(code))))
    f = compile_gufunc("angles", program, [((n,), names)], [(len(program.outputs),)], dtype)
    x = np.random.default_rng(5).uniform(-4, 4, (64, n)).astype(dtype)
    x[3, 5], x[4, 0], x[5, 16] = 1e6, -1e9, np.nan
    np.testing.assert_array_equal([f(row) for row in x], f(x))


@pytest.mark.parametrize(("bits", "widths", "tolerance"), [(64, (1, 2, 4, 8), 1e-9), (32, (1, 4, 8, 16), 2e-3)])
def test_every_vector_width_computes_the_same(bits, widths, tolerance):
    """Blocks of samples and single ones, rows and columns, on whatever machine this is."""
    robot = sg.load("puma560")
    f = sg.forward_dynamics(robot, ordering="aba")
    rng = np.random.default_rng(0)
    state = np.concatenate([rng.uniform(-3, 3, (109, 6)), rng.normal(size=(109, 12))], axis=1)
    expected = f(state[:, :6], state[:, 6:12], state[:, 12:])
    inputs, outputs = [Operand((18,), tuple(range(18)))], [Operand((6,), tuple(range(6)))]
    for width in widths:
        code = compile_assembly(emit_assembly(f.program, inputs, outputs, Lanes(width, bits)), "loop")
        for order in ("C", "F"):
            typed = np.array(state, f"f{bits // 8}", order=order)
            found = run_loop(code.address, typed, np.empty((109, 6), typed.dtype, order=order))
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def run_loop(address: int, state: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Call a loop as NumPy does: (args, dimensions, steps, data)."""
    args = (ctypes.c_void_p * 2)(state.ctypes.data, out.ctypes.data)
    dimensions = (ctypes.c_ssize_t * 3)(len(state), state.shape[1], out.shape[1])
    steps = (ctypes.c_ssize_t * 4)(*(a.strides[0] for a in (state, out)), *(a.strides[1] for a in (state, out)))
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)(args, dimensions, steps, None)
    return out


@pytest.fixture(scope="module")
def inverse():
    return sg.inverse_dynamics(sg.load("puma560"))


def test_it_is_a_gufunc_with_its_shapes(inverse):
    assert isinstance(inverse.ufunc, np.ufunc)
    assert inverse.ufunc.signature == "(6),(6),(6)->(6)"


def test_it_outlives_the_function_that_made_it():
    ufunc = sg.bias_forces(sg.load("rr")).ufunc
    gc.collect()
    assert ufunc.__name__ == "bias_forces"
    assert ufunc(np.zeros(2), np.zeros(2)).shape == (2,)


def test_both_memory_layouts_and_strides_give_the_same(inverse):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(3, 101, 6))
    expected = np.array([inverse(*state) for state in zip(*x, strict=True)])
    np.testing.assert_allclose(inverse(*x), expected, rtol=1e-10, atol=1e-12)
    columns = [np.asfortranarray(a) for a in x]
    np.testing.assert_allclose(inverse(*columns), expected, rtol=1e-10, atol=1e-12)
    spread = [np.repeat(a, 2, axis=0)[::2] for a in x]
    np.testing.assert_allclose(inverse(*spread), expected, rtol=1e-10, atol=1e-12)
    turned = [a[::-1] for a in x]
    np.testing.assert_allclose(inverse(*turned), expected[::-1], rtol=1e-10, atol=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17, 32, 75])
@pytest.mark.parametrize("length", [1, 2, 5, 8, 11, 17, 24])
def test_rows_of_every_length_are_moved_right_and_nothing_beside_them(count, length):
    """Each number comes back in its place, whatever squares the rows are cut into."""
    names = tuple(f"x{i}" for i in range(length))
    same = Program(names, tuple(("input", i) for i in range(length)), tuple(range(length)))
    for dtype in ("float64", "float32"):
        f = compile_gufunc("same", same, [((length,), names)], [(length,)], dtype)
        x = np.arange(count * length, dtype=dtype).reshape(count, length)
        for order in ("C", "F"):
            room = np.full((count + 2, length + 2), -1.0, dtype, order=order)
            f(np.array(x, order=order), out=room[1:-1, 1:-1])
            np.testing.assert_array_equal(room[1:-1, 1:-1], x)
            room[1:-1, 1:-1] = -1.0
            assert (room == -1.0).all()


def test_numbers_in_reverse_are_no_trouble(inverse):
    x = np.random.default_rng(4).normal(size=(3, 19, 6))
    backwards = [np.ascontiguousarray(a[:, ::-1])[:, ::-1] for a in x]
    np.testing.assert_array_equal(inverse(*backwards), inverse(*x))


def test_results_go_where_they_are_wanted(inverse):
    x = np.random.default_rng(4).normal(size=(3, 10, 6))
    out = np.empty((10, 6))
    assert inverse(*x, out=out) is out
    np.testing.assert_array_equal(out, inverse(*x))


def test_results_may_go_where_arguments_are(inverse):
    for order in ("C", "F"):
        x = [np.array(a, order=order) for a in np.random.default_rng(4).normal(size=(3, 21, 6))]
        expected = inverse(*x)
        overlapping = np.array(np.concatenate([x[0], x[0][:1]]), order=order)
        inverse(overlapping[:-1], x[1], x[2], out=overlapping[1:])
        np.testing.assert_array_equal(overlapping[1:], expected)
        inverse(*x, out=x[2])
        np.testing.assert_array_equal(x[2], expected)


def test_other_number_types_are_converted(inverse):
    whole = np.arange(18).reshape(3, 6)
    np.testing.assert_array_equal(inverse(*whole), inverse(*whole.astype(float)))
    np.testing.assert_array_equal(inverse(*whole.tolist()), inverse(*whole.astype(np.float32)))


def test_threads_compute_at_the_same_time_and_do_not_disturb_each_other(inverse):
    rng = np.random.default_rng(6)
    work = [rng.normal(size=(3, 20000, 6)) for _ in range(4)]
    expected = [inverse(*x) for x in work]
    with ThreadPoolExecutor(2) as pool:
        for found, wanted in zip(pool.map(lambda x: inverse(*x), work * 3), expected * 3, strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("bits", [64, 32])
def test_angles_of_sines_and_large_angles_among_small_ones(bits):
    """sin(x + 3e5 cos x) and x sin x, in blocks where some samples need the C library."""
    program = Program(
        ("x",),
        (
            ("input", 0),
            ("cos", 0),
            ("constant", 3e5),
            ("mul", 2, 1),
            ("add", 0, 3),
            ("sin", 4),
            ("sin", 0),
            ("mul", 0, 6),
        ),
        (5, 7),
    )
    dtype = np.dtype(f"f{bits // 8}")
    x = np.linspace(-7, 7, 203, dtype=dtype)
    x[::13] *= 1e6
    found = compile_gufunc("nested", program, [((1,), ("x",))], [(2,)], dtype.name)(x[:, None])
    inner = x.astype(float) + 3e5 * np.cos(x.astype(float))
    eps = np.finfo(dtype).eps
    assert np.all(np.abs(found[:, 1] - x * np.sin(x.astype(float))) <= 4 * eps * (1 + np.abs(x)))
    assert np.all(np.abs(found[:, 0] - np.sin(inner)) <= 4 * eps * (3e5 + np.abs(x)))
