"""Every back end has every operation, and computes what the table says: operations x back ends x types of numbers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import BACKENDS, Argument, ExportedFunction, Library, compile_program
from screwgraph.compiler.backends.c import emit_source
from screwgraph.compiler.signature import Result
from screwgraph.tape import OPERATIONS, Program
from tests.compiler.backends.node import called
from tests.compiler.backends.ptx.interpreter import on_interpreter

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror")
NAMES = tuple(OPERATIONS)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, np.inf, -np.inf, np.nan)
Values = np.ndarray


def points() -> Values:
    """Return pairs of random and of special numbers."""
    rng = np.random.default_rng(3)
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    return np.concatenate([rng.standard_normal((40, 2)), rng.uniform(-1.0, 1.0, (20, 2)), np.array(pairs)])


def every_operation() -> Program:
    """Return the program of each operation on two inputs."""
    inputs = [("input", 0), ("input", 1)]
    operations = [(name, *range(operation.arity)) for name, operation in OPERATIONS.items()]
    return Program(("a", "b"), (*inputs, *operations), tuple(range(2, 2 + len(operations))))


def listing(dtype: str) -> ExportedFunction:
    program = every_operation()
    argument, result = Argument("x", (2,), ("a", "b")), Result("y", (len(NAMES),))
    return ExportedFunction("every", program, (argument,), (result,), dtype)


def through_c(dtype: str, folder: Path) -> Values:
    if not COMPILERS:
        pytest.skip("there is no C compiler here")
    source = folder / "every.c"
    source.write_text(emit_source(Library("", (listing(dtype),))))
    library = folder / "every.so"
    command = [COMPILERS[0], *STRICT, "-O1", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    x = points().astype(dtype)
    y = np.empty((len(x), len(NAMES)), dtype)
    every = ctypes.CDLL(str(library)).every
    for row, result in zip(x, y, strict=True):
        every(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(result.ctypes.data))
    return y


def through_llvm(dtype: str, folder: Path) -> Values:
    code = compile_program("every", every_operation(), [((2,), ("a", "b"))], [(len(NAMES),)], dtype)
    return code.ufunc(points().astype(dtype))


def through_casadi(dtype: str, folder: Path) -> Values:
    ca = pytest.importorskip("casadi")
    (text,) = BACKENDS["casadi"].files(Library("", (listing(dtype),))).values()
    x = points()
    return np.array(ca.StringDeserializer(text).unpack().map(len(x))(x.T)).T


def through_numpy(dtype: str, folder: Path) -> Values:
    return written(listing(dtype))(points())


def written(f: ExportedFunction) -> Callable[..., Values]:
    """Run the Python source of a function."""
    (source,) = BACKENDS["numpy"].files(Library("", (f,))).values()
    found: dict[str, Any] = {}
    exec(source, found)
    return found[f.name]


def through_rust(dtype: str, folder: Path) -> Values:
    if not shutil.which("rustc"):
        pytest.skip("there is no Rust compiler here")
    files, scalar = BACKENDS["rust"].files(Library("", (listing(dtype),))), {"float64": "f64", "float32": "f32"}[dtype]
    (folder / "every.rs").write_text(files["src/lib.rs"])
    array = f"[{scalar}; {len(NAMES)}]"
    call = f'extern "C" fn call(x: &[{scalar}; 2], y: &mut {array}) {{ *y = every::every(x); }}'
    (folder / "called.rs").write_text(f"#[no_mangle]\npub {call}\n")
    rustc = ["rustc", "--edition", "2021", "-D", "warnings"]
    for options in (
        ["--crate-type", "rlib", "every.rs"],
        ["--crate-type", "cdylib", "-L", ".", "--extern", "every", "called.rs"],
    ):
        done = subprocess.run([*rustc, *options], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    x = points().astype(dtype)
    y = np.empty((len(x), len(NAMES)), dtype)
    every = ctypes.CDLL(str(folder / "libcalled.so")).call
    for row, result in zip(x, y, strict=True):
        every(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(result.ctypes.data))
    return y


def through_ptx(dtype: str, folder: Path) -> Values:
    (text,) = BACKENDS["ptx"].files(Library("", (listing(dtype),))).values()
    x = points().astype(dtype)
    (y,) = on_interpreter(text, [x], [np.empty((len(x), len(NAMES)), dtype)])
    return y


def through_wasm(dtype: str, folder: Path) -> Values:
    source = folder / "every.mjs"
    source.write_text(BACKENDS["wasm"].files(Library("", (listing(dtype),)))["every.mjs"])
    return np.array(called(source, "every", [[row] for row in points()]))


THROUGH: dict[str, Callable[[str, Path], Values]] = {
    "c": through_c,
    "llvm": through_llvm,
    "numpy": through_numpy,
    "casadi": through_casadi,
    "rust": through_rust,
    "ptx": through_ptx,
    "wasm": through_wasm,
}
IN_C = ("cpp", "ros2")
"""What writes the same C around which it puts more; `tests/api/deployment` runs that."""
CASES = [(name, dtype) for name, backend in BACKENDS.items() if name not in IN_C for dtype in backend.dtypes]


@pytest.mark.parametrize("name", BACKENDS)
def test_every_operation_has_a_form(name):
    assert set(BACKENDS[name].operations) == set(OPERATIONS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("form", "dtype"), CASES)
@pytest.mark.sampled(3)
def test_every_form_computes_what_the_table_says(form, dtype, tmp_path):
    found = THROUGH[form](dtype, tmp_path)
    a, b = points().astype(dtype).astype(float).T
    with np.errstate(all="ignore"):
        results = every_operation().evaluate([a, b])
        slopes = [condition_number(operation, a, b) for operation in NAMES]
    unit = float(np.finfo(dtype).eps)
    for operation, value, expected, slope in zip(NAMES, found.T, results, slopes, strict=True):
        known = defined(form, operation, a, b)
        with np.errstate(over="ignore"):
            expected = expected.astype(dtype)
        near = np.abs(value - expected) <= 8.0 * unit * (np.abs(expected) + slope)
        same = (value == expected) | (np.isnan(value) & np.isnan(expected)) | near
        assert same[known].all(), (operation, np.flatnonzero(known & ~same), value[known & ~same], expected[~same])


def condition_number(operation: str, a: Values, b: Values) -> Values:
    """Return how far relative errors of one unit in the operands move the result, to first order."""
    operands = (a, b)[: OPERATIONS[operation].arity]
    y, moved = OPERATIONS[operation].values(*operands), np.zeros_like(a)
    for rule, operand in zip(OPERATIONS[operation].partials, operands, strict=True):
        if rule is not None:
            moved = moved + np.nan_to_num(np.abs(operand * rule(y, *operands)), posinf=0.0)
    return moved


def defined(backend: str, operation: str, a: Values, b: Values) -> np.ndarray:
    """Return where a back end must agree: the sign of zero may be lost, and CasADi's fmin and fmax leave NaN out."""
    known = np.ones(a.shape, dtype=bool)
    if backend == "llvm" and operation in ("inv", "div"):
        known &= (a != 0.0) & (b != 0.0)
    if backend == "casadi" and operation in ("min", "max"):
        known &= np.isfinite(a + b) | np.isinf(a) & np.isinf(b)
    return known


