"""The regressor beside Pinocchio's, and the rank of base parameters beside singular values."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.dynamics.base_parameters import _motions
from tests.oracle import from_pin_tau, pinocchio_model, to_pin_a, to_pin_q, to_pin_v
from tests.robots import SHARED

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
    q, qd, qdd = _motions(robot, 4)
    coordinates = "independent" if robot.is_closed else "spanning"
    tau = sg.inverse_dynamics(robot, coordinates=coordinates)(q, qd, qdd)
    np.testing.assert_allclose(sg.regressor(robot)(q, qd, qdd) @ pi_of(robot), tau, atol=1e-10 * np.abs(tau).max())


@pytest.mark.parametrize(
    ("name", "base", "rank"),
    [("puma560", "fixed", 36), ("acrobot", "floating", None), ("four_bar_linkage", "fixed", 8)],
)
def test_base_parameters(name, base, rank):
    """Of a PUMA 560 there are 36: Gautier & Khalil (1990)."""
    robot = sg.load(name, base=base)
    found = sg.base_parameters(robot)
    Y = np.concatenate(sg.regressor(robot)(*_motions(robot, 3 * len(found.labels))))
    size = np.linalg.norm(Y, axis=0)
    values = np.linalg.svd(Y / np.where(size > 0.0, size, 1.0), compute_uv=False)
    assert found.rank == (values > 1e-11 * values[0]).sum()
    assert rank in (None, found.rank)
    np.testing.assert_allclose(Y[:, found.independent] @ found.map, Y, atol=1e-9 * np.abs(Y).max())
    assert all(text.startswith(found.labels[i]) for text, i in zip(found.expressions, found.independent, strict=True))


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


@pytest.mark.suite
@pytest.mark.parametrize(
    "path", sorted((SHARED / "robots").rglob("*.urdf")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_the_rank_is_that_of_singular_values(path):
    """Singular values leave no doubt: the least that counts is 1e4 times the next, or more.

    Columns below 1e-9 of the largest are rounding of the file's angles: a Kinova's axes are tilted by 1e-12.
    """
    robot = sg.load(path)
    found = sg.base_parameters(robot)
    Y = np.concatenate(sg.regressor(robot)(*_motions(robot, 2 * len(found.labels) + 7)))
    size = np.linalg.norm(Y, axis=0)
    seen = size > 1e-9 * size.max()
    values = np.linalg.svd(Y[:, seen] / size[seen], compute_uv=False)
    assert values[found.rank - 1] > 1e4 * np.append(values, 0.0)[found.rank]
