"""Rows of docs/coming_from/pinocchio.md: names on both sides exist, and expressions give Pinocchio's numbers."""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

import re
from functools import reduce

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph import spatial
from screwgraph.api.interop import pinocchio_states
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "coming_from" / "pinocchio.md").read_text(encoding="utf-8")
ROWS = [line.strip("| \n").split(" | ") for line in PAGE.splitlines() if line.startswith("| `") and " | " in line]
NOT_FUNCTIONS = {"Inertia", "Motion", "Force", "SE3", "RigidConstraintModel", "CppADCodeGen", "pinocchio", "model"}
ELSEWHERE = {
    "ComputeRNEASecondOrderDerivatives",
    "buildModelFromMJCF",
    "buildModelFromSdf",
    "lcaba",
    "computeSubtreeMasses",
    "rpy",
    "FromDynamicParameters",
}
"""What its Python module or some builds lack, or what is a method or a module."""


def called(cell: str) -> list[str]:
    """Return the names of functions in the code of a cell."""
    found = []
    for code in re.findall(r"`([^`]+)`", cell):
        match = re.match(r"([A-Za-z]\w*)(?:\(|$)", code)
        if match:
            found.append(match[1])
    return found


def test_the_page_has_the_sheet():
    assert len(ROWS) > 50
    assert sum("not there" in row[1] for row in ROWS) >= 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_names_of_a_row_exist(row):
    theirs = [name for name in called(row[0]) if name not in NOT_FUNCTIONS | ELSEWHERE]
    assert [name for name in theirs if not hasattr(pin, name)] == []
    for path in re.findall(r"`?\bsg\.([\w.]+)", row[1]):
        assert reduce(getattr, path.rstrip(".").split("."), sg) is not None


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """An arm here and in Pinocchio, a state, and its data there."""
    path = str(tmp_path_factory.mktemp("arm") / "puma560.urdf")
    sg.save(sg.load("puma560"), path)
    robot, model = sg.load(path, damping=False), pin.buildModelFromUrdf(path)
    rng = np.random.default_rng(0)
    q, qd, qdd = (rng.standard_normal(robot.nv) for _ in range(3))
    return robot, model, model.createData(), pinocchio_states(robot, model), (q, qd, qdd)


def test_positions(arm):
    robot, model, _, states, (q, dq, _) = arm
    q0, q1 = states.q_out(q), states.q_out(q + dq)
    between = sg.integrate(robot)(q, 0.3 * sg.difference(robot)(q, q + dq))
    np.testing.assert_allclose(states.q_out(between), pin.interpolate(model, q0, q1, 0.3), atol=1e-12)
    apart = np.linalg.norm(sg.difference(robot)(q, q + dq))
    np.testing.assert_allclose(apart, pin.distance(model, q0, q1), atol=1e-12)


def test_the_rate_of_a_jacobian(arm):
    robot, model, data, states, (q, qd, _) = arm
    frame = robot.links[-1].name
    pin.computeJointJacobiansTimeVariation(model, data, states.q_out(q), states.qd_out(q, qd))
    number = model.getFrameId(frame)
    theirs = pin.getFrameJacobianTimeVariation(model, data, number, pin.ReferenceFrame.LOCAL)
    ours = sg.frame_jacobian(robot, frame, reference="local").jacobian("q")(q) @ qd
    np.testing.assert_allclose(ours, np.vstack([theirs[3:], theirs[:3]]), atol=1e-11)
    drift = sg.frame_acceleration(robot, frame, reference="local")(q, qd, 0 * qd)
    np.testing.assert_allclose(ours @ qd, drift, atol=1e-10)


def test_dynamics_and_energies(arm):
    robot, model, data, states, (q, qd, qdd) = arm
    x, v = states.q_out(q), states.qd_out(q, qd)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    inverse = pin.computeMinverse(model, data, x)
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    ours = sg.forward_dynamics(robot).jacobian("tau")(q, qd, tau)
    np.testing.assert_allclose(ours, inverse, atol=1e-9 * abs(inverse).max())
    gravity = pin.computeGeneralizedGravity(model, data, x)
    np.testing.assert_allclose(sg.bias_forces(robot)(q, 0 * qd), gravity, atol=1e-9 * abs(gravity).max())
    C = pin.computeCoriolisMatrix(model, data, x, v)
    np.testing.assert_allclose(sg.coriolis_matrix(robot)(q, qd), C, atol=1e-9 * abs(C).max())
    energy = pin.computeKineticEnergy(model, data, x, v)
    np.testing.assert_allclose(sg.kinetic_energy(robot)(q, qd), energy, rtol=1e-9)
    A = pin.ccrba(model, data, x, v)
    np.testing.assert_allclose(sg.centroidal_momentum_matrix(robot)(q), np.vstack([A[3:], A[:3]]), atol=1e-9)


def test_spatial_algebra():
    rng = np.random.default_rng(1)
    xi = rng.standard_normal(6)
    T = spatial.exp6(xi)
    theirs = pin.exp6(pin.Motion(xi[3:], xi[:3]))
    np.testing.assert_allclose(T, theirs.homogeneous, atol=1e-12)
    swap = np.r_[3:6, 0:3]
    np.testing.assert_allclose(spatial.Ad(T), theirs.toActionMatrix()[np.ix_(swap, swap)], atol=1e-12)
    np.testing.assert_allclose(spatial.log6(T), xi, atol=1e-9)
