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
from screwgraph.tape import Block, Lookup, Loop, Memory, Routine, When
from screwgraph.tape.parts import Copies, Fill, Products, Recursion
from screwgraph.tape.verifier import list_faults
from tests.api.deployment.tools import found, run_c_examples, run_rust_examples, write_files
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
    found("gcc", "clang", "cc")
    write_files(library_code(Library("newton", [listing(dtype)]), "c"), tmp_path)
    assert "0 numbers differ" in run_c_examples("newton", tmp_path, "-O1")


def test_rust_does_the_same(tmp_path):
    found("rustc")
    write_files(library_code(Library("newton", [listing()]), "rust"), tmp_path)
    assert "1 passed" in run_rust_examples("newton", tmp_path)


def test_webassembly_does_the_same(tmp_path):
    write_files(library_code(Library("newton", [listing()]), "wasm"), tmp_path)
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
    found("gcc", "clang", "cc")
    write_files(library_code(Library("tree", tree_code(dtype)), "c"), tmp_path)
    assert "0 numbers differ" in run_c_examples("tree", tmp_path, "-O1")


def test_every_part_in_rust(tmp_path):
    found("rustc")
    write_files(library_code(Library("tree", tree_code()), "rust"), tmp_path)
    assert "4 passed" in run_rust_examples("tree", tmp_path)


def test_every_part_in_webassembly(tmp_path):
    codes = tree_code()
    write_files(library_code(Library("tree", codes), "wasm"), tmp_path)
    x = np.random.default_rng(5).uniform(-1.0, 1.0, (3, JOINTS))
    for f in codes:
        (got,) = called(tmp_path / "tree.mjs", f"tree_{f.name}", [x.tolist()])
        expected = f.code.evaluate(list(x.ravel()))
        values = got if isinstance(got, np.ndarray) else [y for r in f.results for y in got[r.name]]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_blocks_write_results_where_they_belong_and_nothing_between(dtype):
    """Of many samples; angles that are too large for vectors of sines go one by one, to the same places."""
    memory = Memory()
    for name, size in {"sums": 7, "a": 3, "first": 3, "between": 2, "last": 2}.items():
        memory.add(name, size)

    def turn(a):
        return [np.sin(a[0]), a[1] * a[2], np.cos(a[0]), 3.0, np.sin(a[1])]

    parts = (
        memory.block("keep", ["a"], ["between"], lambda a: [a[0] + a[1], a[2]]),
        memory.block("turn", ["a"], ["last", "first"], turn),
        memory.block("end", ["first", "between", "last"], ["sums"], lambda *x: [v for own in x for v in own]),
    )
    names = ("a[0]", "a[1]", "a[2]")
    code = Routine(names, memory.places("a"), memory.places("sums"), memory.size, parts)
    compiled = compile_program("turned", code, [((3,), names)], [(7,)], dtype, batches=True)
    a = np.random.default_rng(0).normal(size=(37, 3)).astype(dtype)
    a[5, 0], a[20, 1] = 1e7, -3e6
    rounding = np.finfo(dtype).eps
    expected = [[np.cos(x), 3.0, np.sin(y), x + y, z, np.sin(x), y * z] for x, y, z in a.astype(float)]
    np.testing.assert_allclose(compiled.ufunc(a), expected, rtol=8 * rounding, atol=4 * rounding)
    np.testing.assert_allclose(compiled.ufunc(a[5]), expected[5], rtol=8 * rounding, atol=4 * rounding)
