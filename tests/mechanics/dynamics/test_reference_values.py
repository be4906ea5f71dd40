"""Open chains of `reference_values.json`: values from closed forms, not from this project."""

import numpy as np
import pytest

from screwgraph.mechanics.dynamics import forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.model.robot import Joint, Link, tree, with_floating_base, with_gravity
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia
from tests.reference import reference

Z = Revolute((0.0, 0.0, 1.0))


def rod(mass, centre, inertia):
    """A body whose centre of mass lies on x; its inertia about the axis z counts."""
    return SpatialInertia.of_body(mass, np.array([centre, 0.0, 0.0]), np.diag([inertia, inertia, inertia]))


def pendulum(body, gravity):
    joints = [Joint("pivot", Z, "ground", "rod")]
    return tree("pendulum", [Link("ground"), Link("rod", body)], joints, gravity=gravity)


@pytest.mark.parametrize("ordering", ["aba", "crba", "min_degree"])
def test_one_link_pendulum_without_gravity(ordering):
    value = reference("one_link_pendulum_zero_gravity")
    robot = pendulum(rod(15.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    qdd = forward_dynamics(robot, ordering=ordering)([0.0], [0.0], [value["tau"]])
    assert qdd[0] == pytest.approx(value["qdd"], rel=value["tol"])
    assert inverse_dynamics(robot)([0.0], [0.0], qdd)[0] == pytest.approx(value["tau"], rel=value["tol"])


@pytest.mark.parametrize("ordering", ["aba", "crba", "min_degree"])
def test_two_free_links_turn_against_each_other(ordering):
    value = reference("free_pair")
    links = [Link("a", rod(1.0, 0.0, 0.5)), Link("b", rod(2.0, 0.0, 0.5))]
    robot = with_gravity(with_floating_base(tree("pair", links, [Joint("hinge", Z, "a", "b")])), (0.0, 0.0, 0.0))
    q, rest, tau = robot.neutral(), np.zeros(7), np.zeros(7)
    tau[robot.v_slices["hinge"]] = value["tau"]
    qdd = forward_dynamics(robot, ordering=ordering)(q, rest, tau)
    assert qdd[robot.v_slices["hinge"]] == pytest.approx(value["qdd"], rel=value["tol"])
    assert qdd[:6] == pytest.approx([0, 0, -value["tau"] / 0.5, 0, 0, 0], rel=value["tol"])
    given = np.zeros(7)
    given[robot.v_slices["hinge"]] = value["qdd"]
    found = hybrid_dynamics(robot, ("hinge",), ordering=ordering)(q, rest, given)
    assert found[robot.v_slices["hinge"]] == pytest.approx(value["tau"], rel=value["tol"])


def test_a_rod_is_held_against_gravity():
    value = reference("static_rod")
    robot = pendulum(rod(1.0, 1.0, 1.0 / 3.0), (0.0, -10.0, 0.0))
    angle = np.deg2rad(60.0)
    tau = inverse_dynamics(robot)([angle], [0.0], [0.0])
    assert tau[0] == pytest.approx(value["tau"], rel=value["tol"])
    assert forward_dynamics(robot)([angle], [0.0], tau)[0] == pytest.approx(0.0, abs=value["tol"])
