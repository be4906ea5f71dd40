"""Wrenches on links and frames in simulations: Newton's laws, Pinocchio's accelerations, work, what drives yield."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import box, free_body

G = 9.81
ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.02 0.01 -0.1"/><mass value="2"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.01" ixy="0.001" ixz="0" iyz="0.002"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.1 0 0.03"/><mass value="1"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0.6 0.8 0"/>
  <origin xyz="0 0.1 0.3" rpy="0.2 0 0"/><limit lower="-3" upper="3" effort="5" velocity="9"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
  <origin xyz="0.05 0 -0.2" rpy="0 0.3 0.1"/><limit lower="-3" upper="3" effort="5" velocity="9"/></joint></robot>"""
PUSH = np.array([0.3, -0.2, 0.5, 4.0, 7.0, -3.0])


@pytest.fixture(scope="module")
def arm():
    return sg.load(ARM)


def pinocchio_acceleration(q, qd, tau, wrench):
    """Return accelerations (nv,) under a wrench (moment, force) on the last link, in its axes."""
    model = pin.buildModelFromXML(ARM)
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    forces[-1] = pin.Force(wrench[3:], wrench[:3])
    return pin.aba(model, model.createData(), q, qd, tau, pin.StdVec_Force(forces))


@pytest.mark.parametrize(
    "options", [{}, {"stops": True}, {"effort_limits": True}, {"springs": {"elbow": 2.0}}, {"method": "rosenbrock"}]
)
def test_a_step_has_the_acceleration_of_pinocchio(arm, options):
    q, qd, dt = np.array([0.4, -0.7]), np.array([0.2, 0.5]), 1e-7
    step = sg.Simulator(arm, dt, q, qd, external_wrenches=["lower"], **options)
    step.step(external_wrenches={"lower": PUSH})
    spring = np.array([0.0, 2.0 * 0.7]) if "springs" in options else np.zeros(2)
    expected = pinocchio_acceleration(q, qd, spring, PUSH)
    np.testing.assert_allclose((step.qd - qd) / dt, expected, rtol=1e-5, atol=1e-5)


def test_limits_of_efforts_do_not_cut_wrenches(arm):
    wrench = 10.0 * PUSH  # 20 N m about the joints, whose limits are 5
    runs = [
        sg.simulate(
            arm, [0.4, -0.7], time=0.02, external_wrenches={"lower": wrench}, effort_limits=cut, tau=[1.0, -1.0]
        )
        for cut in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_rk4_keeps_its_order_under_a_wrench_that_turns_with_its_link(arm):
    ends = []
    for steps in (20, 40, 400):
        run = sg.simulate(
            arm,
            [0.4, -0.7],
            time=0.4,
            dt=0.4 / steps,
            method="rk4",
            external_wrenches={"lower": lambda t, q, qd: t * PUSH},
        )
        ends.append(run.q[-1])
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.25)


def test_a_motion_under_wrenches_is_that_of_the_torques_that_they_are(arm):
    J, wrench = sg.frame_jacobian(arm, "lower"), lambda t, q, qd: np.cos(9.0 * t) * PUSH
    pushed = sg.simulate(arm, [0.4, -0.7], time=0.3, external_wrenches={"lower": wrench}, tau=[0.5, 0.2])
    turned = sg.simulate(arm, [0.4, -0.7], time=0.3, tau=lambda t, q, qd: J(q).T @ wrench(t, q, qd) + [0.5, 0.2])
    np.testing.assert_allclose(pushed.q, turned.q, atol=1e-9)
    np.testing.assert_allclose(pushed.tau, np.tile([0.5, 0.2], (301, 1)), atol=1e-12)
    np.testing.assert_allclose(pushed.external_wrenches["lower"], [wrench(t, 0, 0) for t in pushed.t], atol=1e-12)
    assert pushed.energy_drift < 1e-8
    np.testing.assert_allclose(pushed.work, turned.work, atol=1e-8)


def test_a_free_body_accelerates_by_force_over_mass():
    body = free_body(2.0, 0.004)
    run = sg.simulate(body, time=0.5, external_wrenches={"body": [0, 0, 0, 4.0, 0, 2.0 * G]})
    np.testing.assert_allclose(run.q[:, 0], 0.5 * (4.0 / 2.0) * run.t**2, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 2], 0.0, atol=1e-12)


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
def test_a_box_is_pushed_over_the_ground(stiffness):
    robot, corners = box(0.3, stiffness)
    start = robot.neutral()
    start[2] = 0.05
    moves = sg.Simulator(robot, 1e-3, start, contacts=corners, external_wrenches={"body": [0, 0, 0, 5.0, 0, 0]})
    moves.step(steps=300)  # pushed at its centre; friction takes mu m g
    assert moves.qd[3] == pytest.approx(0.3 * (5.0 - 0.3 * G), rel=2e-3)
    stays = sg.Simulator(robot, 1e-3, start, contacts=corners, external_wrenches=["body"])
    stays.step(steps=300, external_wrenches={"body": [0, 0, 0, 2.0, 0, 0]})
    assert abs(stays.qd[3]) < 1e-9
    assert stays.forces[:, 0].sum() == pytest.approx(-2.0, abs=1e-6)
    presses = sg.Simulator(robot, 1e-3, start, contacts=corners, external_wrenches=["body"])
    presses.step(steps=100, external_wrenches={"body": [0, 0, 0, 0, 0, -30.0]})
    assert presses.forces[:, 2].sum() == pytest.approx(G + 30.0, rel=1e-6)


