"""Quadratic programs in other languages: the same active rows, the same numbers."""

import numpy as np
import pytest

from screwgraph.compiler import Library, library_code
from screwgraph.compiler.backends import ExportedFunction
from screwgraph.compiler.cache import pack_code, unpack_code
from tests.api.deployment.tools import found, run_c_examples, run_rust_examples, write_files
from tests.compiler.backends.node import called
from tests.optimize.active_set.test_quadratic_program import program, solver

N, M = 3, 5
GIVEN = [(*program(N, M, kind, seed), np.zeros(M)) for seed, kind in enumerate(("generic", "redundant", "infeasible"))]


def listing() -> ExportedFunction:
    f = solver(N, M)
    examples = [np.array(column).reshape(len(GIVEN), -1) for column in zip(*GIVEN, strict=True)]
    return ExportedFunction("qp", f.body, f.arguments, f.results, "float64", lambda: examples)


def write(language, folder) -> None:
    write_files(library_code(Library("small", [listing()]), language), folder)


def test_interpreted_and_from_the_cache():
    body = solver(N, M).body
    kept = unpack_code(pack_code(body))
    for arrays in GIVEN:
        numbers = [np.float64(x) for a in arrays for x in np.ravel(a)]
        found_ = np.concatenate([np.ravel(x) for x in solver(N, M)(*arrays)])
        np.testing.assert_allclose(body.evaluate(numbers), found_, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(kept.evaluate(numbers), body.evaluate(numbers))


def test_c(tmp_path):
    found("gcc", "clang", "cc")
    write("c", tmp_path)
    assert "0 numbers differ" in run_c_examples("small", tmp_path, "-O1")
    assert "alloc" not in (tmp_path / "small.c").read_text(encoding="utf-8")


def test_rust(tmp_path):
    found("rustc")
    write("rust", tmp_path)
    assert "1 passed" in run_rust_examples("small", tmp_path)


def test_webassembly(tmp_path):
    write("wasm", tmp_path)
    calls = [[np.ravel(np.clip(a, -1e300, 1e300)).tolist() for a in arrays] for arrays in GIVEN]
    for got, arrays in zip(called(tmp_path / "small.mjs", "small_qp", calls), GIVEN, strict=True):
        x, active, _ = solver(N, M)(*arrays)
        np.testing.assert_allclose(got["x"], x, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(got["active"], active)


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for arrays in GIVEN:
        for got, expected in zip(solver(N, M).jax()(*arrays), solver(N, M)(*arrays), strict=True):
            np.testing.assert_array_equal(np.asarray(got), expected)
