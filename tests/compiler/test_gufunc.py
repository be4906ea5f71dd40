"""Machine code is a genuine NumPy gufunc, and its sines are right."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.llvm.gufunc import assembly, gufunc
from screwgraph.compiler.llvm.loop import Operand
from screwgraph.compiler.llvm.machine import machine_code
from screwgraph.tape import Program

SINCOS = Program(("x",), (("input", 0), ("sin", 0), ("cos", 0)), (1, 2))


@pytest.fixture(scope="module")
def sincos():
    return gufunc("sincos", SINCOS, [((1,), ("x",))], (2,))


def ulps(found: float, exact: mpmath.mpf) -> float:
    return float(abs(mpmath.mpf(float(found)) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact))))))


@pytest.mark.parametrize("largest", [1e-300, 1e-8, 1.0, 4.0, 100.0, 1e5, 1e22, 1e300])
def test_sines_and_cosines_are_within_two_ulps(sincos, largest):
    x = np.random.default_rng(1).uniform(-largest, largest, 400)
    with mpmath.workdps(700):
        errors = [
            max(ulps(s, mpmath.sin(mpmath.mpf(a))), ulps(c, mpmath.cos(mpmath.mpf(a))))
            for a, (s, c) in zip(x.tolist(), sincos(x[:, None]), strict=True)
        ]
    assert max(errors) <= 2.0


def test_sines_are_right_beside_the_zeros_of_sine_and_cosine(sincos):
    quarter_turns = np.arange(-60000, 60001, 997) * (np.pi / 2)
    x = np.concatenate([np.nextafter(quarter_turns, direction) for direction in (-np.inf, np.inf)])
    with mpmath.workdps(60):
        errors = [
            max(ulps(s, mpmath.sin(mpmath.mpf(a))), ulps(c, mpmath.cos(mpmath.mpf(a))))
            for a, (s, c) in zip(x.tolist(), sincos(x[:, None]), strict=True)
        ]
    assert max(errors) <= 2.0


def test_special_angles(sincos):
    with np.errstate(invalid="ignore"):
        found = sincos(np.array([[0.0], [-0.0], [np.nan], [np.inf], [-np.inf]]))
    np.testing.assert_array_equal(found[:2], [[0.0, 1.0], [-0.0, 1.0]])
    assert np.isnan(found[2:]).all()


def test_every_vector_width_computes_the_same():
    """Blocks of 2, 4 and 8 samples, and single ones, on whatever machine this is."""
    robot = sg.load("puma560")
    f = sg.forward_dynamics(robot)
    rng = np.random.default_rng(0)
    state = np.concatenate([rng.uniform(-3, 3, (13, 6)), rng.normal(size=(13, 12))], axis=1)
    expected = f(state[:, :6], state[:, 6:12], state[:, 12:])
    inputs = [Operand((18,), tuple(range(18)))]
    output = Operand((6,), tuple(range(6)))
    for width in (1, 2, 4, 8):
        code = machine_code(assembly(f.program, inputs, output, width), "loop")
        found = run_loop(code.address, state, 6)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def run_loop(address: int, state: np.ndarray, size: int) -> np.ndarray:
    """Call a loop as NumPy does: (args, dimensions, steps, data)."""
    import ctypes

    out = np.empty((len(state), size))
    args = (ctypes.c_void_p * 2)(state.ctypes.data, out.ctypes.data)
    dimensions = (ctypes.c_ssize_t * 3)(len(state), state.shape[1], size)
    steps = (ctypes.c_ssize_t * 4)(*(a.strides[0] for a in (state, out)), 8, 8)
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


def test_results_go_where_they_are_wanted(inverse):
    x = np.random.default_rng(4).normal(size=(3, 10, 6))
    out = np.empty((10, 6))
    assert inverse(*x, out=out) is out
    np.testing.assert_array_equal(out, inverse(*x))
    inverse(*x, out=x[2])
    np.testing.assert_array_equal(x[2], out)


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
