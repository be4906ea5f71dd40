"""MJCF against MuJoCo itself: poses, mass matrix, bias forces, constraints."""

import sys

import mujoco
import numpy as np
import pytest

from screwgraph.model.formats import load
from screwgraph.model.robot import constraint_residual, constraint_rows, without_damping
from screwgraph.model.robot.joints import Fixed, Floating, Prismatic, Revolute, Spherical
from tests.model.formats.helpers import close, complaint, loaded, mass_matrix, poses
from tests.mujoco_oracle import full_mass_matrix, to_mujoco, velocity_map
from tests.oracle import oracle
from tests.robots import robot_files

pytestmark = pytest.mark.usefixtures("forked_mujoco")

FILES = robot_files(".xml")

ALL_KINDS = """<mujoco model="kinds"><compiler angle="radian"/><option gravity="0.1 -0.2 -9"/>
<worldbody>
  <site name="anchor" pos="1 2 3"/>
  <body name="crank" pos="0 0 1" quat="0.9 0.1 0.2 0.3">
    <joint name="turn" axis="0 1 1" pos="0.1 0 0.2" ref="0.3" armature="0.2" damping="0.4" frictionloss="0.1"/>
    <joint name="slide" type="slide" axis="1 0 0" ref="0.2" range="-1 2" limited="true"/>
    <geom size="0.1" pos="0.5 0 0"/>
    <body name="coupler" pos="1 0 0" euler="0.1 0.2 0.3">
      <joint name="hinge" axis="0 0 1"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0.1 0.2"/>
      <body pos="0.5 0 0"><joint type="ball" pos="0.1 0.2 0.3"/><geom size="0.1"/></body>
      <body name="welded" pos="0 0.2 0"><geom size="0.04"/><site name="tip" pos="0 1 0" euler="0 1 0"/></body>
    </body>
  </body>
  <body name="free" pos="3 0 0"><freejoint name="away"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0.5 0"/></body>
</worldbody>
<equality>
  <connect name="pin" body1="coupler" body2="free" anchor="1 0.5 0"/>
  <weld name="weld" body1="free" body2="crank" anchor="0.1 0.2 0.3"/>
  <weld name="half" body1="free" body2="crank" torquescale="0"/>
  <connect name="sites" site1="tip" site2="anchor"/>
  <joint name="line" joint1="hinge" joint2="turn" polycoef="0.1 2 0 0 0"/>
  <joint name="curve" joint1="hinge" joint2="turn" polycoef="0.1 2 0.5 0 0.2"/>
  <joint name="stop" joint1="slide" polycoef="0.7 0 0 0 0"/>
  <joint name="idle" joint1="slide" active="false"/>
</equality></mujoco>"""


STOP = '<joint name="stop" joint1="slide" polycoef="0.7 0 0 0 0"/>'
"""With it the slide is locked."""


def compiled(path):
    """Compile a file, without what MuJoCo rejects or warns of (it would leave a log file)."""
    text = path.read_text().replace('<inertial mass="10"/>', "")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    finally:
        mujoco.set_mju_user_warning(before)
    return model, mujoco.MjData(model)


@pytest.fixture
def kinds(tmp_path):
    path = tmp_path / "kinds.xml"
    path.write_text(ALL_KINDS)
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.sampled(3)
def test_real_files_have_mujoco_s_mass_matrix_and_bias(path):
    robot = without_damping(load(path))
    model, data = compiled(path)
    assert robot.joint_names == tuple(model.joint(i).name for i in range(model.njnt))
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, qd = robot.random(rng), rng.normal(size=robot.nv)
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_forward(model, data)
        M = full_mass_matrix(model, data)
        close(mass_matrix(robot, q), M, 1e-12 * np.abs(M).max())
        bias = oracle(robot).bias_forces(q, qd)
        np.testing.assert_allclose(bias, data.qfrc_bias, rtol=0, atol=1e-11 * max(1.0, np.abs(bias).max()))


