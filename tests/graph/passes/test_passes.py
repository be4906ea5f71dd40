"""Passes change the code, not the answers in joint space."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import FactorGraph, Key, dynamics_graph
from screwgraph.graph.passes import GRAPH_PASSES, ROBOT_PASSES, run_graph_passes, run_robot_passes
from screwgraph.graph.passes.canonical_frames import canonical_frames
from screwgraph.graph.passes.conventional_acceleration import conventional_acceleration
from screwgraph.graph.passes.elementary_transforms import elementary_transforms
from screwgraph.graph.passes.inertial_regrouping import regroup_inertia
from screwgraph.graph.passes.second_moments import flatten_second_moments
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import (
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from screwgraph.tape import program
from tests.robots import robot_file

ROBOTS = ("puma560", "panda", "cart_pole", "a1", "every_joint")


def robot_of(name: str) -> Robot:
    if name == "every_joint":
        return every_joint()
    return sg.load(name, base="floating" if name == "a1" else "fixed")


def every_joint() -> Robot:
    """Return a branching robot with joints of all types about slanted axes, with damping and rotors."""
    rng = np.random.default_rng(5)
    kinds = [
        Revolute((1, 2, 3)),
        Prismatic((0, 1, 1)),
        Helical((1, 0, 1), 0.2),
        Revolute((0, 0, 1)),
        Universal((1, 0, 0), (0, 1, 1)),
        Planar((1, 0, 2)),
        Spherical(),
        Floating(),
    ]
    links, joints = [Link("base")], []
    for i, kind in enumerate(kinds):
        about = rng.normal(size=(3, 3))
        inertia = SpatialInertia.of_body(rng.uniform(1, 2), rng.normal(size=3), about @ about.T + np.eye(3))
        links.append(Link(f"link{i}", inertia))
        parent = "base" if i == 0 else f"link{max(i - 1 - i % 2, 0)}"
        origin = from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))
        joints.append(Joint(f"joint{i}", kind, parent, f"link{i}", origin, damping=0.1 * i, armature=0.2 * i))
    return tree("every_joint", links, joints, gravity=(1.0, 2.0, -9.0))


def efforts(robot: Robot, graph: FactorGraph, motion: dict[str, np.ndarray]) -> np.ndarray:
    """Solve the inverse problem with numbers, whatever links the graph has."""
    graph = graph.given("q", "qd", "qdd")
    values = {}
    for v in graph.inputs:
        known = v.key.name in motion["q"]
        values[v.key] = motion[v.key.kind][v.key.name] if known else np.zeros(v.dim)
    solution = sg.eliminate(graph, sg.orderings.rnea(), constants=values).solution
    return np.array([solution[key, i] for key in map(tau, motion["q"]) for i in range(graph.variables[key].dim)])


def tau(joint: str) -> Key:
    return Key("tau", joint)


def random_motion(robot: Robot) -> dict:
    rng = np.random.default_rng(8)
    position = {j.name: j.type.manifold.random(rng) for j in robot.joints}
    rates = [{j.name: rng.standard_normal(j.type.nv) for j in robot.joints} for _ in range(2)]
    return {"q": position, "qd": rates[0], "qdd": rates[1]}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("pass_name", ROBOT_PASSES)
@pytest.mark.sampled(2)
def test_a_robot_pass_keeps_joint_efforts(name, pass_name):
    robot = robot_of(name)
    changed = ROBOT_PASSES[pass_name](robot)
    motion = random_motion(robot)
    before = efforts(robot, dynamics_graph(robot), motion)
    after = efforts(changed, dynamics_graph(changed), motion)
    np.testing.assert_allclose(after, before, rtol=1e-10, atol=1e-10 * np.abs(before).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_conventional_accelerations_keep_joint_efforts(name):
    robot = robot_of(name)
    motion = random_motion(robot)
    before = efforts(robot, dynamics_graph(robot), motion)
    after = efforts(robot, conventional_acceleration(dynamics_graph(robot)), motion)
    np.testing.assert_allclose(after, before, rtol=1e-10, atol=1e-10 * np.abs(before).max())


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(6)
def test_all_passes_together_keep_all_answers(name):
    """The compiled functions agree with the plain graph, eliminated with numbers."""
    robot = robot_of(name)
    motion = random_motion(robot)
    q, qd, qdd = (np.concatenate(list(motion[kind].values())) for kind in ("q", "qd", "qdd"))
    expected = efforts(robot, dynamics_graph(robot), motion)
    found = sg.inverse_dynamics(robot)(q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(sg.forward_dynamics(robot)(q, qd, found), qdd, rtol=1e-8, atol=1e-8)
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
    np.testing.assert_allclose(M @ qdd + h, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_canonical_joints_move_about_z():
    robot = canonical_frames(sg.load("panda"))
    assert {joint.type.axis for joint in robot.joints} == {(0.0, 0.0, 1.0)}
    assert np.array_equal(robot.joints[0].origin, np.eye(4))


@pytest.mark.parametrize("last", range(len(GRAPH_PASSES)))
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(3)
def test_graph_passes_keep_joint_accelerations(name, last):
    robot = robot_of(name)
    motion = random_motion(robot)
    torques = dict(
        zip(motion["q"], np.split(efforts(robot, dynamics_graph(robot), motion), joint_ends(robot)), strict=True)
    )
    graph = run_graph_passes(dynamics_graph(robot), ("q", "qd", "tau"), list(GRAPH_PASSES)[: last + 1])
    values = {
        v.key: torques[v.key.name] if v.key.kind == "tau" else motion[v.key.kind][v.key.name] for v in graph.inputs
    }
    solution = sg.eliminate(graph, sg.orderings.aba(), constants=values).solution
    found = [solution[Key("qdd", j.name), i] for j in robot.joints for i in range(j.type.nv)]
    np.testing.assert_allclose(found, np.concatenate(list(motion["qdd"].values())), rtol=1e-8, atol=1e-8)


def joint_ends(robot: Robot) -> list[int]:
    return [s.stop for s in robot.v_slices.values()][:-1]


def test_an_arm_with_slanted_axes_has_denavit_and_hartenbergs_constants():
    """A twist about x, shifts along x and z, and an angle that is added to the joint's: four numbers a joint."""
    rng = np.random.default_rng(4)
    links, joints = [Link("base")], []
    for i in range(5):
        body = SpatialInertia.of_body(1.0, rng.normal(size=3), np.diag([2.0, 3.0, 4.0]))
        links.append(Link(f"link{i}", body))
        origin = from_xyz_rpy(rng.normal(size=3), rng.normal(size=3))
        joints.append(Joint(f"joint{i}", Revolute(tuple(rng.normal(size=3))), links[i].name, f"link{i}", origin))
    robot = canonical_frames(tree("slanted", links, joints))
    for joint in robot.joints[1:]:
        assert sorted(np.abs(joint.origin[0, :3])) == [0.0, 0.0, 1.0]
        assert joint.origin[1, 3] == 0.0
    assert any(joint.type.offset for joint in robot.joints)


