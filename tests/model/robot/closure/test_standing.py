"""Robots that stand on held feet with straight legs, where joints of a leg do not tell where the base is."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Link, Loop, Robot, constraint_jacobian, independent_coordinates, tree
from screwgraph.model.robot.joints import Fixed, Floating, JointType, Planar, Revolute, Spherical
from screwgraph.model.robot.parts import Joint
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.closed_oracle import projected

AXES = {"x": Revolute((1.0, 0.0, 0.0)), "y": Revolute((0.0, 1.0, 0.0)), "z": Revolute((0.0, 0.0, 1.0))}
REACH = 0.4
SIDES = [(0.0, 0.1), (0.0, -0.1)]
DIAGONAL = [(0.3, 0.15), (-0.3, -0.15)]


def at(x: float, y: float, z: float) -> np.ndarray:
    return from_xyz_rpy(np.array([x, y, z]), np.zeros(3))


def body(mass: float, z: float) -> SpatialInertia:
    """Return the inertia of a body whose centre of mass is at z, of radii of gyration of some centimetres."""
    return SpatialInertia.of_body(mass, np.array([0.0, 0.0, z]), mass * np.diag([0.02, 0.025, 0.01]))


def standing(feet: list[tuple[float, float]], joints: str, foot: JointType, base: JointType | None = None) -> Robot:
    """Return a trunk on straight legs over feet that are held at (x, y); joints as "xy|y|": hip, knee and ankle."""
    links, made, loops = [Link("world"), Link("trunk", body(10.0, 0.1))], [], []
    made.append(Joint("base", base or Floating(), "world", "trunk", at(0.0, 0.0, 2 * REACH)))
    for leg, (x, y) in enumerate(feet):
        parent, place = "trunk", at(x, y, 0.0)
        for part, axes in zip(("hip", "knee", "ankle"), joints.split("|"), strict=True):
            for axis in axes:
                name = f"{part}_{axis}{leg}"
                links.append(Link(name, body(1.0, -REACH / 2)))
                made.append(Joint(f"j_{name}", AXES[axis], parent, name, place))
                parent, place = name, at(0.0, 0.0, 0.0)
            place = place if part == "ankle" else at(0.0, 0.0, -REACH)
        loops.append(Loop(f"foot{leg}", foot, "world", parent, at(x, y, 0.0), place))
    return tree("standing", links, made, loops=loops)


ROBOTS = {
    "biped on points": (SIDES, "xy|y|", Spherical()),
    "biped on points, yaw": (SIDES, "zxy|y|", Spherical()),
    "biped on edges": (SIDES, "xy|y|", AXES["y"]),
    "biped on soles": (SIDES, "zxy|y|yx", Fixed()),
    "biped on knees that roll": (SIDES, "yx|x|", Spherical()),
    "on two diagonal points": (DIAGONAL, "xy|y|", Spherical()),
    "on one point": ([(0.0, 0.0)], "xy|y|", Spherical()),
    "on one sole": ([(0.0, 0.0)], "zxy|y|yx", Fixed()),
    "in a plane": ([(0.2, 0.0), (-0.2, 0.0)], "y|y|", AXES["y"], Planar((0.0, 1.0, 0.0))),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_independent_joints_determine_straight_legs(name):
    robot = standing(*ROBOTS[name])
    q, rng = robot.neutral(), np.random.default_rng(2)
    _, _, directions = np.linalg.svd(constraint_jacobian(robot, q))
    qd = directions[robot.mobility.rank :].T @ rng.standard_normal(robot.mobility.freedom)
    np.testing.assert_allclose(robot.complete_velocity(q, qd[independent_coordinates(robot)]), qd, atol=1e-12)


@pytest.mark.parametrize("name", ["biped on points", "on two diagonal points"])
def test_straight_legs_fall_as_the_projection_method_says(name):
    robot = standing(*ROBOTS[name])
    q, rng = robot.neutral(), np.random.default_rng(3)
    _, _, directions = np.linalg.svd(constraint_jacobian(robot, q))
    qd = directions[robot.mobility.rank :].T @ rng.standard_normal(robot.mobility.freedom)
    tau = rng.standard_normal(robot.nv)
    expected = projected(robot)(q, qd, tau)
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    np.testing.assert_allclose(qdd, expected, atol=1e-10 * np.abs(expected).max())


def test_advice_names_single_coordinates_where_no_whole_joints_do():
    robot = standing(*ROBOTS["biped on points"]).with_independent_joints(["base"])
    with pytest.raises(sg.InputError, match=r"with_independent_joints\(\[.*'base\[\d\]'") as refused:
        robot.complete_velocity(robot.neutral(), np.ones(6))
    names = str(refused.value).split("[", 1)[1].rsplit("]", 1)[0]
    advised = robot.with_independent_joints([name.strip(" '") for name in names.split(",")])
    q, given = advised.neutral(), np.arange(1.0, 7.0)
    qd = advised.complete_velocity(q, given)
    np.testing.assert_allclose(constraint_jacobian(advised, q) @ qd, 0.0, atol=1e-12)
    np.testing.assert_allclose(qd[independent_coordinates(advised)], given, atol=1e-12)


def test_positions_at_a_double_root_are_no_regular_ones():
    """Legs that only pitch hold the trunk level: feet at its width leave cos(roll) = 1, whose derivative is zero."""
    robot = standing(SIDES, "y|y|", Spherical())
    at_zero = np.linalg.svd(constraint_jacobian(robot, robot.neutral()), compute_uv=False)
    assert robot.mobility.rank == np.sum(at_zero > 1e-9) == 5


def test_loops_that_hold_to_first_order_only_are_doubted():
    """Two bars of 1 m between pins 2 m apart do not move; the derivative of their closure says that they do."""
    bars = [Link("ground"), Link("a", body(1.0, 0.0)), Link("b", body(1.0, 0.0))]
    joints = [Joint("ja", AXES["y"], "ground", "a"), Joint("jb", AXES["y"], "a", "b", at(1.0, 0.0, 0.0))]
    pin = Loop("pin", AXES["y"], "ground", "b", at(2.0, 0.0, 0.0), at(1.0, 0.0, 0.0))
    with pytest.warns(RuntimeWarning, match="loops open by up to .* first order only"):
        motion = sg.simulate(tree("stretched", bars, joints, loops=[pin]), time=0.1)
    assert motion.violation.max() > 1e-4
    assert any("first order only" in doubt for doubt in motion.doubts)


def test_joints_of_one_velocity_drive_a_loop_before_coordinates_of_a_ball():
    """Three rods between two balls: a hinge drives their shape, though the ball comes first; the whole spins."""
    links = [Link("ground"), *(Link(name, body(1.0, 0.1)) for name in "abc")]
    joints = [Joint("ball", Spherical(), "ground", "a")]
    joints += [Joint("one", AXES["y"], "a", "b", at(0.5, 0, 0)), Joint("two", AXES["y"], "b", "c", at(0.5, 0, 0))]
    pin = Loop("pin", Spherical(), "ground", "c", at(0.9, 0.0, 0.0), at(0.5, 0.0, 0.0))
    robot = tree("spatial", links, joints, loops=[pin])
    assert robot.mobility.freedom == 2
    assert "one" in robot.independent_joints, robot.independent_joints
