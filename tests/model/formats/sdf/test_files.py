"""Real SDF files against what a few lines of ElementTree and NumPy read from them."""

from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from screwgraph.model.formats import load
from screwgraph.model.robot import constraint_residual, link_poses, with_floating_base
from screwgraph.spatial import Ad
from tests.model.formats.helpers import close
from tests.model.formats.sdf_helpers import file_poses
from tests.robots import robot_file, robot_files

FILES = robot_files(".sdf")


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


def theirs(path):
    return next(ElementTree.parse(path).getroot().iter("model"))


def numbers(text):
    return np.array([float(word) for word in text.split()])


def pose(element):
    """Version 1.6: relative to the parent element's frame."""
    found = element.find("pose")
    v = np.zeros(6) if found is None else numbers(found.text)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", v[3:]).as_matrix(), v[:3]
    return T


def test_the_five_files_of_cassie_are_there():
    assert sum(path.stem.startswith("cassie") for path in FILES) == 5


def test_links_stand_where_the_file_puts_them(path):
    robot = load(path)
    links = {element.get("name"): pose(element) for element in theirs(path).findall("link")}
    base = robot.links[0].name
    ours = file_poses(robot)
    assert set(links) <= set(ours)
    for name, T in links.items():
        T_base = np.eye(4) if base == "world" else links[base]
        close(T_base @ ours[name], T, 1e-12)


def test_masses_and_centres_are_those_of_the_file(path):
    robot = load(path)
    ours = link_poses(robot, robot.neutral())
    T_base = np.eye(4)
    moments, masses = [], []
    for element in theirs(path).findall("link"):
        inertial = element.find("inertial")
        masses.append(float(inertial.find("mass").text))
        moments.append(masses[-1] * (pose(element) @ pose(inertial))[:3, 3])
        if element.get("name") == robot.links[0].name:
            T_base = pose(element)
    assert robot.mass == pytest.approx(sum(masses), rel=1e-12)
    found = np.zeros(3)
    for link in robot.links:
        T = T_base @ ours[link.name]
        found += link.inertia.mass * T[:3, 3] + T[:3, :3] @ link.inertia.first_moment
    close(found, sum(moments), 1e-10)


def test_axes_and_anchors_are_those_of_the_file(path):
    """Every revolute joint of the tree turns about the line through its pose along its axis."""
    robot = load(path)
    root = theirs(path)
    links = {element.get("name"): pose(element) for element in root.findall("link")}
    base = np.eye(4) if robot.links[0].name == "world" else links[robot.links[0].name]
    poses = link_poses(robot, robot.neutral())
    for element in root.findall("joint"):
        name = element.get("name")
        if element.get("type") != "revolute" or name not in robot.joint_names:
            continue
        T = links[element.find("child").text.strip()] @ pose(element)
        axis = element.find("axis")
        direction = numbers(axis.find("xyz").text)
        direction /= np.linalg.norm(direction)
        in_model = axis.find("use_parent_model_frame") is not None and axis.find("use_parent_model_frame").text == "1"
        omega = direction if in_model else T[:3, :3] @ direction
        omega, origin = base[:3, :3].T @ omega, base[:3, :3].T @ (T[:3, 3] - base[:3, 3])
        joint = robot.joint(name)
        (column,) = (Ad(poses[joint.child]) @ joint.type.screw_axes(np.zeros(1))).T
        close(column, np.concatenate([omega, np.cross(origin, omega)]), 1e-12)


def test_all_joints_of_the_file_are_joints_loops_or_gears(path):
    robot = load(path)
    names = {element.get("name") for element in theirs(path).findall("joint")}
    ours = [*robot.joint_names, *(loop.name for loop in robot.loops), *(c.name for c in robot.couplings)]
    assert len(ours) == len(set(ours))
    assert set(ours) == names
    assert len(robot.links) == len(robot.joints) + 1


def test_the_file_shows_the_robot_with_its_loops_closed(path):
    robot = load(path)
    assert np.abs(constraint_residual(robot, robot.neutral())).max(initial=0.0) < 1e-14


def test_the_gears_of_cassie_have_their_ratios():
    robot = load(robot_file("cassie.sdf"))
    ratios = {coupling.name: dict(coupling.terms) for coupling in robot.couplings}
    assert ratios["left-roll-joint"] == {"left-roll-op": 1.0, "left-roll-ip": 0.04}
    assert len(ratios) == 10
    assert len(robot.loops) == 6


def test_a_floating_cassie_has_its_pelvis_moving(path):
    robot = with_floating_base(load(path))
    assert robot.joints[0].child in ("pelvis", "world", "lbr_iiwa_link_0")
