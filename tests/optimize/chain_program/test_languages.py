"""Chains of stages in other languages: the same numbers, without a heap."""

import numpy as np

from screwgraph.compiler import Library, library_code
from screwgraph.compiler.backends import ExportedFunction
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.optimize.chain_program import Bound, compile_chain_program
from screwgraph.tape import Routine
from screwgraph.tape.verifier import list_faults
from tests.api.deployment.tools import found, run_c_examples, run_rust_examples, write_files
from tests.compiler.backends.node import called
from tests.optimize.chain_program.chains import Rows, both, random_chain, solve

N, NX, NU = 4, 2, 2
BOUNDS, PENALTY = (-0.3, 0.3, -0.3, 0.3, -0.2, 0.4, 0.1), (3.0, 1.0, 2.0, 0.5)


def make(tolerance: float = 1e-9, iterations: int = 40):
    states = (Bound(0, lower=True, soft=True), Bound(1, lower=False))
    options = {"inputs": both(NU), "states": states, "tolerance": tolerance, "iterations": iterations}
    options |= {"C": [[0.0, 1.0, 0.5, None]], "rows": [Bound(0, lower=False, soft=True)], "F": [[None, 0.0, 1.0, -1.0]]}
    return compile_chain_program(N, NX, NU, **options)


def calls(f) -> list[list[np.ndarray]]:
    """What functions are given for three chains."""
    kept: list[list[np.ndarray]] = []

    def keep(*values):
        kept.append([np.asarray(x, float) for x in values])
        return f(*values)

    keep.arguments = f.arguments
    for seed in range(3):
        rng = np.random.default_rng(seed)
        chain = random_chain(rng, N, NX, NU)
        C, F = np.tile([0.0, 1.0, 0.5, 0.0], (N, 1, 1)), np.tile([0.0, 0.0, 1.0, -1.0], (N, 1, 1))
        C[:, 0, 3], F[:, 0, 0] = rng.uniform(-1.0, 1.0, (2, N))
        solve(keep, chain, BOUNDS, PENALTY, rows=Rows(C, F, 0.1 * rng.normal(size=(N, 1))))
    return kept


def listing(f) -> ExportedFunction:
    examples = [np.array(column).reshape(3, -1) for column in zip(*calls(f), strict=True)]
    return ExportedFunction("chain", f.body, f.arguments, f.results, "float64", lambda: examples)


def write(f, language, folder) -> None:
    write_files(library_code(Library("small", [listing(f)]), language), folder)


def test_interpreted_sound_and_from_the_cache():
    for f in (make(), make(0.0, 3)):
        code = f.body
        assert isinstance(code, Routine)
        assert list_faults(code) == []
        assert unpack_code(pack_code(code)) == code
        for arrays in calls(f)[:1]:
            numbers = [np.float64(x) for a in arrays for x in np.ravel(a)]
            expected = np.concatenate([np.ravel(x) for x in f(*arrays)])
            np.testing.assert_allclose(code.evaluate(numbers), expected, rtol=1e-9, atol=1e-9)


def test_many_chains_side_by_side():
    f = make(0.0, 20)
    many = [np.array(column) for column in zip(*calls(f), strict=True)]
    for k, row in enumerate(calls(f)):
        for batch, alone in zip(f(*many), f(*row), strict=True):
            np.testing.assert_allclose(batch[k], alone, rtol=1e-9, atol=1e-9)


def test_c(tmp_path):
    found("gcc", "clang", "cc")
    write(make(), "c", tmp_path)
    assert "0 numbers differ" in run_c_examples("small", tmp_path, "-O1")
    assert "alloc" not in (tmp_path / "small.c").read_text(encoding="utf-8")


def test_rust(tmp_path):
    found("rustc")
    write(make(), "rust", tmp_path)
    assert "1 passed" in run_rust_examples("small", tmp_path)


def test_webassembly(tmp_path):
    f = make()
    write(f, "wasm", tmp_path)
    given = calls(f)
    shown = [[np.ravel(a).tolist() for a in arrays] for arrays in given]
    for got, arrays in zip(called(tmp_path / "small.mjs", "small_chain", shown), given, strict=True):
        x, u, gain, *_ = f(*arrays)
        for name, expected in (("x", x), ("u", u), ("gain", gain)):
            np.testing.assert_allclose(got[name], np.ravel(expected), rtol=1e-7, atol=1e-7)