def test_second_moments_leave_links_with_products_of_inertia_flat():
    robot = flatten_second_moments(regroup_inertia(canonical_frames(sg.load("puma560"))))
    moments = [link.inertia.about_origin for link in robot.links[1:]]
    has_products = [bool(J[0, 1] or J[0, 2] or J[1, 2]) for J in moments]
    is_flat = [J[0, 0] + J[1, 1] == pytest.approx(J[2, 2], abs=1e-15) for J in moments]
    assert is_flat == has_products  # links without products of inertia keep theirs
    assert set(has_products) == {True, False}


def test_external_wrenches_act_where_they_did():
    robot = sg.load("puma560")
    rng = np.random.default_rng(2)
    state = [robot.random(rng), *rng.standard_normal((2, 6)), rng.standard_normal((2, 6))]
    places = ("tool", "link3")
    by_code = sg.inverse_dynamics(robot, external_wrenches=places)(*state)
    plain = dynamics_graph(robot, places).given("q", "qd", "qdd", "external_wrenches")
    values = {key: np.zeros(v.dim) for key, v in plain.variables.items() if v in plain.inputs}
    for name, s in robot.v_slices.items():
        values |= {Key(kind, name): x[s] for kind, x in zip(("q", "qd", "qdd"), state, strict=False)}
    values |= {Key("external_wrenches", place): state[3][i] for i, place in enumerate(places)}
    solution = sg.eliminate(plain, sg.orderings.rnea(), constants=values).solution
    expected = [solution[tau(name), 0] for name in robot.joint_names]
    np.testing.assert_allclose(by_code, expected, rtol=1e-10, atol=1e-10)


def test_regrouping_leaves_a_first_joint_only_what_it_turns():
    robot = regroup_inertia(canonical_frames(sg.load("puma560")))
    first = robot.links[1].inertia
    assert first.mass == 0.0
    assert np.count_nonzero(np.abs(first.about_origin) > 1e-12) <= 6


def test_elementary_transforms_are_welded_massless_links():
    robot = sg.load("panda")
    split = elementary_transforms(robot)
    added = [link for link in split.links if link.name.endswith("~")]
    assert added
    assert all(link.inertia.is_zero for link in added)
    assert split.nv == robot.nv


def test_each_pass_makes_code_cheaper_or_equal_on_an_arm():
    path = robot_file("ur5_robot.urdf")
    robot = sg.load(path, snap=1e-7)

    def count(changed: Robot, passes: Iterable[str]) -> int:
        graph = run_graph_passes(dynamics_graph(changed), ("q", "qd", "qdd"), passes)
        dag = sg.eliminate(graph, sg.orderings.rnea())
        return program_size(dag, "tau")

    assert count(run_robot_passes(robot), GRAPH_PASSES) < count(run_robot_passes(robot), ()) < count(robot, ())


def test_the_report_tells_what_each_pass_saved():
    f = sg.forward_dynamics(sg.load("panda"), ordering="composite")
    lines = f.report().splitlines()
    assert [line[:28].strip() for line in lines] == [
        "as it is",
        *ROBOT_PASSES,
        *GRAPH_PASSES,
        "common factors",
    ]
    counts = [int(line[28:35]) for line in lines]
    assert counts[0] == program_size(f.dag, "qdd")
    assert counts[-1] == f.operations.total
    assert sg.mass_matrix(sg.load("rr")).report().startswith("as it is")


def program_size(dag: sg.Dag, kind: str) -> int:
    outputs = [number for (key, _), number in dag.solution.items() if key.kind == kind]
    return program(dag.equations.tape, outputs).operations.total
