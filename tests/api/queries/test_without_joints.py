"""Robots in which nothing moves: kinematics and dynamics answer with arrays of length 0, other queries in one line."""

import subprocess
from collections.abc import Callable
from shutil import which
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import BACKENDS, compile_graph
from screwgraph.model.robot import link_poses
from screwgraph.motion.planning import horizon
from tests.model.formats.helpers import loaded

RIG = """<robot name="rig"><link name="base"/><link name="cam"><inertial>
  <origin xyz="0.1 0.02 -0.03" rpy="0.1 0.2 0.3"/><mass value="1.3"/>
  <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="-0.001" izz="0.025"/></inertial></link>
  <joint name="j" type="fixed"><origin xyz="1 2 3" rpy="0 0 1"/><parent link="base"/><child link="cam"/></joint>
  </robot>"""
LOCKED = RIG.replace('type="fixed"', 'type="continuous"')
SDF = """<sdf version="1.9"><model name="rig"><static>true</static><link name="cam"><pose>1 2 3 0 0 1</pose>
  <inertial><mass>1.3</mass></inertial></link></model></sdf>"""
MJCF = """<mujoco model="rig"><worldbody><body name="cam" pos="1 2 3" euler="0 0 57.29577951308232">
  <inertial pos="0.1 0 0" mass="1.3" diaginertia="0.02 0.03 0.025"/></body></worldbody></mujoco>"""
FILES = {"fixed.urdf": RIG, "locked.urdf": LOCKED, "static.sdf": SDF, "static.xml": MJCF}
NOUGHT, BATCH = np.zeros(0), np.zeros((5, 0))
REFUSED = "has no joint that moves"


@pytest.fixture(params=FILES)
def rig(request, tmp_path):
    lock = ["j"] if request.param.startswith("locked") else ()
    return loaded(FILES[request.param], tmp_path, request.param, lock=lock)


@pytest.fixture
def fixed(tmp_path):
    return loaded(RIG, tmp_path, "rig.urdf")


def pose():
    T = np.eye(4)
    T[:2, :2] = [[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]]
    T[:3, 3] = 1, 2, 3
    return T


def test_frames_stand_where_the_file_has_them(rig):
    assert (rig.nq, rig.nv, rig.mass) == (0, 0, 1.3)
    np.testing.assert_allclose(sg.forward_kinematics(rig, "cam")(NOUGHT), pose(), atol=1e-15)
    np.testing.assert_allclose(sg.forward_kinematics(rig, "cam")(BATCH), [pose()] * 5, atol=1e-15)
    assert sg.frame_jacobian(rig, "cam")(NOUGHT).shape == (6, 0)
    assert not sg.frame_velocity(rig, "cam")(NOUGHT, NOUGHT).any()
    assert list(link_poses(rig, NOUGHT)) == [rig.links[0].name]


DYNAMICS: dict[Any, tuple[int, tuple[int, ...]]] = {
    sg.inverse_dynamics: (3, (0,)),
    sg.forward_dynamics: (3, (0,)),
    sg.bias_forces: (2, (0,)),
    sg.mass_matrix: (1, (0, 0)),
    sg.coriolis_matrix: (2, (0, 0)),
    sg.kinetic_energy: (2, ()),
    sg.potential_energy: (1, ()),
}


@pytest.mark.parametrize("query", DYNAMICS, ids=lambda query: query.__name__)
def test_dynamics_of_nothing_are_empty(query, fixed):
    count, shape = DYNAMICS[query]
    f = query(fixed)
    assert f(*[NOUGHT] * count).shape == shape
    assert f(*[BATCH] * count).shape == (5, *shape)
    assert f(*[BATCH] * count, threads=2).shape == (5, *shape)
    assert f.few(*[BATCH] * count).shape == (5, *shape)
    assert f.jacobian("q")(*[NOUGHT] * count).shape == (*shape, 0)
    assert f.astype("float32")(*[NOUGHT] * count).shape == shape
    assert not np.any(f(*[NOUGHT] * count))
    assert not shape or f.packed()(*[NOUGHT] * count).shape == (0,)
    with pytest.raises(sg.InputError, match=r"q has the shape \(3,\), expected \(\.\.\., 0\)"):
        f(np.zeros(3), *[NOUGHT] * (count - 1))
    with pytest.raises(sg.InputError, match=r"q has the shape \(5, 2\)"):
        f(np.zeros((5, 2)), *[BATCH] * (count - 1))


