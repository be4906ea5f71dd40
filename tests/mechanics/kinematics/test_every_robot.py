"""Kinematics of every URDF of the package beside Pinocchio's own reading of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from tests.mechanics.kinematics.states import angular_first
from tests.oracle import file_oracle, to_pin_q, to_pin_v
from tests.robots import urdfs

SHORT = ("double_pendulum", "ur5_robot", "finger_edu")
"""What every run tests; `make suite` tests all."""


def robots() -> list:
    """Return test parameters: a path each."""
    paths = [Path(p.values[0]) for p in urdfs()]
    return [pytest.param(p, marks=() if p.stem in SHORT else pytest.mark.suite, id=p.stem) for p in paths]


@pytest.mark.parametrize("path", robots())
@pytest.mark.sampled(3)
def test_poses_and_momentum_are_pinocchios(path):
    robot = sg.load(path)
    peer, rng = file_oracle(robot, path), np.random.default_rng(0)
    q, qd = robot.random(rng), rng.standard_normal(robot.nv)
    names = [name for name in _names(robot) if peer.model.existFrame(name, pin.BODY)]
    assert names
    size = 1.0
    for T, name in zip(sg.forward_kinematics(robot, names)(q), names, strict=True):
        expected = peer.pose(q, name)
        size = max(size, float(np.abs(expected).max()))
        np.testing.assert_allclose(T, expected, atol=1e-12 * size)
    if not sum(link.inertia.mass for link in robot.links[1:]):
        return
    model, data = peer.model, peer.data
    at, moving = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model)
    pin.computeCentroidalMomentum(model, data, at, moving)
    h = angular_first(data.hg.vector)
    np.testing.assert_allclose(sg.center_of_mass(robot)(q), data.com[0], atol=1e-12 * size)
    np.testing.assert_allclose(sg.centroidal_momentum(robot)(q, qd), h, atol=1e-12 * max(1.0, np.abs(h).max()))


def _names(robot: sg.Robot) -> list[str]:
    return [*(link.name for link in robot.links), *(frame.name for frame in robot.frames)]
