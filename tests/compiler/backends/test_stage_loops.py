"""Stages of chains as loops: numbers of each stage, and windows of those around it, in every language."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.compiler import ExportedFunction, Library, Result, compile_program, library_code
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.compiler.signature import Argument
from screwgraph.spatial import sin
from screwgraph.tape import Memory, Routine, SideBySide, StageLoop, Window
from screwgraph.tape.parts import Copies, Fill, Products, Span
from screwgraph.tape.verifier import list_faults
from tests.api.deployment.tools import found, run_c_examples, run_rust_examples, write_files
from tests.compiler.backends.node import called

STAGES, WIDE = 5, 27


def chain() -> Routine:
    """A recursion backwards and one forwards: y_k = a_k y_{k+1} + b_k, then z_{k+1} = y_k z_k + c, for 3 numbers.

    Copies and products go along; a loop within another begins at each of its passages anew, or moves with it.
    """
    memory, n = Memory(), 3
    out = memory.add("out", 2 * n * (STAGES + 1))
    given = memory.add("given", 2 * n * STAGES + 1)
    for name, size in {
        "kept": n * STAGES,
        "row": n,
        "sum": 1,
        "dot": STAGES,
        "wide": WIDE,
        "grid": STAGES * WIDE,
    }.items():
        memory.add(name, size)
    last, z, dot = n * (STAGES - 1), out[n * (STAGES + 1)], memory.places("dot").start
    named = {"y0": 0, "y": last, "y'": last + n, "z": z, "z'": z + n}
    for name, start in {**named, "a": given[last], "b": given[n * STAGES + last]}.items():
        memory.alias(name, range(start, start + n))
    memory.alias("c", given[-1:])
    kept = memory.places("kept").start
    first = {name: memory.alias(f"{name}0", memory.places(name)[:1]).start for name in ("given", "wide", "grid", "dot")}
    side = memory.block("side", ["given0", "c", "wide0"], ["wide0"], lambda a, c, w: [w[0] + a[0] * c[0]])
    columns = tuple(Window(first[name], 1, 1) for name in ("given", "wide"))
    scale = memory.block("scale", ["given0", "dot0", "c"], ["grid0"], lambda a, d, c: [a[0] * d[0] + c[0]])
    rows = tuple(Window(first[name], 1, 1) for name in ("given", "grid"))
    down = (Window(first["grid"], STAGES * WIDE, WIDE), Window(dot, STAGES, 1))
    back = tuple(Window(memory.places(name).start, size, -n) for name, size in (("a", n), ("b", n), ("y", 2 * n)))
    ahead = (Window(0, n, n), Window(z, 2 * n, n), Window(kept, n, n), Window(dot, 1, 1))
    take = Copies(tuple(range(kept, kept + n)), tuple(memory.places("row")))
    add = memory.block("add", ["sum", "row"], ["sum"], lambda s, x: [s[0] + x[0] * x[1]])
    parts = (
        Fill(n * STAGES, n),
        memory.block("end", [], ["z"], lambda: [1.0, 2.0, 3.0]),
        StageLoop(
            STAGES,
            (memory.block("back", ["a", "b", "y'"], ["y"], lambda a, b, y: [*(a * (y + 0.5) + b)]),),
            back,
        ),
        StageLoop(
            STAGES,
            (
                memory.block("ahead", ["y0", "z", "c"], ["z'"], lambda y, z, c: [*(y * z + c[0])]),
                Copies(tuple(range(z, z + n)), tuple(range(kept, kept + n))),
                Products(n, 0, z, 1, dot, 1, (Span(0, 0, 1),)),
            ),
            ahead,
        ),
        memory.block("none", [], ["sum"], lambda: [0.0]),
        Fill(first["wide"], WIDE),
        SideBySide(WIDE, (side,), columns),
        StageLoop(STAGES, (SideBySide(WIDE, (scale,), rows),), down),
        StageLoop(
            2,
            (StageLoop(STAGES, (take, add), ahead[2:3]),),
            (),
        ),
    )
    outputs = (*out, *(place for name in ("sum", "dot", "wide", "grid") for place in memory.places(name)))
    names = tuple(f"x{i}" for i in range(len(given)))
    return Routine(names, tuple(given), outputs, memory.size, parts)


def expected_chain(x) -> np.ndarray:
    (a, b), c = np.reshape(x[:-1], (2, STAGES, 3)), x[-1]
    y, z = np.zeros((STAGES + 1, 3)), np.zeros((STAGES + 1, 3))
    for k in reversed(range(STAGES)):
        y[k] = a[k] * (y[k + 1] + 0.5) + b[k]
    z[0] = 1.0, 2.0, 3.0
    for k in range(STAGES):
        z[k + 1] = y[k] * z[k] + c
    dots = [y[k] @ z[k] for k in range(STAGES)]
    wide, grid = np.array(x[:WIDE]) * c, np.outer(dots, x[:WIDE]) + c
    return np.array([*y.ravel(), *z.ravel(), 2.0 * (z[:-1, 0] @ z[:-1, 1]), *dots, *wide, *grid.ravel()])


GIVEN = np.random.default_rng(8).uniform(-1.0, 1.0, (9, 6 * STAGES + 1))


def chain_listing(dtype: str = "float64") -> ExportedFunction:
    code = chain()
    arguments = [Argument("x", (len(code.input_names),), code.input_names)]
    return ExportedFunction("chain", code, arguments, [Result("y", (len(code.outputs),))], dtype, lambda: [GIVEN])


def test_stages_in_numbers_without_loops_and_in_machine_code():
    code = chain()
    assert list_faults(code) == []
    wanted = np.array([expected_chain(x) for x in GIVEN])
    np.testing.assert_allclose([code.evaluate(list(x)) for x in GIVEN], wanted, rtol=1e-13)
    np.testing.assert_allclose([code.unrolled.evaluate(list(x)) for x in GIVEN], wanted, rtol=1e-13)
    f = compile_program("chain", code, [((len(GIVEN[0]),), code.input_names)], [(len(code.outputs),)])
    np.testing.assert_allclose(f.ufunc(GIVEN[0]), wanted[0], rtol=1e-13)
    np.testing.assert_allclose(f.ufunc(GIVEN), wanted, rtol=1e-13)
    assert unpack_code(pack_code(code)) == code


def test_stages_count_as_often_as_they_are_done():
    assert chain().operations["*"] == (3 + 3 + 3 + 2 + WIDE) * STAGES + WIDE  # backwards, ahead, products, sum, grid


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("known", [True, False])
def test_stages_in_c(tmp_path, dtype, known):
    found("gcc", "clang", "cc")
    write_files(library_code(Library("stages", [chain_listing(dtype)]), "c"), tmp_path)
    source = tmp_path / "stages.c"
    text = source.read_text(encoding="utf-8")
    assert "+= STAGES_LANES)" in text  # neighbours go side by side, what is left of them on fewer lanes
    if not known:  # for other compilers, the hint is nothing
        source.write_text(text.replace("__clang__", "NONE").replace("__GNUC__", "NONE"), encoding="utf-8")
    assert "0 numbers differ" in run_c_examples("stages", tmp_path, "-O3")


def test_stages_in_rust(tmp_path):
    found("rustc")
    write_files(library_code(Library("stages", [chain_listing()]), "rust"), tmp_path)
    assert "1 passed" in run_rust_examples("stages", tmp_path)


def test_stages_in_webassembly(tmp_path):
    write_files(library_code(Library("stages", [chain_listing()]), "wasm"), tmp_path)
    for got, x in zip(called(tmp_path / "stages.mjs", "stages_chain", [[list(x)] for x in GIVEN]), GIVEN, strict=True):
        np.testing.assert_allclose(got, expected_chain(x), rtol=1e-13)


@pytest.mark.parametrize("passages", [8, 13, 50])
def test_numbers_of_passages_are_moved_wherever_they_stand(passages):
    """Long runs, those with one and with some numbers more than a vector holds, and single ones, many of them."""
    pitch, memory = 168, Memory()
    found = memory.add("found", pitch * passages)
    given = memory.add("given", pitch * passages)
    kept = [*range(11), *range(13, 22), *range(24, 160, 4)]
    for name, places in (("to", found), ("from", given)):
        memory.scatter(name, [places[i] for i in kept])
    block = memory.block(
        "turn", ["from"], ["to"], lambda x: [sin(v) + 0.5 * w for v, w in zip(x, x[::-1], strict=True)]
    )
    windows = tuple(Window(places[0], pitch * passages, pitch) for places in (found, given))
    names = tuple(f"x{i}" for i in range(len(given)))
    parts = (Fill(found[0], len(found)), SideBySide(passages, (block,), windows))
    code = Routine(names, tuple(given), tuple(found), memory.size, parts)
    compiled = compile_program("moved", code, [((len(given),), names)], [(len(found),)], "float64", batches=False)
    x = np.random.default_rng(passages).normal(size=len(given))
    wanted = np.zeros((passages, pitch))
    own = x.reshape(passages, pitch)[:, kept]
    wanted[:, kept] = np.sin(own) + 0.5 * own[:, ::-1]
    np.testing.assert_allclose(compiled.ufunc(x), wanted.ravel(), rtol=1e-14, atol=1e-14)
