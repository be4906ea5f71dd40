"""The trajectory of a plan: its states obey Pinocchio's inverse dynamics, contacts included."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Task, horizon, save_plan
from screwgraph.motion.planning.contacts import FlatContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.simulation import read_trajectory
from tests.oracle import oracle as pinocchio

RULES = ("trapezoidal", "linear_acceleration", "hermite_simpson", "radau")


@pytest.fixture(scope="module", params=RULES)
def reach(request):
    robot = sg.load("rrr")
    goals, costs = (Position([0.6, -0.4, 0.8]), Velocity()), (Effort(1e-3), Acceleration(1.0))
    task = Task(robot, horizon(20, 0.05), np.zeros(3), goals=goals, costs=costs, collocation=request.param)
    plan = sg.plan(task)
    assert plan.converged, plan
    return plan


def test_inverse_dynamics_along_a_plan_gives_its_torques(reach):
    run, oracle = reach.trajectory, pinocchio(reach.task.robot)
    expected = [oracle.inverse_dynamics(*state) for state in zip(run.q, run.qd, run.qdd, strict=True)]
    size = np.abs(run.tau).max()
    first = 1 if reach.task.collocation == "radau" else 0  # it has no sample at the start: extrapolated there
    np.testing.assert_allclose(run.tau[first:], expected[first:], atol=1e-6 * size)
    np.testing.assert_allclose(sg.inverse_trajectory(run.model, run).tau, expected, atol=1e-9 * size)


def test_between_points_positions_go_on_by_velocities(reach):
    d = 1e-6
    # Radau's position goes on by the velocity at its collocation points, of which these lie inside of steps.
    times = reach.t[1::2] if reach.task.collocation == "radau" else np.linspace(0.013, 0.987, 40)
    ahead, here, behind = (reach.trajectory.at(times + k * d) for k in (1, 0, -1))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * d), here.qd, atol=1e-6 * np.abs(reach.qd).max())
    assert reach.at(0.5).q == pytest.approx(reach.q[np.abs(reach.t - 0.5).argmin()], abs=1e-12)


def test_inverse_dynamics_between_points_errs_as_the_rule_does(reach):
    times = np.linspace(0.0, 1.0, 101)[2:-2]
    run = reach.trajectory.resampled(times)
    off = np.abs(sg.inverse_trajectory(run.model, run).tau - run.tau).max() / np.abs(run.tau).max()
    assert off < (2e-2 if reach.task.collocation in ("trapezoidal", "linear_acceleration") else 1e-2)


def test_the_energy_of_a_plan_is_the_work_of_its_torques(reach):
    run = reach.trajectory
    oracle = pinocchio(reach.task.robot)
    energy = [oracle.energy(q, qd) for q, qd in zip(run.q, run.qd, strict=True)]
    np.testing.assert_allclose(run.energy - run.energy[0], np.array(energy) - energy[0], atol=1e-9)
    fine = run.resampled(np.linspace(0.0, 1.0, 401))
    assert fine.energy_drift < 1e-2 * (np.ptp(energy) + np.ptp(fine.work))


def test_contact_wrenches_belong_to_the_trajectory(tmp_path):
    file = tmp_path / "block.yaml"
    block = "{link: block, joint: free, type: floating, mass: 2, com: [0.05, 0, 0.1], inertia: [0.01, 0.01, 0.01]}"
    file.write_text(f"name: block\nbodies:\n  - {block}\n")
    robot = sg.load(file)
    foot = FlatContact("block", 0.3, 0.2, friction=0.6)
    task = Task(robot, horizon(4, dt=0.1), start=robot.neutral(), contacts=(foot,), costs=(Acceleration(1.0),))
    run = sg.plan(task).trajectory
    weight = np.array([0.0, -0.05, 0.0, 0.0, 0.0, 1.0]) * 2.0 * 9.81  # below the centre of mass
    for found in (run.external_wrenches["block"], run.at([0.0, 0.03, 0.17, 0.4]).external_wrenches["block"]):
        np.testing.assert_allclose(found, np.tile(weight, (len(found), 1)), atol=1e-6)
    np.testing.assert_allclose(sg.inverse_trajectory(robot, run).tau, 0.0, atol=1e-6)
    np.testing.assert_allclose(run.work, 0.0, atol=1e-9)
    run.save(tmp_path / "run.npz")
    again = read_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.external_wrenches["block"], run.external_wrenches["block"])
    run.save(tmp_path / "run.csv")
    assert "tau:free[5],wrench:block.mx,wrench:block.my" in (tmp_path / "run.csv").read_text()


def test_a_saved_plan_is_a_trajectory(reach, tmp_path):
    path = save_plan(reach, tmp_path / "plan.npz")
    run = read_trajectory(path)
    np.testing.assert_array_equal(run.q, reach.q)
    assert run.method == f"plan, {reach.task.collocation}"
    off = np.abs(run.at(np.linspace(0.0, 1.0, 101)).q - reach.at(np.linspace(0.0, 1.0, 101)).q).max()
    assert off < 1e-2 * np.ptp(reach.q)
