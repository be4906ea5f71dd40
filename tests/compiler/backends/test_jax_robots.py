"""Functions of robots from other projects as JAX functions: values, batches, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states
from tests.closed_oracle import DIFFERENCES
from tests.robots import robot_file

jax = pytest.importorskip("jax")
STEP = 1e-3
"""Differences of eighth order then err by some 1e-12 of the function's size."""
FILES = (
    "ant.xml",
    "half_cheetah.xml",
    "kinova.urdf",
    "hextilt_flying_arm_5.urdf",
    "mit_humanoid_leg.urdf",
    "six_bar.urdf",
)


@pytest.fixture(scope="module", autouse=True)
def double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.mark.sampled(2)
@pytest.mark.parametrize("file", FILES)
def test_values_batches_and_derivatives_of_a_file(file):
    robot, rng = sg.load(robot_file(file)), np.random.default_rng(0)
    f = sg.inverse_dynamics(robot)
    q, (qd, qdd) = np.array(closed_states(robot, 3, seed=1)), rng.standard_normal((2, 3, robot.nv))
    g, values = f.jax(), (q, qd, qdd)
    np.testing.assert_allclose(jax.jit(jax.vmap(g))(*values), f(*values), rtol=1e-13, atol=1e-13)
    one, way = tuple(x[0] for x in values), tuple(rng.standard_normal(x[0].shape) for x in values)
    along = [w * (f(*_at(one, way, k)) - f(*_at(one, way, -k))) for k, w in enumerate(DIFFERENCES, start=1)]
    found, weights = np.asarray(jax.jvp(g, one, way)[1]), rng.standard_normal(robot.nv)
    np.testing.assert_allclose(found, sum(along) / STEP, rtol=0, atol=1e-9 * np.abs(found).max())
    back = jax.vjp(g, *one)[1](weights)
    assert sum(float(a @ b) for a, b in zip(back, way, strict=True)) == pytest.approx(float(weights @ found), rel=1e-10)


def _at(one: tuple[np.ndarray, ...], way: tuple[np.ndarray, ...], k: int) -> list[np.ndarray]:
    return [x + k * STEP * d for x, d in zip(one, way, strict=True)]
