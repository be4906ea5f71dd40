"""Machine code for other processors than the one at hand."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm import machine_code
from screwgraph.compiler.backends.llvm.machine_code import GENERIC, Processor, compile_assembly, vector_width


@pytest.mark.parametrize(
    ("features", "width"),
    [("+sse2,+avx,+avx2,+avx512f", 8), ("+sse2,+avx,-avx512f", 4), ("+sse2,-avx", 2), ("+neon", 2), ("", 2)],
)
def test_vectors_are_as_wide_as_the_processors(features, width):
    assert vector_width(Processor("any", features)) == width


def test_a_processor_that_llvm_does_not_know_is_a_generic_one(monkeypatch):
    def unknown():
        raise RuntimeError("no information")

    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", unknown)
    assert machine_code.host_processor.__wrapped__() == GENERIC


def test_code_for_any_processor_of_this_architecture_computes_the_same(monkeypatch, tmp_path):
    """Without AVX and FMA, on x86-64."""
    robot = sg.load("puma560")
    x = np.random.default_rng(0).normal(size=(3, 9, 6))
    expected = sg.forward_dynamics(robot)(*x)
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(machine_code, "host_processor", lambda: GENERIC)
    f = sg.forward_dynamics(robot)
    assert "<8 x double>" not in f.llvm_source()
    np.testing.assert_allclose(f(*x), expected, rtol=1e-10, atol=1e-10)


def test_assembly_is_compiled_for_a_processor_by_name():
    import ctypes

    half = "define double @half(double %x) {\n  %y = fmul double %x, 5.0e-1\n  ret double %y\n}"
    for processor in (None, GENERIC):
        code = compile_assembly(half, "half", processor)
        assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address)(3.0) == 1.5


@pytest.mark.parametrize(("text", "expected"), [("16384K\n", 12 * 2**20), ("odd", 24 * 2**20), (None, 24 * 2**20)])
def test_three_quarters_of_the_last_cache_are_for_results(tmp_path, monkeypatch, text, expected):
    path = tmp_path / "size"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(machine_code, "LAST_CACHE", path)
    assert machine_code.cache_bytes.__wrapped__() == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("4096K\n", 4 * 2**20), ("512K", 2 * 2**20), ("odd", 2 * 2**20), (None, 2 * 2**20)]
)
def test_results_in_blocks_beyond_a_cores_own_cache_go_past_the_caches(tmp_path, monkeypatch, text, expected):
    path = tmp_path / "size"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(machine_code, "OWN_CACHE", path)
    assert machine_code.streaming_threshold.__wrapped__() == expected
