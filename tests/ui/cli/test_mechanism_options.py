"""Commands on planar mechanisms: tables in, tables, reports and pictures out, one line for what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import simulate_sensors
from screwgraph.ui.cli.estimate import _print_replay

DRAWN = ("draw", "four_bar", "--problem", "forward", "-o", "a.svg")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A trajectory and measurements of a pendulum."""
    path = tmp_path_factory.mktemp("tables")
    (path / "pendulum.yaml").write_text(
        "points: [{x: 0, y: 0, fixed: true}, {name: tip, x: 1, y: 0}]\n"
        "bodies: [{name: rod, points: [0, tip], mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}]\n"
        "angles: [{angle: theta, of: [0, tip]}]\n"
        "motors: [theta]\n"
        "sensors: [{sensor: gyro, gyroscope: rod, sigma: 0.01}]\n"
        "torques: [{torque: T, angle: theta, value: 1.0}]\n"
    )
    mechanism = sg.load_mechanism(path / "pendulum.yaml")
    run = sg.simulate(mechanism, time=0.4, dt=0.02)
    table = {"t": run.t} | simulate_sensors(
        mechanism, {"q": run.q, "v": run.qd, "a": run.qdd}, rng=np.random.default_rng(0)
    )
    _write(path / "gyro.csv", table)
    _write(path / "theta.csv", {"t": run.t, "theta": run.q[:, 2]})
    return path


def _write(path, table):
    np.savetxt(path, np.column_stack(list(table.values())), delimiter=",", header=",".join(table), comments="")


@pytest.mark.suite
def test_a_mechanism_is_simulated_by_smoothing_and_its_torques_found_again(command, folder):
    out, torques = folder / "run.csv", folder / "torques.csv"
    options = ("--time", 0.4, "--dt", 0.01, "--method", "smoother", "--window", 3, "--coordinates", "independent")
    page = folder / "run.html"
    done = command(
        "simulate", folder / "pendulum.yaml", *options, "-o", out, "--report", page, "--json", "--plot", folder / "run"
    )
    assert done.status == 0, done.err
    assert done.json["steps"] == 40
    assert sorted(path.name for path in (folder / "run").iterdir()) == ["coordinates.svg", "errors.svg"]
    assert "Errors" in page.read_text()
    done = command("inverse", folder / "pendulum.yaml", "--trajectory", out, "-o", torques, "--json")
    assert done.status == 0, done.err
    assert done.json["status"] == "converged"
    assert done.json["torque"] < 0.05  # it moved freely


