"""Results of batches stand where NumPy's strides say, whatever entries are the same value."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.assembly import emit_assembly
from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc
from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import compile_assembly
from screwgraph.tape import Program

SHAPES = ((), (1,), (3,), (7,), (1, 1), (3, 3), (4, 4), (5, 1), (1, 5), (6, 11), (2, 3, 4), (9, 3, 9))
WIDTHS = ((64, 1), (64, 2), (64, 4), (64, 8), (32, 4), (32, 8), (32, 16))
FAR = 1e300


def matrix(shape: tuple[int, ...]) -> Program:
    """Entries are sin x, y, x y, 0, -0.0 and 2.5, each many times."""
    code = (("input", 0), ("input", 1), ("sin", 0), ("mul", 0, 1), ("constant", 2.5))
    kinds = (2, 0.0, 1, 3, -0.0, 4, 2, 0.0, 3, 3, 1)
    size = int(np.prod(shape))
    return Program(("x", "y"), code, tuple(kinds[i % len(kinds)] for i in range(size)))


def expected(shape: tuple[int, ...], x: np.ndarray) -> np.ndarray:
    entries = matrix(shape).evaluate([x[:, 0].astype(float), x[:, 1].astype(float)])
    columns = [np.broadcast_to(entry, len(x)) for entry in entries]
    return np.stack(columns, axis=1).reshape(len(x), *shape)


def loop(shapes: Sequence[tuple[int, ...]], lanes: Lanes, cache: int) -> Callable[..., None]:
    """Return a function of two numbers with the same matrix of each shape, as NumPy calls it."""
    size = [int(np.prod(shape)) for shape in shapes]
    outputs = tuple(o for shape in shapes for o in matrix(shape).outputs)
    program = Program(("x", "y"), matrix(()).instructions, outputs)
    starts = np.cumsum([0, *size])
    operands = [Operand(s, tuple(range(a, a + n))) for s, a, n in zip(shapes, starts.tolist(), size, strict=False)]
    code = compile_assembly(emit_assembly(program, [Operand((2,), (0, 1))], operands, lanes, cache=cache), "loop")

    def call(*arrays: np.ndarray) -> None:
        args = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        dimensions = (ctypes.c_ssize_t * 1)(len(arrays[0]))
        strides = [*(a.strides[0] for a in arrays), *(s for a in arrays for s in a.strides[1:])]
        steps = (ctypes.c_ssize_t * len(strides))(*strides)
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address)(args, dimensions, steps, None)

    return call


def layouts(count: int, shape: tuple[int, ...], dtype: np.dtype) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return arrays, each with all the memory in which it lies: rows, columns, gaps, reversed, matrices transposed."""
    room = [np.full((count + 2, *shape), -1.0, dtype, order=order) for order in ("C", "F")]
    found = [(a[1:-1], a) for a in room]
    wide = np.full((count + 1, *(2 * n for n in shape)), -1.0, dtype)
    found.append((wide[(slice(1, None), *(slice(None, None, 2) for _ in shape))], wide))
    parts = np.full((count, *(n + 1 for n in shape)), -1.0, dtype)
    found.append((parts[(slice(None, None, -1), *(slice(1, None) for _ in shape))], parts))
    turned = np.full((count, *shape[::-1]), -1.0, dtype)
    return [*found, (turned.transpose(0, *range(len(shape), 0, -1)), turned)]


@pytest.mark.parametrize(("bits", "width"), WIDTHS)
@pytest.mark.sampled(10)
def test_every_width_writes_every_layout_and_nothing_beside_it(bits, width):
    lanes, dtype = Lanes(width, bits), np.dtype(f"f{bits // 8}")
    call = loop(SHAPES, lanes, cache=2**40)
    for count in (0, 1, width - 1, width + 1, 9 * width + 3):
        x = np.random.default_rng(count).uniform(-3, 3, (count, 2)).astype(dtype)
        places = [layouts(count, shape, dtype) for shape in SHAPES]
        for order, arrays in (("C", x), ("F", np.asfortranarray(x))):
            for made in zip(*places, strict=True):
                for _, memory in made:
                    memory[...] = -1.0
                call(arrays, *(array for array, _ in made))
                for shape, (array, memory) in zip(SHAPES, made, strict=True):
                    wanted = expected(shape, x)
                    np.testing.assert_allclose(array, wanted, 4 * np.finfo(dtype).eps, err_msg=f"{order} {shape}")
                    assert np.array_equal(np.signbit(array), np.signbit(wanted))  # of zeros, too
                    array[...] = -1.0
                    assert (memory == -1.0).all()


