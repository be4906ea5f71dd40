"""Controllers in C and in JAX: the same numbers."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import ControlLimits, PostureTask, controller
from tests.api.deployment.tools import WARNINGS, done, found
from tests.motion.control.test_controllers import arm_controller, body_controller
from tests.motion.control.test_task_levels import layered


def crank_controller():
    mechanism = sg.load_mechanism("four_bar_angle")
    return mechanism, controller(mechanism, [PostureTask()], limits=ControlLimits(efforts={"theta": 20.0}))


def level_controller():
    return layered()


@pytest.mark.parametrize(
    "which",
    [arm_controller, crank_controller, level_controller, pytest.param(body_controller, marks=pytest.mark.suite)],
)
def test_c(which, tmp_path):
    compiler = found("gcc", "clang", "cc")
    _, f = which()
    sg.export_library({"control": f}, tmp_path, prefix="whole")
    tests = map(str, (tmp_path / "test").glob("*.c"))
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "whole.c", *tests, "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
    assert "alloc" not in (tmp_path / "whole.c").read_text(encoding="utf-8")


@pytest.mark.parametrize("which", [arm_controller, level_controller])
def test_jax_has_the_same_bits(which):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    _, f = which()
    rng = np.random.default_rng(4)
    for _ in range(5):
        state = [rng.standard_normal(a.shape) for a in f.arguments[:-1]]
        state[-1] = np.abs(state[-1])  # gains
        state.append(np.zeros(f.arguments[-1].shape))
        for got, expected in zip(f.jax()(*state), f(*state), strict=True):
            np.testing.assert_array_equal(np.asarray(got), expected)
