"""Kinds of models as tasks see them: what one file says of each holds for models of it."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import Role
from screwgraph.motion.planning.models import MODELS, as_robot, find_model_kind

GIVEN = {"robot": "five_bar", "mechanism": "slider_crank"}


@pytest.fixture(params=MODELS)
def model(request):
    return sg.load(GIVEN[request.param]) if request.param == "robot" else sg.load_mechanism(GIVEN[request.param])


def test_a_kind_tells_its_models_and_returns_what_was_given(model):
    robot = as_robot(model)
    kind = find_model_kind(robot)
    assert kind.model(robot) is model
    assert as_robot(robot) is robot
    assert len(kind.turns(robot)) == robot.nv == len(robot.joint_names)
    drive = kind.drive(robot, None)
    torques = drive.torques(robot.neutral()[None], np.ones((1, len(drive.labels))))
    assert sg.forward_dynamics(model).arguments[2].shape == torques.shape[1:]
    np.testing.assert_array_equal(torques, np.ones(torques.shape))
    assert [place for name in drive.labels for place in drive.places(name)] == list(range(len(drive.labels)))


def test_efforts_at_accelerations_of_forward_dynamics_are_the_torques(model):
    robot = as_robot(model)
    kind = find_model_kind(robot)
    graph, asked = kind.effort_graph(robot, ())
    known = [key for key in graph.variables if key.role is Role.MULTIPLIER]
    efforts = sg.compile(graph.given("q", "qd", "qdd", *known), asked)
    q = (
        robot.neutral()
        if kind.model(robot) is not robot
        else robot.complete(np.full(len(robot.independent_joints), 0.4))
    )
    assert np.abs(np.asarray(kind.closure_errors(robot, q), dtype=float)).max() < 1e-9
    drive = kind.drive(robot, None)
    tau = np.arange(1.0, 1.0 + len(drive.labels))
    forward = sg.compile(sg.dynamics_graph(model).given("q", "qd", "tau"), ["qdd", "lambda"])
    qdd, multipliers = forward(q, np.zeros(robot.nv), tau)
    expected = np.zeros(robot.nv)
    expected[list(drive.coordinates)] = tau
    np.testing.assert_allclose(efforts(q, np.zeros(robot.nv), qdd, multipliers), expected, atol=1e-8)


def test_what_is_no_model_is_refused():
    with pytest.raises(sg.InputError, match="expected a robot or a mechanism"):
        find_model_kind("panda")