@pytest.mark.parametrize(("bits", "width"), WIDTHS[1:])
@pytest.mark.sampled(4)
def test_large_results_go_past_the_caches_and_are_the_same(bits, width):
    """From every address of a line on, so that heads and tails of all lengths are copied."""
    dtype, shape, count = np.dtype(f"f{bits // 8}"), (13, 23), 5 * width + 1
    near, past = (loop([shape], Lanes(width, bits), cache) for cache in (2**40, 0))
    x = np.random.default_rng(0).uniform(-3, 3, (count, 2)).astype(dtype)
    wanted, size = np.empty((count, *shape), dtype), count * 13 * 23
    near(x, wanted)
    for start in range(64 // dtype.itemsize):
        memory = np.full(size + 64, -1.0, dtype)
        found = memory[start : start + size].reshape(count, *shape)
        past(x, found)
        np.testing.assert_array_equal(found, wanted)
        assert (memory[:start] == -1.0).all()
        assert (memory[start + size :] == -1.0).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_samples_with_large_angles_fill_all_entries(dtype):
    """One in thirteen is computed by itself, with each entry in its place."""
    shape, far = (6, 11), FAR if dtype == "float64" else 1e30
    x = np.random.default_rng(3).uniform(-3, 3, (203, 2)).astype(dtype)
    x[::13, 0] = far
    found = compile_gufunc("matrix", matrix(shape), [((2,), ("x", "y"))], [shape], dtype)(x)
    np.testing.assert_allclose(found, expected(shape, x), 4 * np.finfo(dtype).eps)


def test_batches_broadcast_and_may_be_empty():
    f = compile_gufunc("matrix", matrix((3, 3)), [((1,), ("x",)), ((1,), ("y",))], [(3, 3)])
    x, y = np.linspace(-1, 1, 6).reshape(2, 1, 3, 1), np.linspace(0, 2, 5).reshape(5, 1, 1)
    every = np.stack(np.broadcast_arrays(x[..., 0], y[..., 0]), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(f(x, y), expected((3, 3), every).reshape(2, 5, 3, 3, 3), 1e-15)
    assert f(x[:0], y).shape == (0, 5, 3, 3, 3)


@pytest.mark.parametrize("order", ["C", "F"])
def test_one_sample_is_written_to_its_array_wherever_its_entries_are(order):
    f = sg.mass_matrix(sg.load("puma560"))
    q = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    batch = np.array(f(np.repeat(q, 8, axis=0)))[::8]
    for state, expected in zip(q, batch, strict=True):
        around = np.full((8, 8), 7.0, order=order)
        for ufunc in (f.single, f.ufunc):
            ufunc(state, out=around[1:7, 1:7])
            np.testing.assert_allclose(around[1:7, 1:7], expected, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(around[[0, 7]], 7.0)
        np.testing.assert_array_equal(around[:, [0, 7]], 7.0)
        np.testing.assert_allclose(f.ufunc(state, out=np.empty((6, 6), order=order)), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_one_sample_may_be_read_where_its_results_go(step):
    f = sg.mass_matrix(sg.load("puma560"))
    q = np.random.default_rng(0).uniform(-1, 1, 6)
    for ufunc in (f.single, f.ufunc, f):
        memory = np.zeros((6, 6))
        state = memory.reshape(-1)[:: step * 2][:6]
        state[:] = q
        ufunc(state, out=memory)
        np.testing.assert_allclose(memory, f(q), rtol=0, atol=1e-13)
