"""Robots as models of MuJoCo: their dynamics, loops, couplings, limits and contacts."""

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.interop import mujoco_model, mujoco_states
from screwgraph.model.robot import without_loops
from screwgraph.motion.control import Sole
from tests.robots import robot_file

G = 9.81
BOX = (
    '<robot name="box"><link name="box"><inertial><mass value="2"/>'
    '<inertia ixx="0.02" iyy="0.02" izz="0.03" ixy="0.001" ixz="0" iyz="0"/></inertial></link></robot>'
)
CORNERS = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


def make(robot, **options):
    model = mujoco_model(robot, **options)
    return model, mujoco.MjData(model), mujoco_states(robot, model)


ROBOTS = {
    "panda": lambda: sg.load("panda"),
    "five_bar": lambda: sg.load("five_bar"),
    "quadruped": lambda: sg.load("a1", base="floating"),
    "rotors": lambda: sg.load(robot_file("mini_cheetah.urdf"), base="floating"),
    "gears of three joints": lambda: sg.load(robot_file("mit_humanoid.urdf"), base="floating"),
    "rods with balls": lambda: sg.load(robot_file("cassie_v2.sdf"), base="floating"),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_trees_accelerate_alike_and_loops_are_closed(name):
    """Moments of inertia of the mini cheetah's file are those of no rigid body, which MuJoCo's own reader refuses."""
    robot, rng = ROBOTS[name](), np.random.default_rng(0)
    model, data, states = make(robot)
    q, qd, tau = robot.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
    q = robot.close_loops(q) if robot.is_closed else q
    data.qpos[:], data.qvel[:] = states.q_out(q), states.qd_out(q, qd)
    data.qfrc_applied[:] = states.tau_out(q, tau)
    mujoco.mj_forward(model, data)
    ours = sg.forward_dynamics(without_loops(robot))(q, qd, tau)
    found = states.qdd_back(q, qd, data.qacc_smooth)
    assert np.abs(found - ours).max() < 1e-10 * np.abs(ours).max()
    assert (data.nefc > 0) == robot.is_closed
    assert np.abs(data.efc_pos).max(initial=0.0) < 1e-6


def test_an_open_loop_has_a_gap():
    bar = sg.load("five_bar")
    model, data, states = make(bar)
    q = bar.neutral()
    q[0] += 0.1
    data.qpos[:] = states.q_out(q)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() > 1e-3


@pytest.mark.parametrize("slope", [0.4, 0.6])
def test_a_box_on_a_slope_stays_or_slides_as_coulomb_says(slope):
    """Friction 0.5: at a slope of 0.6 it slides by (0.6 - 0.5) g cos; where it holds, it creeps."""
    box = sg.load(BOX, base="floating")
    angle = np.arctan(slope)
    ground = sg.Plane((np.sin(angle), 0.0, np.cos(angle)), 0.3)
    contacts = [sg.Contact("box", friction=0.5, at=at) for at in CORNERS]
    model, data, states = make(box, contacts=contacts, ground=ground)
    q = box.neutral()
    q[:3] = (0.3 + 0.051) * np.array(ground.normal)  # corners are balls of 1 mm
    q[3:7] = [0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)]
    data.qpos[:] = states.q_out(q)
    along = []
    for _ in range(2):
        mujoco.mj_step(model, data, 250)
        along.append(states.qd_back(states.q_back(data.qpos), data.qvel)[3])
    if slope > 0.5:
        slides = 0.25 * G * np.cos(angle) * (slope - 0.5)
        assert np.diff(along) == pytest.approx(slides, rel=0.1)  # 0.07 more, as its contacts are soft
    else:
        assert abs(along[1]) < 0.02


