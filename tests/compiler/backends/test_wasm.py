"""Modules of WebAssembly, run by Node.js, beside machine code of the same programs."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.passes.outlining import SHORT
from tests.compiler.backends.node import called


def states(f: sg.Function, count: int = 3) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(5)
    return [[rng.standard_normal(a.shape) for a in f.arguments] for _ in range(count)]


@pytest.mark.parametrize("name", ["panda", "five_bar"])
def test_answers_are_those_of_machine_code(name, tmp_path):
    robot = sg.load(name)
    f = sg.forward_dynamics(robot, coordinates="independent") if robot.is_closed else sg.forward_dynamics(robot)
    sg.export_library({"qdd": f, "M": sg.mass_matrix(robot)}, tmp_path, prefix="arm", language="wasm")
    calls = states(f)
    for found, call in zip(called(tmp_path / "arm.mjs", "arm_qdd", calls), calls, strict=True):
        np.testing.assert_allclose(found, f(*call), rtol=1e-9)
    calls = [call[:1] for call in calls]
    for found, call in zip(called(tmp_path / "arm.mjs", "arm_M", calls), calls, strict=True):
        np.testing.assert_allclose(found, sg.mass_matrix(robot)(*call).ravel(), rtol=0, atol=1e-12)


def test_long_programs_are_cut_and_have_several_results(tmp_path):
    f = sg.inverse_dynamics(sg.load("panda")).jacobian("q", "qd")
    (tmp_path / "long.mjs").write_text(*f.code("wasm").values())
    assert len(f.program.instructions) > SHORT
    calls = states(f, 1)
    (found,) = called(tmp_path / "long.mjs", f.name, calls)
    for values, expected in zip(found.values(), f(*calls[0]), strict=True):
        np.testing.assert_allclose(values, expected.ravel(), rtol=0, atol=1e-11 * np.abs(expected).max())


def test_large_angles_keep_their_digits(tmp_path):
    f = sg.mass_matrix(sg.load("rrr"))
    (tmp_path / "m.mjs").write_text(*f.code("wasm").values())
    q = np.array([0.3, 1e9, 1e9 + 0.25])
    (found,) = called(tmp_path / "m.mjs", f.name, [[q]])
    np.testing.assert_allclose(found, f(q).ravel(), rtol=1e-12)


def test_arrays_of_another_size_are_refused(tmp_path):
    f = sg.mass_matrix(sg.load("rrr"))
    (tmp_path / "m.mjs").write_text(*f.code("wasm").values())
    with pytest.raises(AssertionError, match=r"mass_matrix: q has 2 numbers, expected 3"):
        called(tmp_path / "m.mjs", f.name, [[[0.0, 1.0]]])
