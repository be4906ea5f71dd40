"""Drake's additions to URDF and SDF: read where they mean what ours do, named in warnings elsewhere."""

import numpy as np
import pytest

from screwgraph.model.robot import constraint_residual, link_poses
from screwgraph.model.robot.joints import Floating, Helical, Planar, Spherical, Universal
from tests.model.formats.helpers import close, complaint, link, loaded
from tests.model.formats.sdf_helpers import link as sdf_link
from tests.model.formats.sdf_helpers import sdf_complaint, sdf_loaded

DRAKE = "http://drake.mit.edu"


def urdf(*parts):
    return "\n".join([f'<robot name="r" xmlns:drake="{DRAKE}">', link("a"), link("b"), *parts, "</robot>"])


def sdf(*parts):
    text = "\n".join([sdf_link("a"), sdf_link("b", "0 0 1 0 0 0"), *parts])
    return f'<sdf version="1.9" xmlns:drake="{DRAKE}"><model name="m">\n{text}\n</model></sdf>'


def joint(kind="revolute", more="", tag="joint", name="j"):
    return f'<{tag} name="{name}" type="{kind}"><parent link="a"/><child link="b"/>{more}</{tag}>'


ACTUATOR = '<actuator name="m"><drake:rotor_inertia value="{}"/><drake:gear_ratio value="{}"/></actuator>'
TRANSMISSION = '<transmission><joint name="{}"/>{}</transmission>'


@pytest.mark.parametrize(("rotor", "ratio"), [(2e-4, 100.0), (0.3, -2.0), (0.0, 5.0)])
def test_rotors_behind_gears_are_armatures(rotor, ratio, tmp_path):
    actuator, expected = ACTUATOR.format(rotor, ratio), rotor * ratio**2
    limits = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    for text in (
        urdf(joint(more=limits), TRANSMISSION.format("j", actuator)),
        urdf(joint(more=limits + actuator)),
        sdf(
            '<joint name="j" type="revolute"><parent>a</parent><child>b</child>'
            f"<drake:rotor_inertia>{rotor}</drake:rotor_inertia><drake:gear_ratio>{ratio}</drake:gear_ratio></joint>"
        ),
    ):
        robot = loaded(text, tmp_path, "m.sdf" if text.startswith("<sdf") else "m.urdf")
        close(robot.joint("j").armature, expected, 1e-15)
        assert robot.warnings == ()


def test_rotors_add_to_armatures_and_have_defaults(tmp_path):
    half = '<actuator name="m"><drake:rotor_inertia value="0.25"/></actuator>'
    idle = '<actuator name="m"><drake:gear_ratio value="7"/></actuator>'
    text = urdf(
        joint("continuous", '<dynamics armature="0.5"/>'), *(TRANSMISSION.format("j", x) for x in (half, half, idle))
    )
    assert loaded(text, tmp_path).joint("j").armature == 1.0
    text = urdf(joint("continuous"), TRANSMISSION.format("k", half))
    assert any(
        "<drake:rotor_inertia> is of a joint 'k': there is none" in line for line in loaded(text, tmp_path).warnings
    )


