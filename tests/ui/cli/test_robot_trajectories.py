"""Smoothing, torques along a trajectory, and estimates of robots on the command line."""

import csv
import json

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from tests.motion.estimation.readings.test_missing_measurements import slider


def test_a_robot_is_simulated_by_smoothing_and_its_torques_found_again(command, tmp_path):
    table = tmp_path / "rr.csv"
    options = ("--time", "0.5", "--dt", "0.01", "--method", "smoother", "--integrator", "hermite_simpson")
    command("simulate", "rr", *options, "-o", table)
    result = command("inverse", "rr", "--trajectory", table, "-o", tmp_path / "tau.npz", "--json")
    figures = json.loads(result.out)
    assert max(figures["errors"].values()) < 1e-9  # rad, what rounding of the table leaves
    assert np.abs(np.load(tmp_path / "tau.npz")["tau"][8:-8]).max() < 1e-2  # it falls freely


def test_a_mass_is_estimated_from_encoders(command, tmp_path):
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    run = sg.simulate(robot, [0.3, 0.2], time=0.5, dt=0.02)
    with (tmp_path / "m.csv").open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["t", "a", "b"])
        writer.writerows(np.column_stack([run.t, run.q + 1e-3 * rng.standard_normal(run.q.shape)]).tolist())
    sensors = [f"{{sensor: {n}, joint_position: {j}, sigma: 0.001}}" for n, j in (("a", "joint1"), ("b", "joint2"))]
    arguments = ["--measurements", tmp_path / "m.csv", "--parameters", "link2.mass", "-o", tmp_path / "e.npz"]
    result = command("estimate", "rr", *arguments, *(x for s in sensors for x in ("--sensor", s)), "--json")
    found = json.loads(result.out)["parameters"]["link2.mass"]
    assert abs(found["value"] - robot.link("link2").inertia.mass) < 4.0 * found["sigma"]
    assert np.load(tmp_path / "e.npz")["q_sigma"].shape == (26, 2)


def test_columns_named_after_what_they_measure_need_no_sensors(command, tmp_path):
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    run = sg.simulate(robot, [0.3, 0.2], time=0.3, dt=0.02)
    turning = np.zeros((len(run.t), 3))
    turning[:, robot.joint("joint1").type.axis.index(max(robot.joint("joint1").type.axis))] = run.qd[:, 0] + 0.02
    names = ["t", "joint_position:joint1", "joint_position:joint2", *(f"gyroscope:link1_{x}" for x in "xyz")]
    with (tmp_path / "log.csv").open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow([*names, "contact:link2"])
        noisy = np.column_stack([run.t, run.q + 1e-3 * rng.standard_normal(run.q.shape), turning, 0.0 * run.t])
        writer.writerows(noisy.tolist())
    arguments = ["--measurements", tmp_path / "log.csv", "-o", tmp_path / "e.npz", "--report", tmp_path / "e.html"]
    result = command("estimate", "rr", *arguments, "--plot", tmp_path / "plots")
    assert "gyroscope:link1 is off by" in result.out
    assert "Contact forces" in (tmp_path / "e.html").read_text()
    assert (tmp_path / "plots" / "contact_forces.svg").exists()
    assert np.abs(np.load(tmp_path / "e.npz")["wrench:link2"]).max() < 0.1


@pytest.mark.parametrize("lag", [(), ("--lag", "0.02")], ids=["batch", "lag"])
def test_an_estimate_begins_near_the_state_of_a_file(command, refused, state_file, tmp_path, lag):
    """No sensor tells where the body is."""
    sg.save(slider(), tmp_path / "slider.yaml")
    (tmp_path / "m.csv").write_text("t,joint_velocity:x\n" + "".join(f"{0.01 * k:.2f},0.3\n" for k in range(10)))
    arguments = ("--measurements", tmp_path / "m.csv", *lag, "-o", tmp_path / "e.npz")
    state = state_file('{"q": {"x": 0.7}, "qd": {"x": 0.3}}')
    assert command("estimate", tmp_path / "slider.yaml", *arguments, "--state", state).status == 0
    assert np.load(tmp_path / "e.npz")["q"][:, 0] == pytest.approx(0.7 + 0.003 * np.arange(10), abs=1e-4)
    line = refused(1, "estimate", "rr", *arguments, "--state", state_file('{"tau": [1, 2]}')).err
    assert "'tau' does not belong to this problem (remove it)" in line
    assert "--state goes with robots" in refused(2, "estimate", "four_bar", *arguments, "--state", state).err


def test_values_of_mechanisms_are_refused_for_robots(refused, tmp_path):
    (tmp_path / "m.csv").write_text("t,a\n0,1\n")
    arguments = ("--measurements", tmp_path / "m.csv", "-o", tmp_path / "e.csv", "--set", "m=1")
    assert "--set goes with mechanisms of points" in refused(2, "estimate", "rr", *arguments).err


def test_a_robot_is_estimated_update_by_update(command, tmp_path):
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    run = sg.simulate(robot, [0.3, 0.2], time=0.5, dt=0.005)
    with (tmp_path / "log.csv").open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["t", *(f"joint_position:{j}" for j in robot.joint_names)])
        writer.writerows(np.column_stack([run.t, run.q + 1e-3 * rng.standard_normal(run.q.shape)]).tolist())
    arguments = ["--measurements", tmp_path / "log.csv", "--lag", "0.02", "-o", tmp_path / "e.npz"]
    result = command("estimate", "rr", *arguments, "--parameters", "link2.mass", "--report", tmp_path / "e.html")
    assert "101 updates" in result.out
    assert "windows of 5" in result.out
    assert "link2.mass = " in result.out
    assert np.abs(np.load(tmp_path / "e.npz")["q"][20:] - run.q[20:]).max() < 5e-3


def test_a_mechanism_is_estimated_update_by_update(command, tmp_path):
    """Sensors of the file; the gyroscope of the crank reads a tenth as often as the others."""
    mechanism, rng = sg.load_mechanism("four_bar_angle"), np.random.default_rng(0)
    run = sg.simulate(mechanism, time=0.5, dt=0.005)
    read = simulate_sensors(mechanism, {"q": run.q, "v": run.qd, "a": run.qdd}, rng=rng)
    read["crank_gyro"][np.arange(len(run.t)) % 10 != 0] = np.nan
    with (tmp_path / "log.csv").open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["t", *read])
        rows = np.column_stack([run.t, *read.values()])
        writer.writerows([["" if x != x else x for x in row] for row in rows.tolist()])
    arguments = ["--measurements", tmp_path / "log.csv", "--lag", "0.01", "-o", tmp_path / "e.npz"]
    result = command("estimate", "four_bar_angle", *arguments, "--report", tmp_path / "e.html")
    assert "101 updates" in result.out
    assert "windows of 3" in result.out
    assert "warning" not in result.err
    assert np.abs(np.load(tmp_path / "e.npz")["qd"][30:] - run.qd[30:]).max() < 0.05


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("t,joint_position:elbow\n0,0\n0.1,1\n", "m.csv:1: no joint is called 'elbow'"),
        ("# log\nt,joint_position:joint1\n0,0\n", "m.csv:2: the measurements have 1 samples"),
    ],
)
def test_what_is_wrong_with_measurements_is_told_with_their_file(refused, tmp_path, text, place):
    (tmp_path / "m.csv").write_text(text)
    done = refused(1, "estimate", "rr", "--measurements", tmp_path / "m.csv", "-o", tmp_path / "e.npz")
    assert done.err.startswith(f"{tmp_path}/{place}")
