"""A floating robot begins where its file draws it, and falls along the gravity of the file's world."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import link_poses, lock, with_floating_base
from screwgraph.model.save import save
from screwgraph.spatial import from_xyz_rpy
from tests.model.formats.helpers import close, loaded
from tests.model.formats.sdf_helpers import joint, link, sdf
from tests.oracle import oracle

pytestmark = pytest.mark.usefixtures("forked_mujoco")

POSE = "1 2 3 0.5 -0.3 1"
T = from_xyz_rpy([1, 2, 3], [0.5, -0.3, 1.0])
OTHER = "0.4 -0.2 0.1 -0.7 0.2 2"
T_OTHER = from_xyz_rpy([0.4, -0.2, 0.1], [-0.7, 0.2, 2.0])
G = 9.81

INERTIAL = (
    "<inertial><pose>0.1 0 0.2 0 0 0</pose><mass>2</mass>"
    "<inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial>"
)


def arm(a: str = "", name: str = "m", inside: str = "", attributes: str = "") -> str:
    parts = [a or link("a", more=INERTIAL), link("b", "0 0 1 0 0 0", "a"), joint("j", "a", "b", axis="0 1 0")]
    return f'<model name="{name}" {attributes}>{inside}{"".join(parts)}</model>'


def posed(pose: str = POSE, relative_to: str = "") -> str:
    return f'<pose relative_to="{relative_to}">{pose}</pose>' if relative_to else f"<pose>{pose}</pose>"


TILTED_LINK = link("a", OTHER, more=INERTIAL)
FRAME = f'<frame name="f">{posed(OTHER)}</frame>'
INCLUDED = "<include><uri>part.sdf</uri>{}</include>"
TILTED_PLACEMENT = '<frame name="grip"><pose>0.4 -0.2 0.1 -0.7 0.2 2</pose></frame>'
FILES = {
    "model pose": (sdf(arm(inside=posed())), T),
    "link pose": (sdf(arm(TILTED_LINK)), T_OTHER),
    "both": (sdf(arm(TILTED_LINK, inside=posed())), T @ T_OTHER),
    "in a world": (sdf('<world name="w">', arm(TILTED_LINK, inside=posed()), "</world>"), T @ T_OTHER),
    "nested model": (sdf(f'<model name="o">{posed()}{arm(inside=posed(OTHER))}</model>'), T @ T_OTHER),
    "relative to a frame": (sdf(f'<world name="w">{FRAME}', arm(inside=posed(POSE, "f")), "</world>"), T_OTHER @ T),
    "link relative to a frame": (sdf(arm(link("a", POSE, "f", INERTIAL), inside=FRAME)), T_OTHER @ T),
    "placement frame": (
        sdf(arm(inside=TILTED_PLACEMENT + posed(), attributes='placement_frame="grip"')),
        T @ np.linalg.inv(T_OTHER),
    ),
    "include": (sdf('<world name="w">', INCLUDED.format(posed()), "</world>"), T),
    "include without a pose of its own": (sdf('<world name="w">', INCLUDED.format(""), "</world>"), T_OTHER),
    "include within a model": (sdf(f'<model name="o">{posed()}{INCLUDED.format(posed(OTHER))}</model>'), T @ T_OTHER),
}


@pytest.mark.parametrize(("text", "T_wb"), FILES.values(), ids=FILES)
def test_an_sdf_robot_begins_where_it_is_drawn(text, T_wb, tmp_path):
    (tmp_path / "part.sdf").write_text(sdf(arm(inside=posed(OTHER))))
    robot = loaded(text, tmp_path, "m.sdf", base="floating")
    close(link_poses(robot, robot.neutral())[robot.links[1].name], T_wb, 1e-12)
    assert robot.gravity == (0.0, 0.0, -G)
    fixed = loaded(text, tmp_path, "m.sdf")
    close(fixed.T_wb, T_wb, 1e-12)
    close(T_wb[:3, :3] @ fixed.gravity, [0, 0, -G], 1e-12)
    again = with_floating_base(fixed)
    close(again.neutral(), robot.neutral(), 1e-15)
    assert again.gravity == robot.gravity


def centres_of_mass(robot, motion):
    com = sg.center_of_mass(robot)
    return np.array([com(q) for q in motion.q])


@pytest.mark.parametrize("case", ["both", "placement frame"])
def test_its_centre_of_mass_falls_along_the_world(case, tmp_path):
    robot = loaded(FILES[case][0], tmp_path, "m.sdf", base="floating")
    motion = sg.simulate(robot, time=0.5, dt=0.01)
    close(motion.q[0], robot.neutral(), 0)
    com = centres_of_mass(robot, motion)
    fall = np.outer(motion.t**2 / 2, [0, 0, -G])
    close(com - com[0], fall, 1e-9)


def test_pinocchio_agrees_from_there(tmp_path):
    robot = loaded(FILES["both"][0], tmp_path, "m.sdf", base="floating")
    rng = np.random.default_rng(0)
    q, qd, tau = robot.neutral(), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    close(sg.forward_dynamics(robot)(q, qd, tau), oracle(robot).forward_dynamics(q, qd, tau), 1e-9)


def test_gravity_that_is_given_is_the_worlds(tmp_path):
    text, T_wb = FILES["both"]
    moon = (0.0, 0.1, -1.62)
    assert loaded(text, tmp_path, "m.sdf", base="floating", gravity=moon).gravity == moon
    close(T_wb[:3, :3] @ loaded(text, tmp_path, "m.sdf", gravity=moon).gravity, moon, 1e-12)


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
@pytest.mark.parametrize("saved_as", ["fixed", "floating"])
def test_a_saved_robot_begins_there_too(saved_as, suffix, tmp_path):
    text, _ = FILES["both"]
    robot = loaded(text, tmp_path, "m.sdf", base="floating")
    save(loaded(text, tmp_path, "m.sdf", base=saved_as), tmp_path / f"saved{suffix}")
    again = sg.load(tmp_path / f"saved{suffix}", base="floating")
    close(again.neutral(), robot.neutral(), 1e-12)
    close(again.gravity, robot.gravity, 1e-12)


def test_a_locked_base_stays_where_it_is_drawn(tmp_path):
    text, T_wb = FILES["both"]
    robot = lock(loaded(text, tmp_path, "m.sdf", base="floating"), ["floating_base"])
    close(robot.frame("a").T_lf, T_wb, 1e-12)


FREE = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="a" pos="1 2 3" quat="0.5 0.1 -0.7 0.3"><freejoint name="free"/>
    <inertial pos="0.1 0 0.2" mass="2" diaginertia=".1 .2 .25"/>
    <body name="b" pos="0 0 1"><joint name="j" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body>
  </body></worldbody></mujoco>"""


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_free_body_of_mjcf_begins_as_in_mujoco(base, tmp_path):
    robot = loaded(FREE, tmp_path, "m.xml", base=base)
    model = mujoco.MjModel.from_xml_string(FREE)
    x, y, z, w, *xyz = model.qpos0[:7]
    close(robot.neutral(), [x, y, z, *xyz, w, 0.0], 1e-15)
    save(robot, tmp_path / "saved.yaml")
    close(sg.load(tmp_path / "saved.yaml").neutral(), robot.neutral(), 1e-15)


WELDED = {
    "m.xml": FREE.replace('<freejoint name="free"/>', ""),
    "m.sdf": sdf(
        arm(TILTED_LINK, inside=posed() + '<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>')
    ),
    "m.urdf": """<robot name="m"><link name="world"/><link name="a"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
        <inertia ixx=".1" iyy=".2" izz=".25" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="w" type="fixed">
        <parent link="world"/><child link="a"/><origin xyz="1 2 3" rpy="0.5 -0.3 1"/></joint></robot>""",
}


@pytest.mark.parametrize("file", WELDED)
def test_what_a_file_welds_to_the_world_begins_there_once_it_floats(file, tmp_path):
    welded, robot = (loaded(WELDED[file], tmp_path, file, base=base) for base in ("fixed", "floating"))
    pose = robot.frame("a")
    close(link_poses(robot, robot.neutral())[pose.link] @ pose.T_lf, welded.frame("a").T_lf, 1e-12)
    motion = sg.simulate(robot, time=0.1, dt=0.01)
    com = centres_of_mass(robot, motion)
    close(com[-1] - com[0], [0, 0, -G * 0.005], 1e-9)
