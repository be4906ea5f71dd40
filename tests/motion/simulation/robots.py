"""Small robots whose motion is known."""

from __future__ import annotations

import numpy as np

from screwgraph.model.robot import Joint, JointType, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Revolute
from screwgraph.spatial import SpatialInertia

WEIGHTLESS = (0.0, 0.0, 0.0)
BODY = SpatialInertia.of_body(2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.5, 0.7]))
"""Three different inertias: the body tumbles."""


def pendulum(length: float = 0.8, damping: float = 0.0) -> Robot:
    """A point mass of 1.5 kg on a rod; q = 0 hangs down."""
    bob = SpatialInertia.of_body(1.5, np.array([0.0, 0.0, -length]), np.zeros((3, 3)))
    joint = Joint("swing", Revolute((0.0, 1.0, 0.0)), "base", "bob", damping=damping)
    return tree("pendulum", [Link("base"), Link("bob", bob)], [joint])


def free_body(kind: JointType | None = None) -> Robot:
    """A body that no force acts on."""
    joints = [Joint("free", kind or Floating(), "base", "body")]
    return tree("free_body", [Link("base"), Link("body", BODY)], joints, gravity=WEIGHTLESS)
