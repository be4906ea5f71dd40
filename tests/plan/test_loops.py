"""What plans demand of closed chains, for loops closed by every type of joint."""

import casadi as ca
import numpy as np
import pytest

from screwgraph.plan.loops import gaps, pulled
from screwgraph.plan.mechanics import Mechanics
from screwgraph.robot import closed_states, constraint_jacobian, constraint_residual
from tests.robot.closed_instances import two_arms
from tests.robot.joint_instances import instances

CLOSING = {name: joint for name, joint in instances().items() if joint.nv < 6}


@pytest.mark.parametrize("joint", CLOSING.values(), ids=CLOSING)
def test_closure_errors_and_forces_are_those_of_the_robot(joint):
    robot, rng = two_arms(joint), np.random.default_rng(2)
    mechanics, kept = Mechanics(robot), list(robot.mobility.kept)
    q, forces = ca.SX.sym("q", robot.nq), ca.SX.sym("f", len(kept))
    of = ca.Function("f", [q, forces], [gaps(mechanics, q), pulled(mechanics, q, forces)])
    (at,), pull = closed_states(robot, 1, seed=3), rng.normal(size=len(kept))
    beside = robot.manifold.retract(at, 1e-4 * rng.normal(size=robot.nv))
    found = np.array(of(beside, pull)[0])[:, 0]
    np.testing.assert_allclose(found, constraint_residual(robot, beside)[kept], rtol=0, atol=1e-10)
    found = np.array(of(at, pull)[1])[:, 0]
    np.testing.assert_allclose(found, constraint_jacobian(robot, at)[kept].T @ pull, rtol=0, atol=1e-9)
