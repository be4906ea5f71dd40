"""Arms whose tips weigh next to nothing: the tip's acceleration is as exact as the others."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.robot import Joint, Link, tree
from screwgraph.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.agreement import interpreted
from tests.oracle import oracle


def arm(ratio: float, seed: int) -> sg.Robot:
    """Return an arm of three links in random places, the last of which weighs so much beside the others."""
    rng = np.random.default_rng(seed)
    links, joints = [Link("base")], []
    for i, mass in enumerate((1.0, 1.0, ratio), start=1):
        inertia = SpatialInertia.of_body(
            mass, rng.normal(scale=0.2, size=3), mass * rng.uniform(0.01, 0.02) * np.eye(3)
        )
        links.append(Link(f"link{i}", inertia))
        origin = from_xyz_rpy(rng.normal(scale=0.3, size=3), rng.choice([0.0, np.pi / 2, 0.3], 3))
        joints.append(Joint(f"joint{i}", Revolute(), links[-2].name, links[-1].name, origin))
    return tree("arm", links, joints)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("ordering", ["aba", "articulated", "composite", "crba"])
@pytest.mark.parametrize("ratio", [1e-8, 1e-12, 1e-14])
def test_light_tips_accelerate_as_they_should(ratio, ordering):
    """Torques are Pinocchio's for known accelerations."""
    for seed in range(6):
        robot = arm(ratio, seed)
        rng, pinocchio = np.random.default_rng(seed), oracle(robot)
        q, qd, qdd = rng.normal(size=(3, 5, 3))
        tau = np.array([pinocchio.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
        found = interpreted(sg.forward_dynamics(robot, ordering=ordering), q, qd, tau)
        np.testing.assert_allclose(found, qdd, atol=1e-10 * max(1.0, np.abs(qdd).max()))