JOINTS = {
    "ball": Spherical(),
    "planar": Planar((0.0, 0.0, 1.0)),
    "universal": Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "quaternion_floating": Floating(),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_of_drake_in_urdf(kind, tmp_path):
    robot = loaded(urdf(joint(kind, '<axis xyz="0 1 0"/><origin xyz="1 2 3"/>', "drake:joint")), tmp_path)
    assert robot.joint("j").type == JOINTS[kind]
    close(robot.joint("j").origin[:3, 3], [1, 2, 3])
    assert robot.warnings == ()


def test_screws_and_dampings_of_drake(tmp_path):
    pitch = '<axis xyz="0 0 1"/><drake:screw_thread_pitch value="0.02"/>'
    robot = loaded(urdf(joint("screw", pitch, "drake:joint")), tmp_path)
    assert robot.joint("j").type == Helical((0.0, 0.0, 1.0), 0.02 / (2 * np.pi))
    close(link_poses(robot, np.array([2 * np.pi]))["b"][2, 3], 0.02)
    robot = loaded(urdf(joint("planar", '<dynamics damping="0.1 0.1 0.3"/>', "drake:joint")), tmp_path)
    assert robot.joint("j").damping == 0.1
    assert any("its coordinates have different damping: all get the first" in line for line in robot.warnings)


def test_planar_joints_of_drake_in_sdf(tmp_path):
    planar = (
        '<drake:joint name="j" type="planar"><drake:parent>f</drake:parent><drake:child>b</drake:child>'
        "<drake:damping>0.1 0.1 0.1</drake:damping></drake:joint>"
    )
    frame = '<frame name="f" attached_to="a"><pose>0 0 {} 0 0 0</pose></frame>'
    robot = sdf_loaded(sdf(frame.format(1), planar), tmp_path)
    assert isinstance(robot.joint("j").type, Planar)
    assert robot.joint("j").damping == 0.1
    close(link_poses(robot, np.array([0.2, 0.3, 0.0]))["b"][:3, 3], [0.2, 0.3, 1.0])
    line = sdf_complaint(sdf(frame.format(0.5), planar), tmp_path)
    assert "joint 'm::j': its frames are apart by 0.5 where the file draws them" in line


def test_what_is_no_joint_here_is_refused(tmp_path):
    line = complaint(urdf(joint("curvilinear", "", "drake:joint")), tmp_path)
    assert "leg.urdf:4: joint 'j': <drake:joint> has the type 'curvilinear': read are ball, planar" in line
    text = sdf(
        '<drake:joint name="j" type="curvilinear"><drake:parent>a</drake:parent>'
        "<drake:child>b</drake:child></drake:joint>"
    )
    assert "SDF has no joint type 'drake:curvilinear'" in sdf_complaint(text, tmp_path)


def test_ball_constraints_are_loops(tmp_path):
    third = (
        link("c") + '<joint name="k" type="continuous"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/></joint>'
    )
    ball = (
        '<drake:ball_constraint><drake:ball_constraint_body_A name="b"/><drake:ball_constraint_body_B name="c"/>'
        '<drake:ball_constraint_p_AP value="1 0 0"/><drake:ball_constraint_p_BQ value="0.5 0.5 0"/>'
        "</drake:ball_constraint>"
    )
    robot = loaded(urdf(joint("continuous", '<axis xyz="0 0 1"/>'), third, ball), tmp_path)
    (loop,) = robot.loops
    assert (loop.type, loop.predecessor, loop.successor) == (Spherical(), "b", "c")
    q = np.array([0.3, -0.4])
    b, c = (link_poses(robot, q)[name] for name in "bc")
    apart = c @ [0.5, 0.5, 0, 1] - b @ [1, 0, 0, 1]
    close(np.linalg.norm(constraint_residual(robot, q)), np.linalg.norm(apart), 1e-12)


def test_mimics_of_drake_in_sdf(tmp_path):
    text = sdf(
        '<joint name="j" type="continuous"><parent>a</parent><child>b</child></joint>',
        sdf_link("c"),
        '<joint name="k" type="continuous"><parent>a</parent><child>c</child>'
        '<drake:mimic joint="j" multiplier="2" offset="0.3"/></joint>',
    )
    (coupling,) = sdf_loaded(text, tmp_path).couplings
    assert coupling.terms == {"k": 1.0, "j": -2.0}
    assert coupling.offset == 0.3


LEFT = ["linear_bushing_rpy", "linear_spring_damper", "tendon_constraint", "controller_gains", "unheard_of"]


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_is_named_once(name, tmp_path):
    element = f"<drake:{name}><drake:inner/></drake:{name}>"
    for robot in (
        loaded(urdf(joint("continuous"), element, element), tmp_path),
        sdf_loaded(sdf('<joint name="j" type="ball"><parent>a</parent><child>b</child></joint>', element), tmp_path),
    ):
        (line,) = robot.warnings
        assert line.endswith(f"<drake:{name}> is not modelled")


def test_limits_of_acceleration_are_named_and_contacts_are_not(tmp_path):
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1" drake:acceleration="3"/>'
    contact = "<drake:collision_filter_group name='g'><drake:member link='a'/></drake:collision_filter_group>"
    (line,) = loaded(urdf(joint(more=limit), contact), tmp_path).warnings
    assert line.endswith("<drake:acceleration> is not modelled")