def test_graphs_and_orders(fixed):
    f = compile_graph(sg.dynamics_graph(fixed).given("q", "qd", "tau"), "qdd")
    assert f().shape == (0,)
    for ordering in ("rnea", "aba", "crba", "colamd", "min_degree", "nested_dissection"):
        assert sg.inverse_dynamics(fixed, ordering=ordering)(NOUGHT, NOUGHT, NOUGHT).shape == (0,)
    assert sg.hybrid_dynamics(fixed, [])(NOUGHT, NOUGHT, NOUGHT).shape == (0,)


def test_it_stands_in_simulations(fixed):
    for method in ("auto", "rk4", "semi_implicit", "radau5", "trapezoidal"):
        motion = sg.simulate(fixed, time=0.01, method=method)
        assert motion.q.shape == (11, 0)
    run: Any = sg.Simulator(fixed)
    run.step()
    assert run.q.shape == (0,)
    assert sg.rollout(fixed, q0=BATCH, time=0.01).q.shape[-1] == 0
    assert sg.integrate(fixed)(NOUGHT, NOUGHT).shape == (0,)
    assert sg.neutral(fixed, 3).shape == (3, 0)
    assert fixed.close_loops(NOUGHT).shape == fixed.complete(NOUGHT).shape == (0,)


def test_what_needs_motion_is_refused_in_one_line(fixed):
    t = np.linspace(0.0, 1.0, 20)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: sg.regressor(fixed),
        lambda: sg.excitation(fixed),
        lambda: sg.inverse_kinematics(fixed, "cam"),
        lambda: sg.Task(fixed, horizon(4, 0.1)),
        lambda: sg.inverse_trajectory(fixed, {"t": t}),
        lambda: sg.estimate(fixed, {"t": t}),
        lambda: sg.simulate(fixed, time=0.01, method="smoother"),
    )
    for call in calls:
        with pytest.raises(sg.InputError, match=REFUSED):
            call()


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
def test_it_is_saved_and_loaded_again(suffix, rig, tmp_path):
    sg.save(rig, tmp_path / f"again{suffix}")
    again = sg.load(tmp_path / f"again{suffix}")
    np.testing.assert_allclose(again.frame("cam").T_lf, rig.frame("cam").T_lf, atol=1e-12)
    assert (again.nq, again.mass) == (0, rig.mass)


def test_one_link_alone_is_a_robot(tmp_path):
    robot = loaded('<robot name="one"><link name="only"/></robot>', tmp_path)
    np.testing.assert_array_equal(sg.forward_kinematics(robot, "only")(NOUGHT), np.eye(4))


@pytest.mark.parametrize("language", BACKENDS)
def test_it_is_exported_to_every_language(language, fixed, tmp_path):
    functions = {
        "place": sg.forward_kinematics(fixed, "cam"),
        "torque": sg.inverse_dynamics(fixed),
        "lever": sg.frame_jacobian(fixed, "cam"),
    }
    sg.export_library(functions, tmp_path, prefix="rig", language=language)
    compiler = which("gcc") or which("cc")
    if language == "c" and compiler:
        flags = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "-Itest")
        subprocess.run([compiler, *flags, "rig.c", "test/rig_test.c", "-o", "t", "-lm"], cwd=tmp_path, check=True)
        assert b"0 numbers differ" in subprocess.run(["./t"], cwd=tmp_path, check=True, capture_output=True).stdout
