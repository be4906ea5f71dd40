"""`screwgraph simulate`, as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import shlex
import signal
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation import read_trajectory
from screwgraph.ui.cli import simulate
from screwgraph.ui.cli.simulation_progress import SimulationWatch


def table(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        names, *rows = csv.reader(file)
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


def test_a_crank_follows_the_columns_of_a_table(command, tmp_path):
    path, t = tmp_path / "run.csv", np.linspace(0.0, 0.2, 21)
    rows = "\n".join(f"{time},{0.8 + time**2}" for time in t.tolist())
    (tmp_path / "crank.csv").write_text(f"t,theta\n{rows}\n")
    options = ["slider_crank", "--driven", tmp_path / "crank.csv", "--dt", "0.02", "-o", path]
    assert command("simulate", *options, "--time", "0.2").status == 0
    found = table(path)
    np.testing.assert_allclose(found["q:theta"], 0.8 + found["t"] ** 2, atol=1e-12)
    assert found["tau:theta"].all()
    result = command("simulate", *options, "--time", "0.4")
    said = f"{tmp_path / 'crank.csv'}:22: theta is not known at t = 0.4 s: its samples are from 0 to 0.2 s\n"
    assert (result.status, result.err) == (1, said)


def test_a_motion_is_written_and_summed_up(command, tmp_path):
    path = tmp_path / "a motion.csv"
    result = command("simulate", "rr", "--time", "0.5", "--dt", "1e-2", "-o", path)
    assert (result.status, result.err) == (0, "")
    assert f"{path}: rr, 50 steps by rk4, 0.5 s in " in result.out
    assert "energy drift" in result.out
    expected = sg.simulate(sg.load("rr"), time=0.5, dt=1e-2)
    np.testing.assert_allclose(table(path)["q:joint2[0]"], expected.q[:, 1], atol=1e-12)


def test_figures_as_json_are_those_of_the_motion(command, tmp_path):
    path = tmp_path / "run.npz"
    figures = command("simulate", "rr", "--time", "1", "--method", "semi_implicit", "-o", path, "--json").json
    expected = sg.simulate(sg.load("rr"), time=1.0, method="semi_implicit")
    assert (figures["steps"], figures["method"], figures["output"]) == (1000, "semi_implicit", str(path))
    assert figures["energy_drift"] == pytest.approx(expected.energy_drift)
    assert figures["violation"] == 0.0
    assert not figures["interrupted"]
    with np.load(path) as arrays:
        np.testing.assert_allclose(arrays["q"], expected.q, atol=1e-12)


def test_it_begins_where_the_state_file_says(command, state_file, tmp_path):
    state = state_file('{"q": {"joint1": 0.5}, "qd": [0.1, -0.2], "tau": {"joint2": 3}}')
    assert command("simulate", "rr", "--time", "0.01", "--state", state, "-o", tmp_path / "x.csv").status == 0
    found = table(tmp_path / "x.csv")
    names = ("q:joint1[0]", "q:joint2[0]", "qd:joint1[0]", "qd:joint2[0]", "tau:joint1[0]", "tau:joint2[0]")
    assert [found[name][0] for name in names] == [0.5, 0.0, 0.1, -0.2, 0.0, 3.0]
    assert (found["tau:joint2[0]"] == 3.0).all()


def test_wrenches_of_the_state_file_act_all_the_time(command, state_file, tmp_path):
    pushed = '{"q": [0.3, 0.4], "external_wrenches": {"link2": [0, 0, 0, 5, 0, 0]}}'
    turned = sg.load("rr")
    tau = np.asarray(sg.frame_jacobian(turned, "link2")(np.array([0.3, 0.4]))).T @ [0, 0, 0, 5.0, 0, 0]
    found = []
    for text in (pushed, f'{{"q": [0.3, 0.4], "tau": {tau.tolist()}}}'):
        state = state_file(text)
        options = ("--time", "0.001", "--dt", "1e-4", "--state", state, "-o", tmp_path / "x.csv")
        assert command("simulate", "rr", *options).status == 0
        found.append(table(tmp_path / "x.csv"))
    for name in ("qdd:joint1[0]", "qdd:joint2[0]"):
        np.testing.assert_allclose(found[0][name][0], found[1][name][0], rtol=1e-9)
    assert not found[0]["tau:joint1[0]"].any()


def test_couplings_stay_closed(command, tmp_path):
    figures = command("simulate", "belt_leg", "--time", "0.2", "-o", tmp_path / "x.csv", "--json").json
    assert figures["violation"] < 1e-9


def test_it_helps_with_examples_that_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line.split() for line in simulate.HELP.splitlines() if line.strip().startswith("screwgraph ")]
    assert len(lines) == 7
    Path("crank.csv").write_text("t,theta\n" + "".join(f"{0.1 * i},{0.2 * i}\n" for i in range(11)), encoding="utf-8")
    for words in lines:
        if not words[2].endswith(".urdf"):
            assert command(*shlex.split(" ".join(words[1:]))).status == 0
    assert "Example:" in command("simulate", "--help").out


def test_curves_of_points_are_drawn_and_animated(command, refused, tmp_path):
    page, folder = tmp_path / "x.html", tmp_path / "pictures"
    options = ("--time", "0.2", "-o", tmp_path / "x.npz", "--report", page, "--plot", folder)
    assert command("simulate", "four_bar", *options, "--paths", "P2,coupler:1:0.5").status == 0
    assert (folder / "paths.svg").exists()
    assert "coupler (1, 0.5)" in page.read_text(encoding="utf-8")
    assert command("view", tmp_path / "x.npz", "-o", page, "--paths", "P2").status == 0
    assert "no body is called 'rod'" in refused(2, "simulate", "four_bar", *options, "--paths", "rod:1:1").err
    assert "is no place on a body" in refused(2, "simulate", "four_bar", *options, "--paths", "rod:x").err


WRONG_USE = {
    "no step": (("--dt", "0"), "'--dt': 0.0 is not a positive, finite number of seconds"),
    "NaN": (("--dt", "nan"), "'--dt': nan is not a positive"),
    "steps back": (("--time", "-1"), "'--time': -1.0 is not a positive"),
    "no multiple": (("--time", "1", "--dt", "0.3"), "time = 1 s is not a multiple of dt = 0.3 s"),
    "too long": (("--time", "1e12"), "too many states to keep"),
    "an unknown method": (("--method", "rk5"), "'--method'"),
}


@pytest.mark.parametrize(("arguments", "complaint"), WRONG_USE.values(), ids=WRONG_USE)
def test_what_cannot_be_done_is_wrong_use(refused, tmp_path, arguments, complaint):
    assert complaint in refused(2, "simulate", "rr", *arguments, "-o", tmp_path / "x.csv").err
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("x.txt", "no table has the suffix '.txt'"), ("no/x.csv", "there is no folder"), ("d.csv", "it is a folder")],
)
def test_files_that_cannot_be_written_are_refused_before_any_work(refused, tmp_path, name, complaint):
    (tmp_path / "d.csv").mkdir()
    assert complaint in refused(2, "simulate", "rr", "--time", "100000", "--dt", "1", "-o", tmp_path / name).err


STATES = {
    "two states": ('{"q": [[1, 2], [3, 4]]}', "2 states are given: a motion begins at one state"),
    "NaN": ('{"q": [NaN, 0]}', "q[0] is not a number"),
    "1e400": ('{"tau": [0, 1e400]}', "tau[1] is infinite, or beyond 1e308"),
    "external_wrenches": ('{"external_wrenches": {"link1": [0, 0, 0, 0, 1]}}', "it is (moment, force), 6 numbers"),
    "accelerations": ('{"qdd": [1, 2]}', "'qdd' does not belong to this problem"),
}


@pytest.mark.parametrize(("text", "complaint"), STATES.values(), ids=STATES)
def test_states_that_are_no_beginning_are_refused(refused, state_file, tmp_path, text, complaint):
    path = state_file(text)
    line = refused(1, "simulate", "rr", "--state", path, "-o", tmp_path / "x.csv").err
    assert line.startswith(str(path))
    assert complaint in line


def test_a_velocity_that_opens_a_loop_is_refused_with_its_residual(refused, state_file, tmp_path):
    state = state_file('{"qd": {"hip_motor": 1}}')
    line = refused(1, "simulate", "belt_leg", "--state", state, "-o", tmp_path / "x.csv").err
    assert "would open" in line


def test_an_interruption_keeps_what_was_computed(command, tmp_path, monkeypatch):
    look = SimulationWatch.__call__

    def look_and_interrupt(watch: SimulationWatch, t: float) -> bool:
        if t >= 1.0:
            os.kill(os.getpid(), signal.SIGINT)
        return look(watch, t)

    monkeypatch.setattr(SimulationWatch, "__call__", look_and_interrupt)
    path = tmp_path / "x.csv"
    handler = signal.getsignal(signal.SIGINT)
    result = command("simulate", "rr", "--time", "1000", "--dt", "1e-3", "-o", path, "--json")
    assert result.status == 0
    assert result.err == f"interrupted at t = {result.json['time']:g} s: the results so far are kept\n"
    assert result.json["interrupted"]
    assert 1.0 <= result.json["time"] < 2.0
    assert table(path)["t"][-1] == result.json["time"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_report_stands_beside_the_motion_on_demand(command, state_file, tmp_path):
    path = tmp_path / "report.html"
    push = state_file('{"tau": {"hip": 1}}')
    arguments = ("simulate", "belt_leg", "--time", "0.2", "--state", push, "-o", tmp_path / "x.npz", "--report", path)
    assert command(*arguments).status == 0
    page = path.read_text()
    assert all(f"<h2>{title}</h2>" in page for title in ("Summary", "Motion", "Coordinates", "Torques", "Errors"))
    assert page.count("data:image/svg+xml;base64,") == 3
    assert page.count("<iframe") == 1
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_folder_gets_motion_report_and_plots_of_what_is_not_always_zero(command, tmp_path):
    out = tmp_path / "out"
    for _ in range(2):  # it may be there
        command("simulate", "rr", "--time", "0.02", "-o", out)
    assert {path.name for path in out.iterdir()} == {"motion.npz", "report.html", "coordinates.svg", "errors.svg"}
    assert "<h2>Torques</h2>" not in (out / "report.html").read_text()


def test_a_report_goes_to_an_html_file(refused, tmp_path):
    arguments = ("simulate", "rr", "-o", tmp_path / "x.csv", "--report", tmp_path / "x.pdf")
    assert "no page has the suffix '.pdf'" in refused(2, *arguments).err


def test_joints_that_leave_their_range_are_named_and_stopped_on_demand(command, state_file, tmp_path):
    start = ("simulate", "puma560", "--state", state_file('{"qd": {"joint4": 9}}'), "--time", "0.5", "--dt", "5e-3")
    free = command(*start, "-o", tmp_path / "free.csv")
    assert "warning: joint 'joint4' leaves its range (-1.92 to 2.967 rad) from t = 0." in free.err
    held = command(*start, "-o", tmp_path / "held.csv", "--stops", "--friction", "--effort-limits", "--json")
    assert held.json["doubts"] == []
    assert held.json["method"] == "semi_implicit"
    assert table(tmp_path / "held.csv")["q:joint4[0]"].max() <= 2.9670597283903604 + 1e-6
    assert command(*start, "-o", tmp_path / "free.csv", "--json").json["doubts"][0] in free.err


def test_a_spring_of_an_actuator_pulls_where_the_joint_is(command, tmp_path):
    """One on the rail pulls a mass back and forth, x = 0.3 cos(sqrt(k / m) t), without any input."""
    file, state, out = tmp_path / "spring.yaml", tmp_path / "state.json", tmp_path / "spring.csv"
    file.write_text(
        "bodies: [{link: cart, joint: rail, type: prismatic, axis: x, mass: 2}]\n"
        'actuators: [{actuator: spring, displacement: rail, force: "u - 50*l"}]\n',
        encoding="utf-8",
    )
    state.write_text(json.dumps({"q": {"rail": 0.3}, "effort": {"spring": 0.0}}), encoding="utf-8")
    options = ("--state", state, "--actuators", "--time", "0.5", "--dt", "1e-3", "-o", out)
    assert command("simulate", file, *options).status == 0
    with out.open(encoding="utf-8") as table:
        moved = np.array([[float(row["t"]), float(row["q:rail[0]"])] for row in csv.DictReader(table)])
    np.testing.assert_allclose(moved[:, 1], 0.3 * np.cos(5.0 * moved[:, 0]), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (
            "t,joint1\n0,0\n0.1,0.1\n0.05,0.2\n0.2,0\n",
            ":4",
            "the times of the driven motion do not grow after sample 1",
        ),
        ("t,joint1\n0,0\n0.1,x\n", ":3", "joint1 is 'x'"),
        (
            "# crank\nt,elbow\n0,0\n0.1,0.1\n0.2,0\n0.3,0\n",
            ":2",
            "no motor or joint of one coordinate is called 'elbow'",
        ),
        ("joint1\n0\n0.1\n0.2\n0.3\n", ":1", "there is no column 't'"),
        ("t,joint1\n0,0\n0.1,1\n", ":1", "a value for each of 4 times, or more, is needed"),
        ("t,joint1\n0.5,0\n0.6,0\n0.7,1\n0.8,2\n", ":2", "joint1 is not known at t = 0 s"),
        ("t,joint1\n0,0\n0.1,0\n0.11,1\n0.12,2\n", ":5", "joint1 is not known at t = 0.2 s"),
    ],
)
def test_a_driven_table_that_is_wrong_is_told_with_file_and_line(refused, tmp_path, text, line, what):
    path = tmp_path / "crank.csv"
    path.write_text(text)
    done = refused(1, "simulate", "rr", "--driven", path, "--time", "0.2", "--dt", "0.01", "-o", tmp_path / "never.csv")
    assert done.err.startswith(f"{path}{line}: ")
    assert what in done.err
    assert not (tmp_path / "never.csv").exists()


def test_a_world_with_contacts_is_simulated_and_shown(command, tmp_path):
    cube = (
        "bodies: [{link: cube, type: floating, mass: 1, inertia: [2e-3, 2e-3, 2e-3], shapes: [{box: [0.1, 0.1, 0.1]}]}]"
    )
    (tmp_path / "cube.yaml").write_text(cube, encoding="utf-8")
    world = "robots:\n- {robot: arm, file: rr, at: [0, 1, 0]}\n- {robot: box, file: cube.yaml, at: [0, 0, 0.05]}\n"
    (tmp_path / "desk.yaml").write_text(world + "contacts: [{frame: box/cube, shape: collisions}]\n", encoding="utf-8")
    desk, made = str(tmp_path / "desk.yaml"), str(tmp_path / "desk.npz")
    assert command("simulate", desk, "--contacts", desk, "--time", "0.2", "-o", made).status == 0
    motion = read_trajectory(made)
    assert [*getattr(motion.model, "joint_names", ())] == ["arm/joint1", "arm/joint2", "box/cube_joint"]
    assert motion.external_wrenches["box/cube"][-2, 5] == pytest.approx(9.81, abs=1e-6)
    assert "4 bodies" in command("view", made, "-o", tmp_path / "desk.html").out