def test_every_kind_of_joint_stands_and_weighs_as_in_mujoco(kinds):
    kinds.write_text(ALL_KINDS.replace(STOP, ""))
    robot = load(kinds)
    model, data = compiled(kinds)
    rng = np.random.default_rng(1)
    q = robot.random(rng)
    data.qpos[:] = to_mujoco(robot, q)
    mujoco.mj_forward(model, data)
    at = poses(robot, q)
    for body in ("crank", "coupler", "welded", "free"):
        ours = at.get(f"{body}_origin", at[body])
        close(ours[:3, 3], data.body(body).xpos)
        close(ours[:3, :3].ravel(), data.body(body).xmat)
    for site in ("tip", "anchor"):
        close(at[site][:3, 3], data.site(site).xpos)
    X = velocity_map(robot, q)
    close(mass_matrix(robot, q), X.T @ full_mass_matrix(model, data) @ X, 1e-10)


def test_types_names_and_coefficients_are_those_of_the_model(kinds):
    robot = load(kinds)
    kept = {joint.name: joint for joint in robot.joints}
    assert list(kept) == ["turn", "hinge", "joint3", "away"], "slide is stopped by an equality of one joint"
    assert isinstance(kept["away"].type, Floating)
    assert isinstance(kept["joint3"].type, Spherical)
    assert isinstance(kept["hinge"].type, Revolute)
    turn = kept["turn"]
    assert (turn.armature, turn.damping, turn.friction) == (0.2, 0.4, 0.1)
    assert robot.gravity == (0.1, -0.2, -9.0)
    assert robot.frame("welded").link == "coupler"


def test_equalities_are_loops_and_couplings(kinds):
    robot = load(kinds)
    types = {loop.name: type(loop.type) for loop in robot.loops}
    assert types == {"pin": Spherical, "weld": Fixed, "half": Spherical, "sites": Spherical}
    assert {coupling.name: coupling.is_linear for coupling in robot.couplings} == {"line": True, "curve": False}
    assert any("equality 'idle' is not active: so it is left out" in line for line in robot.warnings)
    assert any("joint 'slide' is locked at 0.9: coupling 'stop' leaves it no motion" in line for line in robot.warnings)


def test_gaps_are_those_of_mujoco(tmp_path):
    """Points of a connect are as far apart, and equations of joints as far off."""
    robot = loaded(ALL_KINDS.replace(STOP, ""), tmp_path, "k.xml")
    model, data = compiled(tmp_path / "k.xml")
    model.opt.jacobian = 0
    rng = np.random.default_rng(2)
    q = robot.random(rng)
    data.qpos[:] = to_mujoco(robot, q)
    mujoco.mj_forward(model, data)
    ours = {}
    for row, value in zip(constraint_rows(robot), constraint_residual(robot, q), strict=True):
        ours.setdefault(row.of, []).append((row.component, value))
    theirs: dict[str, list[float]] = {}
    for i in range(data.ne):
        theirs.setdefault(model.equality(int(data.efc_id[i])).name, []).append(float(data.efc_pos[i]))
    for name in ("pin", "sites", "half", "weld"):
        lengths = [value for component, value in ours[name] if component.startswith("translation")]
        assert np.linalg.norm(lengths) == pytest.approx(np.linalg.norm(theirs[name][:3]), rel=1e-9)
    for name in ("line", "curve"):
        assert ours[name][0][1] == pytest.approx(theirs[name][0], rel=1e-12)


def test_loops_are_closed_where_mujoco_draws_the_model(kinds):
    model, _ = compiled(kinds)
    text = kinds.read_text().replace('<connect name="sites" site1="tip" site2="anchor"/>', "")
    kinds.write_text(text.replace(STOP, ""))
    robot = load(kinds)
    q = np.array(model.qpos0)
    for joint in robot.joints:
        if joint.type.nq > joint.type.nv:
            end = robot.q_slices[joint.name].stop
            q[end - 4 : end] = np.roll(q[end - 4 : end], -1)
    loops = [value for row, value in zip(constraint_rows(robot), constraint_residual(robot, q), strict=True)
             if row.component != "equation"]  # fmt: skip
    np.testing.assert_allclose(loops, 0.0, atol=1e-12)


