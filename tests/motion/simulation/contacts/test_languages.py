"""The step with contacts in other languages: the same loop of sweeps, the same numbers."""

import shutil
import subprocess

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

LEGS = "ad"
"""Two legs across, on which a body stands for a while: compilers of C take a third of the time of four."""
ROBOT = quadruped(names=LEGS)


def step_and_state():
    """Return the function of a step, and arguments at which feet touch the ground."""
    simulator = sg.Simulator(ROBOT, 1e-3, standing(ROBOT, 0.33), contacts=feet(LEGS, friction=0.3))
    simulator.step(steps=20)
    assert simulator.forces[:, 2].min() > 0.0
    numbers = np.concatenate([contact.values for contact in feet(LEGS, friction=0.3)])
    return simulator.function, (
        simulator.q,
        simulator.qd,
        np.zeros(ROBOT.nv),
        [1e-3],
        numbers,
        simulator.forces,
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_has_the_same_numbers(tmp_path):
    function, _ = step_and_state()
    sg.export_library({"step": function}, tmp_path, prefix="legs")
    build = [
        "gcc",
        "-O0",
        "-std=c99",
        "-I.",
        "legs.c",
        *map(str, (tmp_path / "test").glob("*.c")),
        "-lm",
        "-o",
        "check",
    ]
    subprocess.run(build, cwd=tmp_path, check=True)
    said = subprocess.run(["./check"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "0 numbers differ" in said
    assert "alloc" not in (tmp_path / "legs.c").read_text(encoding="utf-8")


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    function, state = step_and_state()
    for found, expected in zip(function.jax()(*map(np.asarray, state)), function(*state), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)
