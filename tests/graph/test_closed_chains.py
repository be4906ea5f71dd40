"""Graphs of closed chains, eliminated as they are, against the projection method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.graph import Key
from screwgraph.model.robot import Joint, Link, Loop, tree
from screwgraph.model.robot.joints import Fixed, Prismatic, Revolute
from screwgraph.spatial import SpatialInertia, transform
from tests.agreement import assert_agree
from tests.closed_oracle import motion
from tests.graph.closed_robots import closed_robots, scalars, values
from tests.model.robot.closed_instances import planar_four_bar
from tests.reference import reference
from tests.robots import shared_file

ROBOTS = closed_robots()
CLOSED_ORDERS = ("kkt", "ancestor", "cluster_lambda")


def along_x(length: float) -> np.ndarray:
    return transform(np.eye(3), np.array([length, 0.0, 0.0]))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("order", CLOSED_ORDERS)
def test_forward_dynamics_is_that_of_the_projection(name, order):
    robot = ROBOTS[name]
    states = motion(robot, 4, everywhere=True)
    dag = sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), ORDERINGS[order]())
    assert_agree(values(dag, robot, scalars(robot, "qdd"), states), states.qdd)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("order", ORDERINGS)
@pytest.mark.parametrize("name", ["five_bar", "belt_leg", "spherical loop"])
def test_every_order_gives_that_answer(name, order):
    robot = ROBOTS[name]
    states = motion(robot, 4, everywhere=True)
    dag = sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), ORDERINGS[order]())
    assert_agree(values(dag, robot, scalars(robot, "qdd"), states), states.qdd, 1e-8)


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage", "belt_leg", "differential", "gears"])
@pytest.mark.parametrize("coordinates", ["spanning", "independent"])
@pytest.mark.sampled(3)
def test_inverse_dynamics_returns_the_efforts_of_the_independent_joints(name, coordinates):
    robot = ROBOTS[name]
    states = motion(robot, 4)
    driven = robot.independent_joints
    idle = {Key("tau", joint): np.zeros(1) for joint in robot.joint_names if joint not in driven}
    rates = ("qd", "qdd") if coordinates == "spanning" else [Key(k, j) for k in ("qd", "qdd") for j in driven]
    graph = sg.dynamics_graph(robot).given("q", *rates, *idle)
    dag = sg.eliminate(graph, ORDERINGS["rnea"](), constants=idle)
    expected = np.stack([states.tau[:, robot.v_slices[j].start] for j in driven], axis=1)
    assert_agree(values(dag, robot, scalars(robot, "tau", driven), states), expected)


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage", "belt_leg", "differential", "gears"])
def test_velocities_of_independent_joints_suffice(name):
    robot = ROBOTS[name]
    states = motion(robot, 4, everywhere=True)
    given = [Key("qd", joint) for joint in robot.independent_joints]
    graph = sg.dynamics_graph(robot).given("q", *given, "tau")
    assert {v.key for v in graph.inputs if v.key.kind == "qd"} == set(given)
    dag = sg.eliminate(graph, ORDERINGS["cluster_lambda"]())
    assert_agree(values(dag, robot, scalars(robot, "qdd"), states), states.qdd)


def test_a_planar_loop_has_the_two_multipliers_of_its_plane():
    graph = sg.dynamics_graph(planar_four_bar())
    assert graph.variables[Key("lambda", "pin")].dim == 2
    assert next(f for f in graph.factors if f.template.name == "loop").rows == 2


def test_the_loop_of_the_five_bar_is_its_fifth_joint():
    """Xie & Dellaert (2019), Fig. 12: its wrench has the number 5."""
    graph = sg.dynamics_graph(ROBOTS["five_bar"])
    assert graph.variables[Key("lambda", "joint5")].label == "λ5"


def test_a_loop_may_be_cut_anywhere():
    """A four-bar whose loop is closed at the crank's end moves as the one that is closed at the rocker's."""
    crank, coupler, rocker, ground = 0.5, 1.1, 0.7, 1.0
    robot = planar_four_bar((crank, coupler, rocker, ground))
    held = replace(robot.joint("joint2"), name="pin", parent="rocker", origin=along_x(rocker))
    turned = Link("coupler", robot.link("coupler").inertia.moved(along_x(-coupler)))
    links = [turned if link.name == "coupler" else link for link in robot.links]
    joints = [robot.joint("joint1"), robot.joint("joint3"), held]
    loop = Loop("joint2", Revolute(), "crank", "coupler", along_x(crank), along_x(-coupler))
    other = tree("other", links, joints, loops=[loop])
    q, qd, tau, qdd = (x[0] for x in motion(robot, 1, everywhere=True))
    to_other = np.array([[1.0, 0, 0], [0, 0, 1], [1, 1, -1]])
    at = {Key("q", "joint1"): q[:1], Key("q", "joint3"): q[2:], Key("q", "pin"): q[:1] + q[1:2] - q[2:]}
    moving = dict(zip((Key("qd", j) for j in ("joint1", "joint3", "pin")), (to_other @ qd).reshape(3, 1), strict=True))
    # The same power on every motion: tau' (A qd) = tau qd.
    efforts = np.linalg.solve(to_other.T, tau).reshape(3, 1)
    driving = dict(zip((Key("tau", j) for j in ("joint1", "joint3", "pin")), efforts, strict=True))
    graph = sg.dynamics_graph(other).given("q", "qd", "tau")
    dag = sg.eliminate(graph, ORDERINGS["kkt"](), constants=at | moving | driving)
    found = [dag.solution[Key("qdd", j), 0] for j in ("joint1", "joint3", "pin")]
    np.testing.assert_allclose(found, to_other @ qdd, rtol=1e-9, atol=1e-9 * np.abs(qdd).max())


@pytest.mark.parametrize(("ends", "sign"), [(("base", "block"), 1.0), (("block", "base"), -1.0)])
def test_a_multiplier_acts_on_the_successor(ends, sign):
    block = SpatialInertia.of_body(2.0, np.zeros(3), np.eye(3))
    joint = Joint("rail", Prismatic(), "base", "block")
    robot = tree("held", [Link("base"), Link("block", block)], [joint], loops=[Loop("hook", Fixed(), *ends)])
    zero = {Key(kind, "rail"): np.zeros(1) for kind in ("q", "qd", "tau")}
    dag = sg.eliminate(sg.dynamics_graph(robot).given(*zero), ORDERINGS["kkt"](), constants=zero)
    assert dag.solution[Key("qdd", "rail"), 0] == pytest.approx(0.0, abs=1e-12)
    assert dag.solution[Key("lambda", "hook"), 0] == pytest.approx(sign * 2.0 * 9.81)


@pytest.mark.parametrize("name", ["rotor_chain", "planar_leg_linkage"])
def test_reference_values(name):
    known = reference(name)
    file = known["model"].removeprefix("robots/")
    robot = sg.load(str(shared_file("robots", *file.split("/"))), gravity=tuple(known["gravity"]))
    q = robot.complete(known["y"])
    driven = robot.independent_joints
    idle = {Key("tau", j): np.zeros(1) for j in robot.joint_names if j not in driven}
    given = {
        Key(k, j): np.array([x])
        for k, n in (("qd", "yd"), ("tau", "tau"))
        for j, x in zip(driven, known[n], strict=True)
    }
    constants = {Key("q", j): q[s] for j, s in robot.q_slices.items()} | idle | given
    graph = sg.dynamics_graph(robot).given("q", *given, *idle)
    dag = sg.eliminate(graph, ORDERINGS["cluster_lambda"](), constants=constants)
    found = [dag.solution[Key("qdd", j), 0] for j in driven]
    np.testing.assert_allclose(found, known["ydd"], rtol=known["tol"])


def test_a_motion_that_is_given_whole_leaves_the_multipliers_to_the_efforts():
    robot = ROBOTS["five_bar"]
    with pytest.raises(sg.EliminationError, match="lambda:joint5"):
        sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "qdd"), ORDERINGS["rnea"]())


def test_a_robot_without_loops_has_no_multipliers():
    robot = replace(ROBOTS["five_bar"], loops=(), independent=None)
    kinds = {key.kind for key in sg.dynamics_graph(robot).variables}
    assert "lambda" not in kinds