def test_slides_and_several_joints_of_a_body(tmp_path):
    text = """<mujoco><worldbody><body name="b"><joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/><geom size="1"/></body></worldbody>
      <actuator><motor joint="x" gear="5" ctrllimited="true" ctrlrange="-2 3"/></actuator></mujoco>"""
    robot = loaded(text, tmp_path, "b.xml")
    assert [link.name for link in robot.links] == ["world", "x_link", "b"]
    assert [joint.type for joint in robot.joints] == [Prismatic((1.0, 0.0, 0.0)), Prismatic((0.0, 1.0, 0.0))]
    assert [joint.limits.effort for joint in robot.joints] == [15.0, None]


BAD = {
    "another root": ("<robots/>", "b.xml:1: the outermost element is '<robots>': robot files have <robot>, <sdf> or"),
    "what MuJoCo rejects": ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "b.xml: MuJoCo rejects"),
    "an unknown element": ("<mujoco><wurst/></mujoco>", "b.xml: MuJoCo rejects the file: XML Error: Schema violation"),
    "no moving body": ("<mujoco><worldbody><geom size='1'/></worldbody><foo/></mujoco>", "b.xml: MuJoCo rejects"),
    "an entity": ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', "b.xml:1: the file declares a document type or entities"),
    "a file that is not there": (
        '<mujoco><include file="gone.xml"/></mujoco>',
        "b.xml: MuJoCo rejects the file",
    ),
}


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_in_one_line(text, expected, tmp_path):
    assert expected in complaint(text, tmp_path, "b.xml")


def test_inertials_without_a_place_are_ignored_and_named_where_shapes_say_what_bodies_weigh(tmp_path):
    text = """<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="arm"><joint name="turn" axis="0 1 0"/>
<inertial mass="5" diaginertia="1 1 1"/><geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""
    robot = loaded(text, tmp_path, "arm.xml")
    assert robot.link("arm").inertia.mass == 2.0
    assert any("<inertial> has no 'pos'" in str(warning) for warning in robot.warnings)


def test_without_mujoco_the_way_to_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    line = complaint("<mujoco/>", tmp_path, "b.xml")
    assert line == ("b.xml: MuJoCo, which reads MJCF files, is not installed (pip install 'screwgraph[mjcf]')")


def test_mujoco_s_warnings_join_ours_and_leave_no_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '<mujoco><compiler settotalmass="3"/><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    robot = loaded(text, tmp_path, "b.xml")
    assert robot.mass == pytest.approx(3.0)
    assert any("settotalmass" in line for line in robot.warnings)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


@pytest.mark.parametrize(("written", "read"), [(b"gen\xe9ration", "genération"), ("Gelenk µ".encode(), "Gelenk µ")])
def test_names_are_utf8_or_latin1(written, read, tmp_path):
    """MuJoCo keeps the bytes of names."""
    text = b'<mujoco model="%b"><worldbody><body name="%b"><joint name="%b"/><geom size="1"/></body>' % ((written,) * 3)
    path = tmp_path / "named.xml"
    path.write_bytes(text + b"</worldbody></mujoco>")
    robot = load(path)
    assert (robot.name, robot.joint_names, robot.links[1].name) == (read, (read,), read)


def test_a_text_is_read_as_its_file_is(tmp_path):
    text = """<mujoco model="arm"><worldbody><body name="a"><joint name="j" axis="0 1 0" damping="0.5"/>
      <geom type="sphere" size="0.1" pos="0 0 1" mass="2"/></body></worldbody></mujoco>"""
    robot = load(text)
    close(robot.links[1].inertia.about_origin, np.diag([2.008, 2.008, 0.008]))  # 2/5 m r^2, and m l^2
    assert (robot.joints[0].name, robot.joints[0].damping) == ("j", 0.5)
    close(loaded(text, tmp_path, "arm.xml").links[1].inertia.about_origin, robot.links[1].inertia.about_origin)