def test_simulations_with_contacts_record_both_and_keep_the_balance():
    robot, corners = box(0.0)
    start = robot.neutral()
    start[2] = 0.05
    samples = {"t": [0.0, 0.2], "body": [[0.0] * 6, [0, 0, 0, 2.0, 0, 0]]}
    run = sg.simulate(robot, start, time=0.2, contacts=corners, external_wrenches=samples)
    assert run.qd[-1, 3] == pytest.approx(0.2, rel=6e-3)  # the integral of 10 t over 0.2 s; held over steps of 1 ms
    np.testing.assert_allclose(run.external_wrenches["body"][50:-1, 5], G, rtol=1e-6)
    np.testing.assert_allclose(run.external_wrenches["body"][:, 3], 10.0 * run.t, atol=1e-12)
    assert run.energy_drift < 1e-4
    assert not run.tau.any()


def test_many_motions_have_wrenches_of_their_own():
    robot, corners = box(0.0)
    start = robot.neutral()
    start[2] = 0.05
    wrenches = np.zeros((3, 6))
    wrenches[:, 3] = [0.0, 1.0, 3.0]
    options = {"time": 0.1, "contacts": corners}
    runs = sg.rollout(robot, start, external_wrenches={"body": wrenches}, **options)
    np.testing.assert_allclose(runs.qd[:, -1, 3], [0.0, 0.1, 0.3], atol=1e-9)
    steps = np.tile(wrenches, (100, 1, 1)) * np.linspace(0.0, 1.0, 100)[:, None, None]
    over_time = sg.rollout(robot, start, external_wrenches={"body": steps}, **options)
    np.testing.assert_allclose(over_time.qd[:, -1, 3], [0.0, 0.05, 0.15], atol=1e-9)

    def push(t, q, qd):
        return t / 0.099 * wrenches[: len(q)]

    starts = np.tile(start, (3, 1))
    asked = sg.rollout(robot, starts, external_wrenches={"body": push}, **options)
    np.testing.assert_allclose(asked.qd, over_time.qd, atol=1e-12)
    one = runs[2]
    assert one.external_wrenches["body"].shape == (101, 6)
    assert one.energy_drift < 0.01
    with ThreadPoolExecutor(2) as pool:
        parts = sg.rollout(robot, starts, external_wrenches={"body": steps}, executor=pool, parts=2, **options)
    np.testing.assert_array_equal(parts.qd, over_time.qd)
    one = sg.Simulator(robot, 1e-3, start, contacts=corners, external_wrenches=["body"])
    one.step(steps=100, external_wrenches={"body": wrenches[2]})
    np.testing.assert_array_equal(one.qd, runs.qd[2, -1])


def test_lengths_that_are_inputs_move_wrenches(arm):
    longer = ARM.replace('xyz="0.05 0 -0.2" rpy="0 0.3 0.1"', 'xyz="0.05 0 -0.4" rpy="0 0.3 0.1"')
    names = ["elbow.origin"]
    value = sg.forward_dynamics(sg.load(longer), parameters=names).arguments[-1].nominal
    live = sg.Simulator(
        arm, 1e-3, [0.4, -0.7], external_wrenches={"lower": PUSH}, parameters={"elbow.origin": np.array(value)}
    )
    made = sg.Simulator(sg.load(longer), 1e-3, [0.4, -0.7], external_wrenches={"lower": PUSH})
    for simulator in (live, made):
        simulator.step(steps=20)
    np.testing.assert_allclose(live.q, made.q, atol=1e-12)


