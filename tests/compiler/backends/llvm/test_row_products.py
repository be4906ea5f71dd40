"""Products of large matrices in code with loops, and sines of neighbours, beside NumPy."""

import numpy as np
import pytest

from screwgraph.compiler import compile_program
from screwgraph.compiler.backends.llvm.routine.row_products import find_row_products
from screwgraph.optimize.chain_program.columns import make_columns
from screwgraph.spatial import sin
from screwgraph.tape import Block, Memory, Routine, StageLoop, Window, dot

ROWS, TERMS, STAGES = 23, 31, 3


def multiply(columns, sign=1.0, *, in_place=False):
    """Return C + A B or C - A B of each of some stages, and stretches of rows; odd rows of A lack their last term."""
    memory, widths = Memory(), {"A": TERMS, "B": columns, "C": columns}
    for name, rows in (("out", ROWS), ("A", ROWS), ("B", TERMS), ("C", ROWS)):
        memory.add(name, STAGES * rows * widths.get(name, columns))
    A, B, C, out = (memory.places(name).start for name in ("A", "B", "C", "out"))
    out = C if in_place else out
    counts = [TERMS - i % 2 for i in range(ROWS)]
    scalars = [A + i * TERMS + k for i in range(ROWS) for k in range(counts[i])]
    vectors = [B + k * columns for k in range(TERMS)] + [C + i * columns for i in range(ROWS)]

    def add(numbers, rows):
        found, at = [], 0
        for i, count in enumerate(counts):
            total = dot(numbers[at : at + count], rows[:count])
            found.append(rows[TERMS + i] + total if sign > 0.0 else rows[TERMS + i] - total)
            at += count
        return found

    loop = make_columns("product", columns, scalars, vectors, [out + i * columns for i in range(ROWS)], add)
    block = next(part for part in loop.parts if isinstance(part, Block))
    strides = {"out": ROWS * columns, "A": ROWS * TERMS, "B": TERMS * columns, "C": ROWS * columns}
    windows = [Window(memory.places(x).start, len(memory.places(x)), s) for x, s in strides.items()]
    given = [place for name in "ABC" for place in memory.places(name)]
    places = memory.places("C" if in_place else "out")
    names = tuple(f"x{i}" for i in range(len(given)))
    routine = Routine(names, tuple(given), tuple(places), memory.size, (StageLoop(STAGES, (loop,), tuple(windows)),))
    return routine, find_row_products(block, loop)


@pytest.mark.parametrize("columns", [8, 23, 40])
@pytest.mark.parametrize(("dtype", "near"), [("float64", 1e-13), ("float32", 1e-4)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_large_products_are_those_of_numpy(columns, dtype, near, sign):
    routine, (rows,) = multiply(columns, sign)
    assert (len(rows.rows), rows.terms) == (ROWS, TERMS - 1)
    rng, shapes = np.random.default_rng(0), [(STAGES, ROWS, TERMS), (STAGES, TERMS, columns), (STAGES, ROWS, columns)]
    A, B, C = (rng.standard_normal(shape) for shape in shapes)
    names = iter(routine.input_names)
    sizes = [((x.size,), tuple(next(names) for _ in range(x.size))) for x in (A, B, C)]
    f = compile_program("product", routine, sizes, [(STAGES * ROWS * columns,)], dtype, batches=False).ufunc
    found = np.asarray(f(*(x.ravel().astype(dtype) for x in (A, B, C)))).reshape(C.shape)
    A[:, 1::2, -1] = 0.0
    assert np.abs(found - (C + sign * A @ B)).max() < near


def test_rows_that_are_written_where_others_are_read_have_no_loops():
    assert not multiply(16, in_place=True)[1]


@pytest.mark.parametrize("count", [8, 11, 3])
def test_large_angles_of_neighbours_have_sines(count):
    memory = Memory()
    memory.add("out", count)
    memory.add("angle", count)
    own = [memory.places(name).start for name in ("angle", "out")]
    loop = make_columns("sine", count, [], own[:1], own[1:], lambda _, rows: [sin(rows[0])])
    names = tuple(f"x{i}" for i in range(count))
    routine = Routine(names, tuple(memory.places("angle")), tuple(memory.places("out")), memory.size, (loop,))
    f = compile_program("sine", routine, [((count,), names)], [(count,)], batches=False).ufunc
    angles = np.linspace(-2.0, 3.0, count)
    angles[count // 2] = 3e7
    assert np.abs(np.asarray(f(angles)) - np.sin(angles)).max() < 1e-15
