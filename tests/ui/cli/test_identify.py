"""`screwgraph identify`: a robot, a report and numbers from a log."""

import json

import numpy as np

import screwgraph as sg
from tests.motion.identification.linkages import make_log, swing
from tests.motion.identification.motions import fourier


def write_log(path) -> tuple[sg.Robot, np.ndarray]:
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 600, 0.02)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd) + 0.01 * np.random.default_rng(0).standard_normal(q.shape)
    names = ["t", *(f"{kind}:{joint}" for kind in ("q", "tau") for joint in robot.joint_names)]
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return robot, tau


def test_a_robot_is_identified(command, tmp_path):
    robot, _ = write_log(tmp_path / "log.csv")
    arguments = ("--log", tmp_path / "log.csv", "-o", tmp_path / "found.yaml", "--report", tmp_path / "found.html")
    found = json.loads(command("identify", "rr", *arguments, "--json").out)
    expected = sg.identify(robot, tmp_path / "log.csv")
    got = [entry["value"] for entry in found["combinations"].values()]
    np.testing.assert_allclose(got, expected.base_values, rtol=1e-9)
    again = sg.load(tmp_path / "found.yaml")
    np.testing.assert_allclose(again.mass, expected.robot.mass, rtol=1e-9)
    page = (tmp_path / "found.html").read_text()
    assert page.count("<svg") + page.count("image/svg") >= 2
    assert all(text in page for text in ("Combinations that torques show", "Residuals", "link2.hx"))
    assert "not explained" in command("identify", "rr", *arguments[:4]).out


def test_a_mechanism_is_identified(command, tmp_path):
    """By its motor's angle and torque; what is saved is loaded as what was found."""
    log = make_log(sg.load_mechanism("slider_crank", {"mass:rod": 1.0}), "theta", *swing(200, 0.02))
    names = ",".join(log)
    np.savetxt(
        tmp_path / "log.csv", np.column_stack([*log.values()]), delimiter=",", header=names, comments="", fmt="%.17g"
    )
    arguments = ("--log", tmp_path / "log.csv", "-o", tmp_path / "found.yaml")
    found = json.loads(command("identify", "slider_crank", *arguments, "--json").out)
    expected = sg.identify(sg.load_mechanism("slider_crank"), tmp_path / "log.csv")
    assert found["mechanism"] == "slider_crank"
    got = [entry["value"] for entry in found["combinations"].values()]
    np.testing.assert_allclose(got, expected.base_values, rtol=1e-9)
    assert sg.load_mechanism(tmp_path / "found.yaml").bodies == expected.model.bodies


def test_what_is_refused(refused, tmp_path):
    write_log(tmp_path / "log.csv")
    arguments = ("--log", tmp_path / "log.csv", "-o", tmp_path / "found.yaml")
    assert "is not JOINT=NUMBER" in refused(2, "identify", "rr", *arguments, "--motor-constant", "joint1").err
    assert "no robust loss" in refused(1, "identify", "rr", *arguments, "--loss", "l1").err
    assert "no such file" in refused(1, "identify", "rr", "--log", tmp_path / "no.csv", *arguments[2:]).err.lower()
    assert "no format has the suffix" in refused(1, "identify", "rr", *arguments[:3], tmp_path / "found.csv").err


def test_torques_that_are_not_explained_are_said(command, tmp_path):
    """Positions in degrees, where radians are meant."""
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 600, 0.02)
    np.savez(tmp_path / "log.npz", t=t, q=np.degrees(q), tau=sg.inverse_dynamics(robot)(q, qd, qdd))
    answer = command("identify", "rr", "--log", tmp_path / "log.npz", "-o", tmp_path / "found.yaml")
    assert "are not explained: check units, signs and columns" in answer.err
    assert "times those of the file's parameters: check units" in answer.err


def test_motor_constants_are_printed(command, tmp_path):
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 600, 0.02)
    np.savez(tmp_path / "log.npz", t=t, q=q, qd=qd, qdd=qdd, i=sg.inverse_dynamics(robot)(q, qd, qdd) / [1.7, 0.4])
    constants = ("--motor-constant", "joint1=1.7", "--motor-constant", "joint2=?")
    said = command("identify", "rr", "--log", tmp_path / "log.npz", "-o", tmp_path / "found.yaml", *constants).out
    assert "motor constant of joint2 = 0.4 +- " in said