def test_friction_with_a_time_constant_of_its_own_lifts_nothing():
    """A box of which corners slide at 3 m/s is pushed up by MuJoCo's friction, unless that has longer to act."""
    box, heights = sg.load(BOX, base="floating"), []
    contacts = [sg.Contact("box", friction=0.5, at=at) for at in CORNERS]
    for sliding in (None, 0.5):
        model, data, states = make(box, contacts=contacts, sliding=sliding)
        q = box.neutral()
        q[2] = 0.051
        data.qpos[:], data.qvel[:] = states.q_out(q), states.qd_out(q, np.array([0.0, 0.0, 0.0, 3.0, 0.0, 0.0]))
        mujoco.mj_step(model, data, 200)
        found = states.q_back(data.qpos)
        heights.append(found[2] - 0.051)
    assert found[0] == pytest.approx(3.0 * 0.2 - 0.5 * 0.5 * G * 0.2**2, rel=0.02)  # Coulomb's friction brakes it
    assert heights[0] > 5 * abs(heights[1])
    assert abs(heights[1]) < 1e-3


def test_a_sole_touches_with_its_corners_and_shapes_of_the_file_do_not():
    arm = sg.load(robot_file("a1.urdf"), base="floating")
    model, *_ = make(arm, contacts=[Sole("trunk", 0.2, 0.1, at=(0.0, 0.0, -0.1))])
    assert model.ngeom == 5
    found = sorted(np.round(model.geom_pos[1:], 12).tolist())
    assert found == [[x, y, -0.1] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]


def test_ranges_and_dry_friction_are_taken_if_they_are_asked_for():
    panda = sg.load("panda")
    free, held = mujoco_model(panda), mujoco_model(panda, stops=True, friction=True, dt=2e-3)
    assert not free.jnt_limited.any()
    assert held.jnt_limited.all()
    np.testing.assert_allclose(held.jnt_range[:7, 1], panda.limits.upper[:7])
    np.testing.assert_allclose(held.dof_frictionloss, [joint.friction for joint in panda.joints if joint.type.nv])
    assert held.opt.timestep == 2e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dt": 0.0}, "step .* finite and positive"),
        ({"sliding": -1.0}, "time constant .* finite and positive"),
        ({"contacts": [sg.Contact("bax")]}, "no frame is called 'bax'"),
        ({"contacts": [sg.Contact("box", shape="collisions")]}, "points and balls"),
        ({"contacts": [sg.Contact("box", friction=np.ones(3))]}, "many motions"),
        ({"ground": sg.Plane(height=np.zeros(2))}, "many motions"),
    ],
)
def test_what_it_cannot_have(options, message):
    with pytest.raises(sg.InputError, match=message):
        mujoco_model(sg.load(BOX, base="floating"), **options)


def test_joints_that_mujoco_lacks_are_named():
    text = BOX.replace("</robot>", "<link name='b'/></robot>")
    planar = text.replace(
        "</robot>",
        '<joint name="p" type="planar"><parent link="box"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>',
    )
    with pytest.raises(sg.InputError, match="joint 'p' is a planar joint"):
        mujoco_model(sg.load(planar))


def test_names_that_mujoco_keeps_are_told():
    """The body of its ground is called so, whatever the first link is."""
    joint = (
        '<joint name="j" type="revolute"><parent link="{}"/><child link="{}"/><limit effort="1" velocity="1"/></joint>'
    )
    text = BOX.replace("</robot>", '<link name="world"/>' + joint + "</robot>")
    assert mujoco_model(sg.load(text.format("world", "box"))).nv == 1
    heavy = text.replace('<link name="box">', '<link name="a"/><link name="world">').replace('<link name="world"/>', "")
    with pytest.raises(sg.InputError, match="a link is called 'world'"):
        mujoco_model(sg.load(heavy.format("a", "world")))


def test_what_mujoco_refuses_is_told():
    """A joint whose limits are the same number has a range that is none."""
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="box"/>{}</joint>'
    limit = '<limit lower="0.3" upper="0.3" effort="1" velocity="1"/>'
    robot = sg.load(BOX.replace("</robot>", '<link name="a"/>' + joint.format(limit) + "</robot>"))
    assert mujoco_model(robot).nv == 1
    with pytest.raises(sg.InputError, match="should be smaller"):
        mujoco_model(robot, stops=True)