def test_masses_that_are_inputs_go_with_wrenches_and_contacts():
    robot, corners = box(0.0)
    start = robot.neutral()
    start[2] = 0.05
    pushed = {"body": [0, 0, 0, 3.0, 0, -7.0]}
    slides = sg.Simulator(
        robot, 1e-3, start, contacts=corners, external_wrenches=pushed, parameters={"body.mass": [2.0]}
    )
    slides.step(steps=50)
    assert slides.qd[3] == pytest.approx(0.05 * 3.0 / 2.0, rel=1e-9)
    assert slides.forces[:, 2].sum() == pytest.approx(2.0 * G + 7.0, rel=1e-9)


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_a_moment_on_an_angle_is_that_of_a_motor(method):
    model = sg.load_mechanism("four_bar_angle")
    turned = sg.simulate(model, time=0.2, tau=[2.0], method=method)
    pushed = sg.simulate(model, time=0.2, external_wrenches={"theta": [2.0]}, method=method)
    np.testing.assert_allclose(pushed.q, turned.q, atol=1e-9)
    assert not pushed.tau.any()
    np.testing.assert_allclose(pushed.external_wrenches["theta"][:, 2], 2.0)


def test_forces_on_points_of_mechanisms_do_work_and_stretch_nothing():
    model = sg.load_mechanism("four_bar")
    run = sg.simulate(model, time=0.3, external_wrenches={"P2": [3.0, 5.0]})
    start, end = (np.array([run.coordinate(f"{axis}:P2")[i] for axis in "xy"]) for i in (0, -1))
    assert run.work[-1] == pytest.approx([3.0, 5.0] @ (end - start), abs=1e-8)
    assert run.energy_drift < 1e-7
    assert run.violation.max() < 1e-8
    steps = sg.rollout(model, time=0.3, dt=1e-4, external_wrenches={"P2": [3.0, 5.0]})
    np.testing.assert_allclose(steps.q[0, -1], run.q[-1], atol=2e-4)


def test_what_drives_a_joint_holds_the_wrench_on_it(arm):
    driven = {"shoulder": "0.4 + 0.2*sin(3*t)", "elbow": "-0.7"}
    alone, pushed = (
        sg.simulate(arm, time=0.1, driven=driven, external_wrenches=acting) for acting in (None, {"lower": PUSH})
    )
    J = np.asarray(sg.frame_jacobian(arm, "lower")(pushed.q))
    np.testing.assert_allclose(pushed.tau - alone.tau, -np.einsum("nij,i->nj", J, PUSH), atol=1e-9)


def test_episodes_are_pushed():
    body = free_body(2.0, 0.004)
    pushes = sg.Environment(
        body, 3, external_wrenches={"body": lambda e: np.where(e.t[:, None] < 0.05, [0, 0, 0, 4.0, 0, 0], 0.0)}
    )
    pushes.reset(seed=0)
    for _ in range(10):
        pushes.step(np.zeros((3, 6)))
    np.testing.assert_allclose(pushes.qd[:, 3], 0.1, atol=1e-12)


WRONG = {
    "no frame": ({"hand": PUSH}, "no frame is called 'hand'"),
    "five numbers": ({"lower": PUSH[:5]}, "has the shape"),
    "NaN": ({"lower": [np.nan] * 6}, "not finite"),
    "words": ({"lower": "north"}, "has the shape"),
    "times alone": ({"t": [0.0, 1.0]}, "nothing over these"),
    "times that go back": ({"t": [0.0, 1.0, 0.5], "lower": np.zeros((3, 6))}, "do not grow"),
    "a function of time": ({"lower": lambda t: PUSH}, "takes"),
    "a function of nothing": ({"lower": lambda t, q, qd: None}, "returns"),
}


@pytest.mark.parametrize("simulate", [sg.simulate, sg.rollout])
@pytest.mark.parametrize(("wrenches", "text"), WRONG.values(), ids=WRONG)
def test_what_is_no_wrench_is_refused_in_one_line(arm, simulate, wrenches, text):
    with pytest.raises(sg.InputError, match=text) as caught:
        simulate(arm, time=0.01, external_wrenches=wrenches)
    assert "\n" not in str(caught.value)


def test_samples_cover_the_motion(arm):
    with pytest.raises(sg.InputError, match=r"samples are from t = 0 to 0\.01 s"):
        sg.simulate(arm, time=0.02, external_wrenches={"t": [0.0, 0.01], "lower": np.zeros((2, 6))})


def test_steps_take_the_wrenches_that_the_simulator_was_made_for(arm):
    with pytest.raises(sg.InputError, match="has no external wrenches"):
        sg.Simulator(arm).step(external_wrenches={"lower": PUSH})
    made = sg.Simulator(arm, external_wrenches=["lower"])
    for wrenches, text in (({"upper": PUSH}, "upper"), ({"lower": np.zeros((2, 6))}, "has the shape")):
        with pytest.raises(sg.InputError, match=text):
            made.step(external_wrenches=wrenches)
    with pytest.raises(sg.InputError, match="twice"):
        sg.Simulator(arm, external_wrenches=["lower", "lower"])
    with pytest.raises(sg.InputError, match="for 2 states"):
        sg.Simulator(arm, external_wrenches={"lower": np.zeros((2, 6))}).step()