def test_python_source_is_a_function_of_arrays_that_broadcast():
    arm = sg.load("panda")
    f = sg.inverse_dynamics(arm, external_wrenches=("panda_hand_tcp",)).jacobian("q", "qd")
    rng = np.random.default_rng(2)
    values = [
        rng.standard_normal((3, 1, *f.arguments[0].shape)),
        *(rng.standard_normal(a.shape) for a in f.arguments[1:]),
    ]
    found = written(ExportedFunction(f.name, f.program, f.arguments, f.results))(*values)
    for one, expected in zip(found, f(*values), strict=True):
        assert one.shape == expected.shape
        np.testing.assert_allclose(one, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_names_that_python_keeps_for_itself_are_changed():
    program = Program(("lambda", "np"), (("input", 0), ("input", 1), ("mul", 0, 1)), (2, 3.5))
    arguments = tuple(Argument(n, (1,), (n,)) for n in program.input_names)
    f = ExportedFunction("shape", program, arguments, (Result("class", (1,)), Result("shape", (1,))))
    (source,) = BACKENDS["numpy"].files(Library("", (f,))).values()
    found: dict[str, Any] = {}
    exec(source, found)
    both = next(v for k, v in found.items() if k.startswith("shape"))([2.0], [[3.0], [4.0]])
    np.testing.assert_array_equal(np.hstack(both), [[6.0, 3.5], [8.0, 3.5]])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_largest_of_absolute_values_and_constants_is_that_of_numpy(dtype):
    """Of numbers without sign, batches compare bits as integers."""
    instructions = [("input", k) for k in range(3)] + [("abs", k) for k in range(3)]
    instructions += [("constant", 0.75), ("max", 3, 4), ("max", 7, 5), ("max", 8, 6), ("max", 0, 6), ("min", 1, 6)]
    program = Program(("a", "b", "c"), tuple(instructions), (8, 9, 10, 11))
    f = compile_program("largest", program, [((3,), ("a", "b", "c"))], [(4,)], dtype)
    x = np.array([(a, b, c) for a in SPECIAL for b in SPECIAL for c in SPECIAL], dtype)
    sizes = np.abs(x).max(axis=1)
    expected = [sizes, np.maximum(sizes, 0.75), np.maximum(x[:, 0], 0.75), np.minimum(x[:, 1], 0.75)]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f.ufunc(x), np.array(expected, dtype).T)
        np.testing.assert_array_equal([f.ufunc(row) for row in x[:50]], np.array(expected, dtype).T[:50])
