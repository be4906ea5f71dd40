"""Motions of points at velocities that stay, of every joint type, beside differences of where points are."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.geometry.moving_point import follow_point, move_point
from screwgraph.spatial.manifolds.gliding import glide
from tests.model.robot.joint_instances import in_a_tree, instances

STEP, AT, ARM = 2e-3, (0.1, -0.2, 0.3), (0.05, 0.02, -0.04)
MOVING = {name: joint for name, joint in instances().items() if joint.nv}


def second_difference(f):
    """Return f''(0), to the fourth order of the step."""
    return (-f(2 * STEP) + 16 * f(STEP) - 30 * f(0.0) + 16 * f(-STEP) - f(-2 * STEP)) / (12 * STEP * STEP)


@pytest.mark.parametrize("joint", MOVING.values(), ids=MOVING)
def test_velocities_and_accelerations_are_those_of_the_motion(joint):
    """Seen from the ground, and from a body that moves, in axes that this has now; a ball's lowest point, too."""
    robot, rng = in_a_tree(joint), np.random.default_rng(0)
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    hand, sledge = sg.forward_kinematics(robot, "hand"), sg.forward_kinematics(robot, "sledge")

    def relative(time, frame):
        there = np.asarray(glide(robot.manifold, q, time * qd)[0])
        return frame(there) @ np.linalg.inv(sledge(there)) @ hand(there)

    points = [(name, move_point(robot, robot.frame(name), at, q, qd)) for name, at in (("hand", AT), ("sledge", ARM))]
    own, other = (follow_point(robot, robot.frame(name), point, qd) for name, point in points)
    for found, frame in ((own, sledge), (own.seen_from(other), lambda _: sledge(q))):

        def place(time, frame=frame):
            return (np.asarray(relative(time, frame)) @ [*AT, 1.0])[:3]

        def spoke(time, frame=frame):
            turned = np.asarray(relative(time, frame))[:3, :3] @ np.asarray(relative(0.0, frame))[:3, :3].T
            return turned @ ARM

        np.testing.assert_allclose(found.p, place(0.0), atol=1e-12)
        np.testing.assert_allclose(found.v, (place(1e-6) - place(-1e-6)) / 2e-6, atol=1e-7)
        scale = max(1.0, np.abs(found.a).max())
        np.testing.assert_allclose(found.a, second_difference(place), atol=1e-7 * scale)
        # A point of the body at the arm has alpha x arm + omega x (omega x arm).
        swung = np.cross(found.omega, np.cross(found.omega, ARM))
        np.testing.assert_allclose(
            found.slip_rate(np.array(ARM)) - found.a + swung,
            second_difference(spoke),
            atol=1e-7 * max(1.0, np.abs(swung).max()),
        )
