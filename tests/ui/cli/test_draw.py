"""`screwgraph draw`: a file of the kind that was asked for, or one clear line."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import screwgraph as sg
from screwgraph.ui.draw import FIGURES, OVER_TIME


@pytest.mark.sampled(6)
@pytest.mark.parametrize("what", list(FIGURES))
@pytest.mark.parametrize("problem", [("inverse",), ("forward",), ("hybrid", "--accelerations", "joint1")])
def test_figures_are_drawn_as_svg(command, tmp_path, what, problem):
    path = tmp_path / "a picture.svg"
    result = command("draw", "rr", "--problem", *problem, "--what", what, "-o", path)
    assert (result.status, result.err) == (0, "")
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    order = "rnea" if problem[0] == "inverse" else "aba"
    assert result.out == f"{path}: {what} of rr, {problem[0]} dynamics, ordering {order}\n"


@pytest.mark.parametrize("what", list(OVER_TIME))
@pytest.mark.parametrize("problem", ["inverse", "forward"])
@pytest.mark.sampled(3)
def test_motions_over_time_are_drawn_as_svg(command, tmp_path, what, problem):
    path = tmp_path / "time.svg"
    result = command("draw", "five_bar", "--problem", problem, "--what", what, "-o", path)
    assert result.out == f"{path}: {what} of five_bar, {problem} dynamics, spanning coordinates, three instants\n"
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_a_robot_over_time_has_no_independent_coordinates(refused, tmp_path):
    options = ("--what", "network", "--coordinates", "independent", "-o", tmp_path / "x.svg")
    assert "no independent coordinates" in refused(1, "draw", "rr", "--problem", "forward", *options).err


def test_figures_are_drawn_as_png(command, tmp_path):
    path = tmp_path / "GRAPH.PNG"
    assert command("draw", "rr", "--problem", "forward", "--what", "graph", "--output", path).status == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_an_algorithm_is_written_as_latex_html_and_text(command, tmp_path):
    dag = sg.forward_dynamics(sg.load("rr"), ordering="aba").dag
    for suffix, form in ((".tex", "latex"), (".html", "html"), (".txt", "text")):
        path = tmp_path / f"aba{suffix}"
        assert command("draw", "rr", "--problem", "forward", "--what", "algorithm", "-o", path).status == 0
        assert path.read_text(encoding="utf-8").endswith(f"{dag.algorithm(form)}\n")


def test_the_order_can_be_chosen(command, tmp_path):
    files = {name: tmp_path / f"{name}.svg" for name in ("aba", "crba")}
    for name, path in files.items():
        result = command("draw", "rrr", "--problem", "forward", "--ordering", name, "--what", "dag", "-o", path)
        assert f"ordering {name}" in result.out
    assert files["aba"].read_bytes() != files["crba"].read_bytes()


def test_knowns_are_drawn_on_request(command, tmp_path):
    hidden, shown = tmp_path / "hidden.svg", tmp_path / "shown.svg"
    options = ("draw", "rrr", "--problem", "inverse", "--what", "graph")
    command(*options, "-o", hidden)
    assert command(*options, "--knowns", "-o", shown).status == 0
    assert len(shown.read_text()) > len(hidden.read_text())


def test_the_graph_is_exported_as_text(command, tmp_path):
    options = ("draw", "rrr", "--problem", "forward", "--what", "graph", "-o")
    assert command(*options, tmp_path / "g.json").status == 0
    assert command(*options, tmp_path / "g.dot").status == 0
    unknowns = {str(v.key) for v in sg.forward_dynamics(sg.load("rrr")).dag.graph.unknowns}
    roles = {v["key"]: v["role"] for v in json.loads((tmp_path / "g.json").read_text())["variables"]}
    assert {key for key, role in roles.items() if role == "unknown"} == unknowns
    assert all(f'"{key}"' in (tmp_path / "g.dot").read_text() for key in unknowns)


@pytest.mark.parametrize(
    "options",
    [
        ("--what", "dag"),
        ("--what", "dog", "-o", "x.svg"),
        ("--what", "dag", "-o", "x.gif"),
        ("--what", "dag", "-o", "x"),
        ("--what", "dag", "-o", "x.dot"),
        ("--what", "dag", "-o", "x.svg", "--knowns"),
        ("--what", "graph", "-o", "x.dot", "--knowns"),
        ("--what", "dag", "-o", "x.svg", "--ordering", "rnae"),
        ("--what", "dag", "-o", "x.svg", "--accelerations", "joint1"),
    ],
)
def test_options_that_make_no_sense_are_wrong_use(refused, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused(2, "draw", "rrr", "--problem", "inverse", *options).err.startswith("screwgraph draw: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["svg", "png", "dot", "json"])
def test_an_output_that_cannot_be_written_is_one_line(refused, tmp_path, suffix):
    folder = tmp_path / f"folder.{suffix}"
    folder.mkdir()
    for path in (tmp_path / "missing" / f"x.{suffix}", folder):
        assert str(path) in refused(1, "draw", "rr", "--problem", "inverse", "--what", "graph", "-o", path).err


def test_a_robot_without_joints_is_drawn(command, tmp_path):
    options = ("--lock", "joint1,joint2", "--problem", "inverse", "--what", "graph", "-o", tmp_path / "x.svg")
    assert command("draw", "rr", *options).status == 0
    assert (tmp_path / "x.svg").stat().st_size


def test_inverse_dynamics_of_a_mechanism_without_motors_is_refused_by_name(refused, tmp_path):
    said = refused(1, "draw", "four_bar", "--problem", "inverse", "--what", "graph", "-o", tmp_path / "x.svg").err
    assert said.startswith("mechanism 'four_bar' has no motors (add motors:")