@pytest.mark.suite
def test_a_torque_is_estimated_and_printed_with_its_standard_deviation(command, folder):
    arguments = ("--measurements", folder / "gyro.csv", "--parameters", "value:T", "-o", folder / "estimate.npz")
    done = command(
        "estimate",
        folder / "pendulum.yaml",
        *arguments,
        "--report",
        folder / "estimate.html",
        "--plot",
        folder / "estimate",
    )
    assert done.status == 0, done.err
    assert b"<svg" in (folder / "estimate" / "standard_deviations.svg").read_bytes()
    line = next(line for line in done.out.splitlines() if line.startswith("value:T"))
    value, sigma = (float(word) for word in line.split("=")[1].split("+-"))
    assert abs(value - 1.0) < 4.0 * sigma < 0.5
    found = np.load(folder / "estimate.npz")
    assert found["q"].shape == found["q_sigma"].shape == (21, 3)


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("t,theta\n0,0\n0.01,x\n", ":3:", "'x'"),
        ("t,theta\n0,0\n0.01,nan\n", ":3:", "nan"),
        ("t,theta\n0,0\n0.01,\n", ":3:", "left out"),
        ("t,theta\n0,0\n0.01\n", ":3:", "1 values"),
        ("t,theta,theta\n0,0,0\n", ":1:", "two columns"),
        ("0,0,0\n1,1,1\n", ":1:", "names"),
        ("0,0\n1,1\n", "", "2 samples"),
        ("t;theta\n0;0\n", ":1:", "commas"),
        ("t,theta\n", ":1:", "no numbers"),
        ("", ":", "empty"),
        ("t,phi\n" + "".join(f"{k},0\n" for k in range(9)), ":1:", "there are x:tip"),
        ("theta\n" + "0\n" * 9, ":1:", "no times"),
        ("t,theta\n" + "".join(f"{k},0\n" for k in (0, 1, 2, 3, 5, 4, 6, 7, 8)), ":7:", "do not grow"),
        ("t,theta\n" + "".join(f"{k},0\n" for k in (0, 1, 2, 3, 4, 5, 6, 7, 9)), ":10:", "evenly"),
        ("t,theta\n0,0\n1,1\n", "", "2 samples"),
    ],
)
def test_a_bad_table_is_told_with_file_and_line(refused, folder, text, where, words):
    path = folder / "bad.csv"
    path.write_text(text)
    done = refused(1, "inverse", folder / "pendulum.yaml", "--trajectory", path, "-o", folder / "never.csv")
    assert words in done.err
    assert f"bad.csv{where}" in done.err or not where
    assert not (folder / "never.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("simulate", "four_bar", "--window", 3, "-o", "a.csv"), "smoother"),
        (("simulate", "puma560", "--window", "3", "-o", "a.csv"), "goes with the smoother"),
        (("simulate", "four_bar", "--base", "floating", "-o", "a.csv"), "robots"),
        (("simulate", "four_bar", "-o", "a.txt"), ".csv"),
        (("estimate", "four_bar", "--measurements", "m.csv", "-o", "a.csv", "--sensor", "gyro"), "--sensor"),
        (("draw", "four_bar", "--problem", "forward", "--what", "dag", "-o", "a.txt"), ".svg"),
        ((*DRAWN, "--what", "dag", "--coordinates", "independent"), "--coordinates"),
        ((*DRAWN, "--what", "network", "--ordering", "greedy"), "no order"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_use(refused, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("t,gyro\n0,0\n")
    assert words in refused(2, *arguments).err


@pytest.mark.parametrize(
    "options",
    [
        ("--problem", "forward", "--what", "network"),
        ("--problem", "forward", "--what", "network", "--coordinates", "independent"),
        ("--problem", "inverse", "--what", "network"),
        ("--problem", "forward", "--what", "bayes", "--knowns"),
    ],
)
def test_graphs_of_motions_over_time_are_drawn(command, tmp_path, options):
    done = command("draw", "four_bar_angle", *options, "-o", tmp_path / "graph.svg")
    assert done.status == 0, done.err
    assert (tmp_path / "graph.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("problem", ["forward", "inverse"])
def test_a_mechanism_is_solved_at_random_states(command, problem):
    answer = command("solve", "slider_crank", "--problem", problem, "--random", 3, "--json").json
    model = sg.load_mechanism("slider_crank")
    q, qd, given = (np.array(answer[name]) for name in ("q", "qd", "given"))
    function = sg.forward_dynamics(model) if problem == "forward" else sg.inverse_dynamics(model)
    np.testing.assert_allclose(answer["result"], function(q, qd, given), rtol=1e-12, atol=1e-12)
    assert np.abs(model.closing_program.interpreter(q)[0]).max() < 1e-9
    kind = "qdd" if problem == "forward" else "tau"
    assert all(name.startswith(f"{kind}:") for name in answer["result_names"])


@pytest.mark.parametrize("value", ["true", '"2"', "NaN"])
def test_torques_of_a_file_are_finite_numbers(refused, folder, value):
    (folder / "state.json").write_text(f'{{"q": {{"theta": 0.5}}, "tau": {{"theta": {value}}}}}')
    result = refused(1, "solve", "slider_crank", "--problem", "forward", "--state", folder / "state.json")
    assert "of 'theta' is not a finite number" in result.err


def test_a_mechanism_is_solved_at_a_state_of_which_a_file_names_what_is_independent(command, folder):
    (folder / "state.json").write_text('{"q": {"theta": 0.5}, "qd": {"theta": 2}, "qdd": {"theta": 1}}')
    answer = command("solve", "slider_crank", "--problem", "inverse", "--state", folder / "state.json", "--json").json
    model = sg.load_mechanism("slider_crank")
    assert answer["q"][0][model.index("theta")] == pytest.approx(0.5)
    assert answer["qd"][0][model.index("theta")] == pytest.approx(2.0)
    text = command("solve", "slider_crank", "--problem", "hybrid", "--accelerations", "theta", "--algorithm").out
    assert "qdd:theta" in text
    assert " 1 " in text


def test_what_a_mechanism_is_and_its_elimination_are_shown(command, folder):
    content = command("info", "parallel_robot", "--json").json
    assert (content["dof"], content["constraints"]["rows"], len(content["constraints"]["redundant"])) == (2, 21, 1)
    assert "independent" in command("info", "four_bar_angle").out
    for what in ("dag", "matrix", "steps", "cliques"):
        command("draw", "four_bar", "--problem", "forward", "--what", what, "-o", folder / f"{what}.svg")
        assert (folder / f"{what}.svg").stat().st_size > 1000
    command("draw", "four_bar", "--problem", "forward", "--what", "graph", "-o", folder / "graph.json")
    assert len(json.loads((folder / "graph.json").read_text())["factors"]) == 7
    command("compile", "four_bar", "--functions", "forward", "--lang", "c", "-o", folder / "code")
    assert "four_bar_forward" in (folder / "code" / "four_bar.c").read_text()


@pytest.mark.parametrize(
    ("status", "arguments", "text"),
    [
        (1, ("solve", "four_bar", "--problem", "inverse"), "has no motors"),
        (2, ("solve", "slider_crank", "--problem", "forward", "--base", "floating"), "--base goes with robots"),
        (
            2,
            ("solve", "slider_crank", "--problem", "forward", "--external-wrenches", "piston"),
            "--external-wrenches goes with robots",
        ),
        (1, ("solve", "slider_crank", "--problem", "hybrid", "--accelerations", "nose"), "nose"),
        (2, ("info", "slider_crank", "--lock", "theta", "--no-damping"), "--lock and --no-damping go with robots"),
        (
            2,
            ("compile", "slider_crank", "--functions", "forward", "--lang", "c", "-o", "x", "--gravity", "0,0,0"),
            "robots",
        ),
    ],
)
def test_what_mechanisms_do_not_have_is_refused_in_one_line(refused, status, arguments, text):
    assert text in refused(status, *arguments).err


def test_feet_that_slip_are_printed_with_their_times(capsys):
    numbers = {"output": "a.csv", "robot": "dog", "samples": 9, "wall_time": 1.0, "update": 1e-3, "window": 5}
    slips = [{"frame": foot, "time": time} for foot, time in (("left", 0.5), ("right", 0.6), ("left", 0.7))]
    _print_replay({**numbers, "parameters": {}, "offsets": {}, "slips": slips})
    assert capsys.readouterr().out.splitlines()[1:] == [
        "left slips at 2 updates, from 0.5 to 0.7 s",
        "right slips at 1 updates, from 0.6 to 0.6 s",
    ]
