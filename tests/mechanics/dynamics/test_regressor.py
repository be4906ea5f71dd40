"""The regressor beside Pinocchio's."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from tests.mechanics.dynamics.motions import motions
from tests.oracle import from_pin_tau, pinocchio_model, to_pin_a, to_pin_q, to_pin_v

OURS = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]
"""Places of our ten numbers among Pinocchio's: its rotational inertias are xx, xy, yy, xz, yz, zz."""


def pi_of(robot: sg.Robot) -> np.ndarray:
    links = [link.inertia.parameters for link in robot.links[1:] if link.inertia.mass or not robot.children(link.name)]
    joints = [
        [getattr(j, kind)] * (j.type.nv if kind == "armature" else 1)
        for kind in ("armature", "damping")
        for j in robot.joints
        if getattr(j, kind)
    ]
    return np.concatenate([*links, *joints])


def test_it_is_pinocchios():
    robot, rng = sg.load("puma560"), np.random.default_rng(0)
    model, data = pinocchio_model(robot)
    q, (qd, qdd) = robot.random(rng), rng.standard_normal((2, robot.nv))
    state = to_pin_q(robot, q, model), to_pin_v(robot, q, qd, model), to_pin_a(robot, q, qd, qdd, model)
    peer = pin.computeJointTorqueRegressor(model, data, *state).reshape(robot.nv, -1, 10)
    expected = peer[:, :, OURS].reshape(robot.nv, -1)
    columns = np.array([from_pin_tau(robot, q, column, model) for column in expected.T]).T
    links = [link.name for link in robot.links[1:]]
    np.testing.assert_allclose(sg.regressor(robot, parameters=links)(q, qd, qdd), columns, atol=1e-12)


@pytest.mark.parametrize("name", ["rrr", "four_bar_linkage"])
def test_torques_are_linear(name):
    robot = sg.load(name)
    q, qd, qdd = motions(robot, 4)
    coordinates = "independent" if robot.is_closed else "spanning"
    tau = sg.inverse_dynamics(robot, coordinates=coordinates)(q, qd, qdd)
    np.testing.assert_allclose(sg.regressor(robot)(q, qd, qdd) @ pi_of(robot), tau, atol=1e-10 * np.abs(tau).max())


def test_what_torques_are_not_linear_in():
    with pytest.raises(sg.InputError, match=r"torques are not linear in 'joint2.origin'"):
        sg.regressor(sg.load("rrr"), parameters=["joint2.origin"])


def test_friction_keeps_its_sign():
    """At most random states tanh(qd / 0.01) is 1 to all digits of a double, and no constant."""
    robot, rng = sg.load("panda"), np.random.default_rng(0)
    names = [f"{name}.friction" for name in robot.joint_names]
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, 50, robot.nv))
    expected = np.eye(robot.nv) * np.tanh(qd / 0.01)[:, :, None]
    np.testing.assert_allclose(sg.regressor(robot, parameters=names)(q, qd, qdd), expected, atol=1e-12)
