"""Blocks of constraints: what they determine, one after the other."""

import numpy as np
import pytest

from screwgraph.mechanics.dynamics.completion.completion import find_blocks
from screwgraph.model.robot import Link, Loop, tree
from screwgraph.model.robot.joints import Fixed, Floating, JointType, Revolute, Spherical, Universal
from screwgraph.model.robot.parts import Joint


@pytest.mark.parametrize("joint", [Spherical(), Floating()], ids=["ball", "floating"])
@pytest.mark.parametrize("held", [Fixed(), Revolute((0.0, 1.0, 0.0)), Universal()], ids=["fixed", "hinge", "cross"])
def test_coordinates_of_one_joint_are_determined_together(joint: JointType, held: JointType):
    """Rotations at one place are no numbers that add up: a ball or a free body is completed as a whole."""
    joints, loops = [Joint("joint", joint, "ground", "a")], [Loop("loop", held, "ground", "a", np.eye(4), np.eye(4))]
    robot = tree("held", [Link("ground"), Link("a")], joints, loops=loops)
    assert len(find_blocks(robot)) == 1
