"""Code with loops in every language: Newton's square root, from starts that lead nowhere, too; derivatives of trees."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from llvmlite.binding import parse_assembly

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import BACKENDS, ExportedFunction, Library, Result, compile_program, library_code
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.compiler.derivatives.analytic import TreeProblem
from screwgraph.compiler.signature import Argument
from screwgraph.spatial import choose
from screwgraph.tape import Block, Lookup, Loop, Memory, Routine, SideBySide, StageLoop, When, Window
from screwgraph.tape.parts import Copies, Fill, Products, Recursion, Span
from screwgraph.tape.verifier import list_faults
from tests.api.deployment.tools import WARNINGS, done, found
from tests.compiler.backends.node import called
from tests.compiler.backends.ptx.interpreter import on_interpreter
from tests.random_trees import random_tree

NAMES = ("a", "start", "attempts", "steps")
WITH_LOOPS = ("c", "cpp", "rust", "ros2", "llvm", "ptx", "wasm")


def root(starts, close: float = 1e-20) -> Routine:
    """Return x with x x = a, x > 0, x x, and counts, by Newton's steps from `start`, then from `starts` in turn.

    A negative x is given up, and its absolute value handed out where no start leads to a root.
    """
    memory = Memory()
    for name in (*NAMES, "x", "verdict", "step", "again", "attempt", "row", "other", "more", "taken", "lost", "out"):
        memory.add(name, 2 if name == "out" else 1)
    (again,), (more,), (row,), (lost,) = (memory.places(n) for n in ("again", "more", "row", "lost"))

    def stepped(x, a):
        gap = x[0] * x[0] - a[0]
        met = choose(gap * gap <= close * a[0] * a[0], 1.0, 0.0)
        return [choose(met > 0.5, x[0], x[0] - 0.5 * gap / x[0]), choose(x[0] < 0.0, 2.0, met)]

    def counted(verdict, step, steps):
        return [step[0] + 1.0, choose(verdict[0] > 0.0, 0.0, choose(step[0] + 1.0 < steps[0], 1.0, 0.0))]

    def judged(verdict, attempt, row, taken, step, attempts):
        off = choose(verdict[0] < 0.5, 1.0, choose(verdict[0] > 1.5, 1.0, 0.0))
        left = choose(attempt[0] + 1.0 < attempts[0], 1.0, 0.0)
        following = choose(row[0] + 1.0 < len(starts), row[0] + 1.0, 0.0)
        return [attempt[0] + 1.0, following, taken[0] + step[0], off, off * left]

    tries = Loop(
        more,
        (
            Lookup(np.array(starts, dtype=float)[:, None], row, memory.places("other").start),
            memory.block(
                "start",
                ["attempt", "start", "other"],
                ["x", "step"],
                lambda n, a, b: [choose(n[0] < 0.5, a[0], b[0]), 0.0],
            ),
            Loop(
                again,
                (
                    memory.block("newton", ["x", "a"], ["x", "verdict"], stepped),
                    memory.block("count", ["verdict", "step", "steps"], ["step", "again"], counted),
                ),
            ),
            memory.block(
                "judge",
                ["verdict", "attempt", "row", "taken", "step", "attempts"],
                ["attempt", "row", "taken", "lost", "more"],
                judged,
            ),
        ),
    )
    parts = (
        memory.block("begin", [], ["attempt", "row", "taken"], lambda: [0.0, len(starts) - 1.0, 0.0]),
        tries,
        When(lost, (memory.block("positive", ["x"], ["x"], lambda x: [abs(x[0])]),)),
        memory.block("end", ["x"], ["out"], lambda x: [x[0], x[0] * x[0]]),
    )
    outputs = [*memory.places("out"), *(memory.places(n)[0] for n in ("lost", "attempt", "taken"))]
    return Routine(NAMES, tuple(memory.places(n)[0] for n in NAMES), tuple(outputs), memory.size, parts)


STARTS = [-5.0, 0.5, 3.0]
CALLS = [(2.0, -1.0, 10.0, 30.0), (9.0, 1.0, 1.0, 60.0), (2.0, -3.0, 1.0, 5.0), (1e6, 1.0, 1.0, 3.0)]


def interpreted(call) -> np.ndarray:
    return np.array(root(STARTS).evaluate([np.float64(x) for x in call]))


def listing(dtype: str = "float64") -> ExportedFunction:
    arguments = [Argument(name, (), (name,)) for name in NAMES]
    results = [Result("root", (2,)), Result("counts", (3,))]
    examples = [np.array(column)[:, None] for column in zip(*CALLS, strict=True)]
    code = root(STARTS, 1e-20 if dtype == "float64" else 1e-10)
    return ExportedFunction("root", code, arguments, results, dtype, lambda: examples)


def test_interpreted_the_first_start_that_leads_to_a_root_ends_it():
    x, squared, lost, attempts, steps = interpreted(CALLS[0])
    assert x == pytest.approx(np.sqrt(2.0), abs=1e-10)
    assert squared == pytest.approx(2.0, abs=1e-9)
    assert (lost, attempts) == (0.0, 3.0)  # the third start is the first that is positive
    assert steps > 3.0


def test_machine_code_does_the_same_for_one_state_and_for_batches():
    shapes = [((), (name,)) for name in NAMES]
    f = compile_program("root", root(STARTS), shapes, [(2,), (3,)])
    expected = np.array([interpreted(call) for call in CALLS])
    for call, wanted in zip(CALLS, expected, strict=True):
        np.testing.assert_array_equal(np.concatenate(f.quick(*(np.array(x) for x in call))), wanted)
    np.testing.assert_array_equal(np.concatenate(f.ufunc(*np.array(CALLS).T), axis=-1), expected)


def test_starts_are_tried_again_where_attempts_are_more():
    *_, lost, attempts, steps = root([-5.0, -4.0]).evaluate([np.float64(x) for x in (2.0, -3.0, 1e3, 5.0)])
    assert (lost, attempts, steps) == (1.0, 1e3, 1e3)


def test_bound_inputs_are_folded():
    bound = root(STARTS).bind({"a": 2.0, "attempts": 10.0, "steps": 30.0})
    assert bound.input_names == ("start",)
    np.testing.assert_array_equal(bound.evaluate([np.float64(-1.0)]), interpreted(CALLS[0]))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_c_does_the_same(tmp_path, dtype):
    compiler = found("gcc", "clang", "cc")
    written(library_code(Library("newton", [listing(dtype)]), "c"), tmp_path)
    flags = ("-std=c99", *WARNINGS, "-O1", "-I.", "test/newton_test.c", "newton.c", "-o", "t", "-lm")
    done(compiler, *flags, cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_rust_does_the_same(tmp_path):
    found("rustc")
    written(library_code(Library("newton", [listing()]), "rust"), tmp_path)
    rust = ("rustc", "--edition", "2021", "-D", "warnings")
    done(*rust, "--crate-type", "rlib", "--crate-name", "newton", "src/lib.rs", cwd=tmp_path)
    done(*rust, "--test", "--extern", "newton=libnewton.rlib", "tests/examples.rs", "-o", "t", cwd=tmp_path)
    assert "1 passed" in done("./t", cwd=tmp_path)


def test_webassembly_does_the_same(tmp_path):
    written(library_code(Library("newton", [listing()]), "wasm"), tmp_path)
    calls = [[[x] for x in call] for call in CALLS]
    for got, call in zip(called(tmp_path / "newton.mjs", "newton_root", calls), CALLS, strict=True):
        np.testing.assert_array_equal([*got["root"], *got["counts"]], interpreted(call))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernels_for_gpus_do_the_same(dtype):
    (text,) = library_code(Library("", [listing(dtype)]), "ptx").values()
    found_root, counts = on_interpreter(
        text,
        [np.array(column, dtype) for column in zip(*CALLS, strict=True)],
        [np.zeros((4, 2), dtype), np.zeros((4, 3), dtype)],
    )
    expected = np.array([interpreted(call) for call in CALLS])
    np.testing.assert_allclose(found_root, expected[:, :2], rtol=1e-14 if dtype == "float64" else 1e-5)
    np.testing.assert_array_equal(counts[:, :2], expected[:, 2:4])


def test_llvm_takes_all_of_it():
    for f in (listing(), listing("float32"), *tree_code()):
        (text,) = library_code(Library("", [f]), "llvm").values()
        parse_assembly(text).verify()


def test_languages_without_loops_refuse_them():
    assert set(WITH_LOOPS) < set(BACKENDS)
    for language in set(BACKENDS) - set(WITH_LOOPS):
        with pytest.raises(InputError, match="root cannot be written in this language"):
            library_code(Library("newton", [listing()]), language)


def test_tables_hold_infinities(tmp_path):
    code = library_code(
        Library("newton", [ExportedFunction("root", root([inf, 1.0]), listing().arguments, listing().results)]), "c"
    )
    assert "HUGE_VAL" in code["newton.c"]


JOINTS = 4
SPLITS = {"slopes": ((JOINTS, JOINTS), (JOINTS, JOINTS)), "scattered": ((JOINTS + 3,), (2 * JOINTS**2 - JOINTS - 3,))}


def tree_code(dtype: str = "float64") -> list[ExportedFunction]:
    """Every part: derivatives of a tree's dynamics, in results of other sizes, too, and where a loop asks how often."""
    robot = sg.load(random_tree(JOINTS, lambda i: i // 2))
    f, inverse = sg.forward_dynamics(robot), sg.inverse_dynamics(robot)
    problems = (f.origin.analytic, inverse.origin.analytic)
    rolled, mass = (
        known.in_loops(g.arguments, by)
        for g, known, by in zip((f, inverse), problems, (("q", "tau"), ("qdd",)), strict=True)
        if isinstance(known, TreeProblem)
    )
    assert {type(part) for part in (*rolled.parts, *mass.parts)} == {Block, Copies, Fill, Products, Recursion}
    asked = replace(rolled, parts=(Fill(rolled.size, 1), Loop(rolled.size, rolled.parts)), size=rolled.size + 1)
    codes = {"slopes": rolled, "scattered": rolled, "asked": asked}
    found = [ExportedFunction("mass", mass, inverse.arguments, [Result("M", (JOINTS, JOINTS))], dtype)]
    for name, code in codes.items():
        results = [Result(f"part{i}", shape) for i, shape in enumerate(SPLITS.get(name, SPLITS["slopes"]))]
        found.append(ExportedFunction(name, code, f.arguments, results, dtype))
    return found


def test_code_of_trees_is_what_straight_line_code_computes():
    rng, (mass, slopes, _, asked) = np.random.default_rng(5), tree_code()
    robot = sg.load(random_tree(JOINTS, lambda i: i // 2))
    x = rng.uniform(-1.0, 1.0, 3 * JOINTS)
    expected = np.array(sg.forward_dynamics(robot).jacobian("q", "tau")(*x.reshape(3, JOINTS)))
    for code in (slopes.code, asked.code):
        assert list_faults(code) == []
        np.testing.assert_allclose(code.evaluate(list(x)), expected.ravel(), rtol=1e-9, atol=1e-9)
        f = compile_program("f", code, [((3 * JOINTS,), code.input_names)], [(2 * JOINTS**2,)])
        np.testing.assert_allclose(f.ufunc(x), expected.ravel(), rtol=1e-9, atol=1e-9)
    M = sg.mass_matrix(robot)(x[:JOINTS])
    np.testing.assert_allclose(mass.code.evaluate(list(x)), M.ravel(), rtol=1e-12, atol=1e-12)
    assert unpack_code(pack_code(asked.code)) == asked.code


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_part_in_c(tmp_path, dtype):
    compiler = found("gcc", "clang", "cc")
    written(library_code(Library("tree", tree_code(dtype)), "c"), tmp_path)
    flags = ("-std=c99", *WARNINGS, "-O1", "-I.", "test/tree_test.c", "tree.c", "-o", "t", "-lm")
    done(compiler, *flags, cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_every_part_in_rust(tmp_path):
    found("rustc")
    written(library_code(Library("tree", tree_code()), "rust"), tmp_path)
    rust = ("rustc", "--edition", "2021", "-D", "warnings")
    done(*rust, "--crate-type", "rlib", "--crate-name", "tree", "src/lib.rs", cwd=tmp_path)
    done(*rust, "--test", "--extern", "tree=libtree.rlib", "tests/examples.rs", "-o", "t", cwd=tmp_path)
    assert "4 passed" in done("./t", cwd=tmp_path)


def test_every_part_in_webassembly(tmp_path):
    codes = tree_code()
    written(library_code(Library("tree", codes), "wasm"), tmp_path)
    x = np.random.default_rng(5).uniform(-1.0, 1.0, (3, JOINTS))
    for f in codes:
        (got,) = called(tmp_path / "tree.mjs", f"tree_{f.name}", [x.tolist()])
        expected = f.code.evaluate(list(x.ravel()))
        values = got if isinstance(got, np.ndarray) else [y for r in f.results for y in got[r.name]]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


STAGES, WIDE = 5, 27


def chain() -> Routine:
    """A recursion backwards and one forwards: y_k = a_k y_{k+1} + b_k, then z_{k+1} = y_k z_k + c, for 3 numbers.

    Copies and products go along; a loop within another begins at each of its passages anew.
    """
    memory, n = Memory(), 3
    out = memory.add("out", 2 * n * (STAGES + 1))
    given = memory.add("given", 2 * n * STAGES + 1)
    for name, size in {"kept": n * STAGES, "row": n, "sum": 1, "dot": STAGES, "wide": WIDE}.items():
        memory.add(name, size)
    last, z, dot = n * (STAGES - 1), out[n * (STAGES + 1)], memory.places("dot").start
    named = {"y0": 0, "y": last, "y'": last + n, "z": z, "z'": z + n}
    for name, start in {**named, "a": given[last], "b": given[n * STAGES + last]}.items():
        memory.alias(name, range(start, start + n))
    memory.alias("c", given[-1:])
    kept = memory.places("kept").start
    first = {name: memory.alias(f"{name}0", memory.places(name)[:1]).start for name in ("given", "wide")}
    side = memory.block("side", ["given0", "c", "wide0"], ["wide0"], lambda a, c, w: [w[0] + a[0] * c[0]])
    columns = tuple(Window(place, 1, 1) for place in first.values())
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
        StageLoop(
            2,
            (StageLoop(STAGES, (take, add), ahead[2:3]),),
            (),
        ),
    )
    outputs = (*out, *memory.places("sum"), *memory.places("dot"), *memory.places("wide"))
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
    wide = np.array(x[:WIDE]) * c
    return np.array([*y.ravel(), *z.ravel(), 2.0 * (z[:-1, 0] @ z[:-1, 1]), *dots, *wide])


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
    assert chain().operations["*"] == (3 + 3 + 3 + 2) * STAGES + WIDE  # backwards, ahead, products, sum


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("known", [True, False])
def test_stages_in_c(tmp_path, dtype, known):
    compiler = found("gcc", "clang", "cc")
    written(library_code(Library("stages", [chain_listing(dtype)]), "c"), tmp_path)
    source = tmp_path / "stages.c"
    text = source.read_text(encoding="utf-8")
    assert "+= STAGES_LANES)" in text  # neighbours go side by side, what is left of them on fewer lanes
    if not known:  # for other compilers, the hint is nothing
        source.write_text(text.replace("__clang__", "NONE").replace("__GNUC__", "NONE"), encoding="utf-8")
    flags = ("-std=c99", *WARNINGS, "-O3", "-I.", "test/stages_test.c", "stages.c", "-o", "t", "-lm")
    done(compiler, *flags, cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_stages_in_rust(tmp_path):
    found("rustc")
    written(library_code(Library("stages", [chain_listing()]), "rust"), tmp_path)
    rust = ("rustc", "--edition", "2021", "-D", "warnings")
    done(*rust, "--crate-type", "rlib", "--crate-name", "stages", "src/lib.rs", cwd=tmp_path)
    done(*rust, "--test", "--extern", "stages=libstages.rlib", "tests/examples.rs", "-o", "t", cwd=tmp_path)
    assert "1 passed" in done("./t", cwd=tmp_path)


def test_stages_in_webassembly(tmp_path):
    written(library_code(Library("stages", [chain_listing()]), "wasm"), tmp_path)
    for got, x in zip(called(tmp_path / "stages.mjs", "stages_chain", [[list(x)] for x in GIVEN]), GIVEN, strict=True):
        np.testing.assert_allclose(got, expected_chain(x), rtol=1e-13)


def written(files, folder) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.mark.parametrize("overlaps", [False, True])
def test_blocks_read_many_numbers_where_they_stand(overlaps):
    """Two programs alike, of numbers that others stand among; what they write may stand there, too."""
    memory, rng = Memory(), np.random.default_rng(0)
    for name, size in {"sums": 20, "a": 20, "x": 20, "between": 20, "y": 20, "z": 20}.items():
        memory.add(name, size)
    target = "x" if overlaps else "sums"
    parts = (
        memory.block("copy", ["a"], ["x"], lambda a: [*a]),
        memory.block("more", ["x"], ["y"], lambda x: [v * v for v in x]),
        memory.block("apart", ["a"], ["between"], lambda a: [v + 1.0 for v in a]),
        memory.block("sum", ["y", "x"], [target], lambda y, x: [u - 2.0 * v for u, v in zip(y, x[::-1], strict=True)]),
        memory.block(
            "again", ["y", "x", "between"], ["z"], lambda y, x, b: [u - v * w for u, v, w in zip(y, x, b, strict=True)]
        ),
        memory.block("end", ["z", target], ["sums"], lambda z, s: [u + v for u, v in zip(z, s, strict=True)]),
    )
    names = tuple(f"a[{i}]" for i in range(20))
    code = Routine(names, memory.places("a"), memory.places("sums"), memory.size, parts)
    compiled = compile_program("many", code, [((20,), names)], [(20,)], "float64", batches=True)
    a = rng.normal(size=(11, 20))
    expected = [code.evaluate(list(row)) for row in a]
    np.testing.assert_allclose(compiled.ufunc(a), expected, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(compiled.ufunc(a[0]), expected[0], rtol=1e-14, atol=1e-14)
