"""Torques along trajectories of robots: those by which the trajectory was simulated."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import velocity_problem
from screwgraph.model.robot import independent_coordinates
from tests.motion.estimation.robots import moving
from tests.motion.identification.motions import projected_torques


def labels(robot):
    return [j.name if j.type.nq == 1 else f"{j.name}[{i}]" for j in robot.joints for i in range(j.type.nq)]


def simulated(name):
    """A motion that independent joints drive, but not a floating base; Pinocchio's tree agrees about its torques."""
    robot, q0, qd0 = moving(name)
    driven = np.zeros(robot.nv)
    for i, joint in enumerate(n for n in robot.independent_joints if robot.joint(n).type.nv == 1):
        driven[robot.v_slices[joint]] = 1.0 + i
    options = {"time": 0.5, "dt": 2.5e-3, "method": "dop853", "rtol": 1e-12, "atol": 1e-12}
    run = sg.simulate(robot, q0, qd0, tau=lambda t, q, qd: driven * np.cos(4.0 * t), **options)
    expected = projected_torques(robot, run.q[::20], run.qd[::20], run.qdd[::20])
    chosen = independent_coordinates(robot) if robot.is_closed else slice(None)
    np.testing.assert_allclose(expected, run.tau[::20, chosen], atol=1e-9 * np.abs(run.qdd).max())
    return robot, run


@pytest.mark.parametrize("name", ["rr", "thrown", "five_bar"])
@pytest.mark.sampled(3)
def test_the_torques_of_a_simulated_motion_are_found(name):
    robot, run = simulated(name)
    table = {"t": run.t} | dict(zip(labels(robot), run.q.T, strict=True))
    found = sg.inverse_trajectory(robot, table)
    inside = slice(8, -8)  # splines err more at their ends
    # Positions are exact to 1e-12; second differences of that, over 2.5 ms, are 1e-6.
    np.testing.assert_allclose(found.tau[inside], run.tau[inside], atol=1e-5 * np.abs(run.tau).max())
    np.testing.assert_allclose(found.run.qd[inside], run.qd[inside], atol=1e-7)
    assert max(found.errors.values()) < 1e-11
    assert found.status.value == "converged"
    assert "\n" not in repr(found)


@pytest.mark.parametrize("name", ["rr", "thrown", "five_bar"])
@pytest.mark.sampled(2)
def test_rounded_positions_have_the_torques_of_exact_ones_up_to_both_ends(name):
    robot, run = simulated(name)
    chosen = {label: i for i, label in enumerate(labels(robot))}
    if robot.is_closed:
        chosen = {n: robot.q_slices[n].start for n in robot.independent_joints}
    table = {"t": run.t} | {label: np.round(run.q[:, i], 7) for label, i in chosen.items()}
    found = sg.inverse_trajectory(robot, table, q0=run.q[0] if robot.is_closed else None)
    # Second differences of positions that are rounded by 1e-7 are off by up to 2e-7 / dt^2, here 0.03 rad/s^2.
    inertia = max(np.linalg.norm(sg.mass_matrix(robot)(q), 2) for q in run.q[::20])
    off = np.abs(found.tau - run.tau)
    assert off.max() < 2e-7 / 2.5e-3**2 * inertia
    assert off[20:-20].max() < 0.2 * 2e-7 / 2.5e-3**2 * inertia
    assert all(1e-8 < noise < 1e-7 for noise in found.noise.values())


def test_independent_joints_of_a_closed_chain_suffice():
    robot, run = simulated("five_bar")
    table = {"t": run.t} | {n: run.q[:, robot.q_slices[n].start] for n in robot.independent_joints}
    found = sg.inverse_trajectory(robot, table, q0=run.q[0])
    np.testing.assert_allclose(found.run.q, run.q, atol=1e-8)
    np.testing.assert_allclose(found.tau[8:-8], run.tau[8:-8], atol=1e-5 * np.abs(run.tau).max())


def test_the_result_is_saved(tmp_path):
    robot, run = simulated("rr")
    done: list[float] = []
    table = {"t": run.t} | dict(zip(labels(robot), run.q.T, strict=True))
    found = sg.inverse_trajectory(robot, table, watch=done.append)
    assert (done[0], done[-1]) == (0.0, 1.0)
    found.run.save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text().startswith("t,q:joint1[0],")


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({"joint1": np.zeros(9)}, "the trajectory has no times"),
        ({"time": np.arange(9.0), "joint1": np.zeros(9)}, "call its column 'time' t"),
        ({"t": np.arange(9.0), "joint1": np.zeros(9)}, "the trajectory gives 1 of 2 coordinates"),
        ({"t": np.arange(9.0), "joint3": np.zeros(9)}, r"no coordinate is called 'joint3'"),
        ({"t": np.arange(3.0), "joint1": np.zeros(3), "joint2": np.zeros(3)}, "has 3 samples"),
    ],
)
def test_bad_trajectories_are_one_line(table, line):
    with pytest.raises(sg.InputError, match=line) as caught:
        sg.inverse_trajectory(sg.load("rr"), table)
    assert "\n" not in str(caught.value)


def test_a_trajectory_that_opens_loops_is_refused():
    robot, run = simulated("five_bar")
    table = {"t": run.t} | dict(zip(labels(robot), run.q.T + 0.01 * run.t, strict=True))
    with pytest.raises(sg.InputError, match="leaves loops open by"):
        sg.inverse_trajectory(robot, table)


@pytest.mark.parametrize(("dt", "is_doubted"), [(0.02, True), (0.0025, False)])
def test_coarse_samples_beside_a_dead_centre_are_doubted(dt, is_doubted):
    """The crank speeds up at dead centres, between two samples that are 20 ms apart."""
    crank, steps = sg.load_mechanism("slider_crank"), round(0.6 / dt)
    speed = velocity_problem(crank, crank.home, {"theta": 5.0})
    run = sg.simulate(
        crank, crank.home, speed, time=steps * dt, dt=dt, method="dop853",
        tau=lambda t, q, qd: np.array([0.1 * np.sin(8.0 * t) + 0.2]),
    )  # fmt: skip
    found = sg.inverse_trajectory(crank, {"t": run.t, "theta": run.coordinate("theta")}, q0=run.q[0])
    off = np.abs(found.tau[:, 0] - 0.1 * np.sin(8.0 * run.t) - 0.2).max()
    assert bool(found.doubts) == is_doubted == (off > 0.02)
    assert ("1 doubt" in repr(found)) == is_doubted


@pytest.mark.parametrize("name", ["rr", "four_bar_angle"])
def test_the_table_of_a_simulation_is_a_trajectory(name, tmp_path):
    model, torque = sg.load(name), {"rr": [2.0, -0.5], "four_bar_angle": [3.0]}[name]
    run = sg.simulate(model, time=0.5, dt=0.01, method="rk4", tau=torque)
    run.save(tmp_path / "run.csv")
    for given in (str(tmp_path / "run.csv"), run):
        found = sg.inverse_trajectory(model, given)
        off = np.abs(found.tau - torque)
        assert off.max() < 1e-2
        assert off[10:-10].max() < 1e-4  # splines err more at their ends
