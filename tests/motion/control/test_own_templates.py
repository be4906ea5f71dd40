"""Tasks and barriers of one's own: rows of their derivatives, names of their arguments, in every language."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    FunctionBarrier,
    MotionTask,
    PostureTask,
    controller,
    stack_barriers,
    stack_gains,
)
from screwgraph.motion.control.tasks.base import make_rows
from tests.api.deployment.tools import WARNINGS, done, eigen, found
from tests.compiler.backends.node import called
from tests.motion.control.robots import arm

ALIGNED = "local_world_aligned"


@dataclass(frozen=True)
class RadiusTask(MotionTask):
    """Half the square of the tip's distance (m2) from the axis of the base follows a value."""

    usual_name = "radius"

    def references(self, model):
        return {self.name: (1,), f"{self.name}_rates": (2, 1)}

    def rows(self, model, q, qd, *references):
        J = sg.frame_jacobian(model, "tip", reference=ALIGNED)(q)[3:5]
        p = sg.forward_kinematics(model, "tip")(q)[:2, 3]
        v, a = J @ qd, sg.frame_acceleration(model, "tip", reference=ALIGNED)(q, qd, np.zeros(model.nv))[3:5]
        error, rate = references[0][0] - 0.5 * (p @ p), p @ v
        return make_rows(np.array([p @ J]), [p @ a + v @ v], [error], [rate], references[1])


def above(robot, q, qd, height):
    """Degree 2: how far the tip is above a height that moves."""
    return [sg.forward_kinematics(robot, "tip")(q)[2, 3] - height[0]]


def slow(robot, q, qd, most):
    """Degree 1: how much the square of velocities is below one that varies."""
    return [most[0] - qd @ qd]


def make_own(height="height"):
    """Return a controller with two barriers and a task of one's own, and its tasks and barriers."""
    tasks = [RadiusTask(stiffness=50.0), PostureTask(weight=1e-2)]
    barriers = [
        FunctionBarrier("above", above, arguments=((height, 1),)),
        FunctionBarrier("slow", slow, arguments=(("most", 1),), rate=20.0),
    ]
    return controller(arm(), tasks, barriers=barriers), tasks, barriers


def draw(rng, f, tasks, barriers, height="height"):
    """Return random arguments."""
    return {
        "q": rng.uniform(-1.5, 1.5, 3),
        "qd": rng.uniform(-1.0, 1.0, 3),
        "radius": rng.uniform(0.0, 0.2, 1),
        "radius_rates": rng.standard_normal((2, 1)),
        "posture": rng.uniform(-1.0, 1.0, 3),
        "posture_rates": rng.standard_normal((2, 3)),
        height: rng.uniform(-0.4, 0.2, 1),
        f"{height}_rates": 0.3 * rng.standard_normal((2, 1)),
        "most": rng.uniform(2.0, 6.0, 1),
        "most_rates": rng.standard_normal((2, 1)),
        "gains": stack_gains(tasks),
        "barriers": stack_barriers(barriers),
        "active": np.zeros(f.arguments[-1].shape),
    }


def test_rows_are_derivatives():
    """Central differences along the motion that a tick asks for keep both barriers, of degree 2 and of degree 1."""
    f, tasks, barriers = make_own()
    robot, rng, met = arm(), np.random.default_rng(0), [0, 0]
    for _ in range(60):
        own = draw(rng, f, tasks, barriers)
        _, qdd, _, (status, *_) = f(**own)
        if status != 0.0:
            continue

        def along(t, own=own, qdd=qdd):
            q, qd = own["q"] + t * own["qd"] + 0.5 * t * t * qdd, own["qd"] + t * qdd
            heights, most = (own[n] + t * own[f"{n}_rates"][0] for n in ("height", "most"))
            heights = heights + 0.5 * t * t * own["height_rates"][1]
            return above(robot, q, qd, heights)[0], slow(robot, q, qd, most)[0]

        h, step = along(0.0), 1e-4
        ahead, behind = along(step), along(-step)
        first = (ahead[0] - behind[0]) / (2 * step)
        second = (ahead[0] - 2.0 * h[0] + behind[0]) / step**2
        left = second + 2.0 * 10.0 * first + 100.0 * h[0], (ahead[1] - behind[1]) / (2 * step) + 20.0 * h[1]
        assert min(left) > -1e-4
        met = [count + (abs(x) < 1e-4) for count, x in zip(met, left, strict=True)]
    assert min(met) > 3


@pytest.mark.parametrize("name", ["low", "y", "gap", "values", "kept", "worst", "s", "tau", "E", "sense"])
def test_arguments_have_any_name(name):
    """Vectors of the solver have names, too, which are not those of arguments."""
    f, tasks, barriers = make_own()
    other, *_ = make_own(name)
    for seed in range(5):
        expected = f(**draw(np.random.default_rng(seed), f, tasks, barriers))
        found = other(**draw(np.random.default_rng(seed), f, tasks, barriers, name))
        for got, own in zip(found, expected, strict=True):
            np.testing.assert_array_equal(got, own)


def test_arguments_are_names_and_sizes():
    others: tuple[Any, ...] = ((("height",),), (("height", "one"),), ("height",), ((1, "height"),), (("height", 1, 2),))
    for wrong in others:
        with pytest.raises(InputError, match=r"expected a list of tuples of a text \(str\) and an integer"):
            FunctionBarrier("above", above, arguments=wrong)


@pytest.mark.parametrize("language", ["c", "cpp", "rust"])
def test_languages_have_the_same_numbers(language, tmp_path):
    f, *_ = make_own()
    sg.export_library({"own": f}, tmp_path, prefix="own", language=language)
    if language == "rust":
        rustc = found("rustc"), "--edition", "2021", "-D", "warnings"
        done(*rustc, "--crate-type", "rlib", "--crate-name", "own", "src/lib.rs", cwd=tmp_path)
        done(*rustc, "--test", "--extern", "own=libown.rlib", "tests/examples.rs", "-o", "t", cwd=tmp_path)
        assert re.search("1 passed", done("./t", cwd=tmp_path))
        return
    done(found("gcc", "clang", "cc"), "-std=c99", *WARNINGS, "-O1", "-I.", "-c", "own.c", cwd=tmp_path)
    (test,) = (tmp_path / "test").glob("own_test.*")
    compiler = [found("gcc", "clang", "cc")] if language == "c" else [found("g++", "clang++"), "-isystem", eigen()]
    done(*compiler, "-O1", "-I.", "-Itest", test, "own.o", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def _list_calls(f, tasks, barriers, count):
    """Return arguments of some calls, in order."""
    drawn = (draw(np.random.default_rng(seed), f, tasks, barriers) for seed in range(count))
    return [[np.asarray(own[a.name], dtype=float) for a in f.arguments] for own in drawn]


def test_webassembly_has_the_same_numbers(tmp_path):
    f, tasks, barriers = make_own()
    sg.export_library({"own": f}, tmp_path, prefix="own", language="wasm")
    calls = _list_calls(f, tasks, barriers, 6)
    for got, call in zip(called(tmp_path / "own.mjs", "own_own", calls), calls, strict=True):
        for result, expected in zip(f.results, f(*call), strict=True):
            np.testing.assert_allclose(got[result.name], np.ravel(expected), rtol=1e-9, atol=1e-9)


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, tasks, barriers = make_own()
    for call in _list_calls(f, tasks, barriers, 6):
        for got, expected in zip(f.jax()(*call), f(*call), strict=True):
            np.testing.assert_array_equal(np.asarray(got), expected)
