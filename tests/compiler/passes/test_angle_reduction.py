"""Angles of 1e9 rad and more: in exported code, too, their sums lose no digit."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import BACKENDS, Argument, ExportedFunction, Library
from screwgraph.compiler.backends.c import emit_source
from screwgraph.compiler.backends.casadi import casadi_function
from screwgraph.compiler.passes.angle_reduction import find_angle_sums, find_large_terms
from screwgraph.compiler.signature import Result
from screwgraph.tape import Program
from tests.large_angles import INPUTS, TURNED, large_and_small, small, turned

SPRUNG = Program(("a", "b"), (*INPUTS, ("add", 0, 1), ("sin", 3), ("mul", 3, 2)), (4, 5))
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror", "-O2", "-shared", "-fPIC")
Code = Callable[[np.ndarray], np.ndarray]


def listing(program: Program, dtype: str = "float64") -> ExportedFunction:
    names = program.input_names
    argument, result = Argument("q", (len(names),), names), Result("y", (len(program.outputs),))
    return ExportedFunction("code", program, (argument,), (result,), dtype)


def by_c(f: ExportedFunction, folder: Path) -> Code:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip("there is no C compiler here")
    source, library = folder / "code.c", folder / "code.so"
    source.write_text(emit_source(Library("", (f,))))
    done = subprocess.run([compiler, *STRICT, str(source), "-o", str(library), "-lm"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    code = ctypes.CDLL(str(library)).code

    def call(x: np.ndarray) -> np.ndarray:
        rows, y = np.ascontiguousarray(x, f.dtype), np.empty((len(x), f.results[0].size), f.dtype)
        for row, result in zip(rows, y, strict=True):
            code(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(result.ctypes.data))
        return y

    return call


def by_numpy(f: ExportedFunction, folder: Path) -> Code:
    space: dict = {}
    exec(BACKENDS["numpy"].files(Library("", (f,)))["code.py"], space)
    return space["code"]


def by_casadi(f: ExportedFunction, folder: Path) -> Code:
    pytest.importorskip("casadi")
    function = casadi_function("code", f.program, [(a.name, a.names) for a in f.arguments])
    return lambda x: np.array(function.map(len(x))(x.T)).T


EXPORTED = {"c": by_c, "numpy": by_numpy, "casadi": by_casadi}


def test_sums_that_only_sines_need_are_found():
    assert find_angle_sums(TURNED) == {3, 4, 5}
    assert find_large_terms(TURNED) == {3: (0, 1)}
    assert find_angle_sums(SPRUNG) == set()


@pytest.mark.parametrize("size", [3.0, 1e5, 1e9, 1e14])
@pytest.mark.parametrize("language", EXPORTED)
def test_sines_of_sums_are_exact(language, size, tmp_path):
    x, _ = large_and_small(np.random.default_rng(1), (50, 2), size)
    found = EXPORTED[language](listing(TURNED), tmp_path)(x)
    # C leaves angles below 1e5 alone, where a sum is rounded.
    tolerance = 1e-11 if size == 1e5 else 2e-15
    np.testing.assert_allclose(found, [turned(a, b) for a, b in x], rtol=0, atol=tolerance)


@pytest.mark.parametrize("language", ["c", "numpy"])
def test_narrow_numbers_are_reduced_too(language, tmp_path):
    rng = np.random.default_rng(2)
    x = rng.uniform(1e5, 1e6, (50, 2)) * [1.0, -1.0]
    x[::3, 0] = rng.uniform(-3.0, 3.0, 17)
    x = x.astype("float32")
    expected = [turned(float(a), float(b)) for a, b in x]
    found = EXPORTED[language](listing(TURNED, "float32"), tmp_path)(x)
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)


@pytest.mark.parametrize("language", EXPORTED)
def test_springs_keep_their_angle(language, tmp_path):
    x = np.array([(1e9, 3.0), (-2.5e6, 7e11)])
    found = EXPORTED[language](listing(SPRUNG), tmp_path)(x)
    np.testing.assert_allclose(found, np.stack([np.sin(x.sum(axis=1)), 0.3 * x.sum(axis=1)], axis=1), rtol=1e-12)


def test_what_is_not_finite_gives_nan(tmp_path):
    x = np.array([(np.inf, 0.0), (1.0, np.nan)])
    with np.errstate(invalid="ignore"):
        found = [make(listing(TURNED), tmp_path)(x) for make in EXPORTED.values()]
    assert np.isnan(found).all()


@pytest.mark.parametrize("language", EXPORTED)
def test_robots_that_turned_a_hundred_million_times_need_the_same_torques(language, tmp_path):
    """Revolute joints are periodic: whole turns, taken off exactly, change nothing."""
    f = sg.inverse_dynamics(sg.load("puma560"))
    names = f.program.input_names
    everything = ExportedFunction("code", f.program, (Argument("q", (len(names),), names),), f.results)
    rng = np.random.default_rng(3)
    q, reduced = large_and_small(rng, (20, 6), 1e9)
    rest = rng.normal(size=(20, 12))
    found = EXPORTED[language](everything, tmp_path)(np.hstack([q, rest]))
    expected = f(reduced, *np.split(rest, 2, axis=1))
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-12)


def test_derivatives_by_casadi_do_not_see_the_reduction():
    ca = pytest.importorskip("casadi")
    function = casadi_function("code", TURNED, [("q", ("a", "b"))])
    q = ca.SX.sym("q", 2)
    slope = ca.Function("slope", [q], [ca.jacobian(function(q), q)])
    for a, b in [(0.4, -0.2), (1e9, 3.0)]:
        difference = Fraction(a) - Fraction(b)
        cosine, sine = math.cos(small(difference + Fraction(0.3))), math.sin(small(difference))
        np.testing.assert_allclose(np.array(slope([a, b])), [[-cosine, cosine], [-sine, sine]], rtol=1e-12)
