"""Much memory of a function comes from the heap: threads with small stacks can call it."""

import threading

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm import allocation, fastcall_code, sample_block
from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc, compile_program
from screwgraph.compiler.passes import outlining
from screwgraph.tape import Program

SMALL = 512 * 2**10
"""Bytes of the stack of a thread, as macOS gives them."""


@pytest.fixture
def nothing_fits(monkeypatch):
    """Every array is too large for the stack, and programs are cut into pieces."""
    monkeypatch.setattr(allocation, "STACK", 0)
    monkeypatch.setattr(fastcall_code, "STACK", 0)
    monkeypatch.setattr(
        sample_block,
        "outline_program",
        lambda program, first, whole, **how: outlining.outline_program(program, first, 100, 50, **how),
    )
    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_answers_from_the_heap_are_those_from_the_stack(nothing_fits, dtype):
    f = sg.forward_dynamics(sg.load("puma560"), dtype=dtype)
    shapes = [(argument.shape, argument.names) for argument in f.arguments]
    code = compile_program("f", f.program, shapes, [(6,)], dtype)
    x = np.random.default_rng(0).uniform(-1, 1, (3, 41, 6)).astype(dtype)
    x[0, 20] = 1e6  # beyond the reach of vectors of sines
    expected = np.array([f.program.evaluate(state) for state in x.astype(float).transpose(1, 0, 2).reshape(41, 18)])
    tolerance = 1e-9 if dtype == "float64" else 1e-2
    np.testing.assert_allclose(code.ufunc(*x), expected, rtol=tolerance, atol=tolerance)
    assert code.quick(*x[:, 0]) is None


@pytest.mark.suite
def test_large_results_need_no_large_stack():
    n = 120
    names = tuple(f"x{i}" for i in range(n))
    products = tuple(("mul", i, j) for i in range(n) for j in range(n))
    program = Program(names, (*(("input", i) for i in range(n)), *products), tuple(range(n, n + n * n)))
    f = compile_gufunc("outer", program, [((n,), names)], [(n, n)])
    x = np.random.default_rng(1).normal(size=(67, n))
    found: list[np.ndarray] = []
    before = threading.stack_size(SMALL)
    try:
        thread = threading.Thread(target=lambda: found.append(f(x)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    np.testing.assert_array_equal(found[0], x[:, :, None] * x[:, None, :])
