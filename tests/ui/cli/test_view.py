"""`screwgraph view`, as a user runs it."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.cli import view


@pytest.fixture
def motion(command, tmp_path):
    """A motion of a closed chain."""
    path = tmp_path / "a motion.npz"
    assert command("simulate", "five_bar", "--time", "0.5", "--dt", "1e-2", "-o", path).status == 0
    return path


def scene(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)[1])


def test_a_motion_becomes_a_page(command, motion, tmp_path):
    output = tmp_path / "a page.html"
    result = command("view", motion, "-o", output)
    assert (result.status, result.err) == (0, "")
    assert result.out == f"{output}: five_bar, 5 bodies, 16 states\n"
    bodies = scene(output.read_text())["bodies"]
    assert [body["name"] for body in bodies] == ["base", "link1", "link3", "link2", "link4"]


def test_a_mechanisms_motion_becomes_a_page_with_the_figures_that_were_set(command, tmp_path):
    run = sg.simulate(sg.load_mechanism("four_bar", {"L": 1.1}), time=0.1, dt=0.01)
    run.save(tmp_path / "run.npz")
    assert "four_bar, 3 bodies, 4 states" in command("view", tmp_path / "run.npz", "-o", tmp_path / "x.html").out
    crank = next(b for b in scene((tmp_path / "x.html").read_text())["bodies"] if b["name"] == "crank")
    assert np.linalg.norm(crank["parts"][0]["matrix"][8:11]) == pytest.approx(1.1)
    assert "four_bar, 3 bodies, 1 state" in command("view", "four_bar", "-o", tmp_path / "y.html").out


def test_more_states_a_second_are_kept_on_demand(command, motion, tmp_path):
    result = command("view", motion, "--rate", "100", "-o", tmp_path / "x.html")
    assert "51 states" in result.out


def test_a_robot_becomes_a_page_that_stands_still(command, tmp_path):
    assert "14 bodies, 1 state" in command("view", "a1", "--base", "floating", "-o", tmp_path / "x.html").out


def test_the_examples_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line.strip() for line in view.HELP.splitlines() if line.strip().startswith("screwgraph ")]
    for line in (line for line in lines if " -o " in line):
        assert command(*shlex.split(line)[1:]).status == 0
    assert (tmp_path / "rrr.html").exists()
    assert "Example:" in command("view", "--help").out


def test_what_cannot_be_done_is_wrong_use(refused, motion, tmp_path):
    assert "no page has the suffix '.png'" in refused(2, "view", "rr", "-o", tmp_path / "x.png").err
    assert "there is no folder" in refused(2, "view", "rr", "-o", tmp_path / "no" / "x.html").err
    for target in (motion, "four_bar"):
        assert "--base goes with robots" in refused(2, "view", target, "--base", "floating").err


DAMAGE = {
    "none": (None, "No such file"),
    "noise": (b"PK\x03\x04 and then nothing", "this is not an .npz file, or it is damaged"),
    "empty": (b"", "this is not an .npz file, or it is damaged"),
    "one array": (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }".ljust(127) + b"\n",
        "a single array",
    ),
    "pickle": (b"\x80\x04K\x01.", "this is not an .npz file, or it is damaged"),
}


@pytest.mark.parametrize(("data", "complaint"), DAMAGE.values(), ids=DAMAGE)
def test_files_that_hold_no_motion_are_refused(refused, tmp_path, data, complaint):
    path = tmp_path / "x.npz"
    if data is not None:
        path.write_bytes(data)
    line = refused(1, "view", path, "-o", tmp_path / "x.html").err
    assert line.startswith(str(path))
    assert complaint in line


CHANGES = {
    "no robot": (lambda a: a.pop("robot"), "there is no robot in the file"),
    "an unnamed robot": (lambda a: a.update(robot=np.array("")), "does not say which robot moves"),
    "another robot": (lambda a: a.update(q=a["q"][:, 1:]), "q (51, 3): expected (N,) and (N, 4)"),
    "NaN": (lambda a: a.update(q=a["q"] * np.nan), "not finite"),
    "words": (lambda a: a.update(t=np.array(["a"] * 51)), "t has the shape (51,)"),
    "no mechanism's file": (lambda a: a.update(mechanism=np.array("")), "does not say which mechanism moves"),
    "a mechanism's broken values": (
        lambda a: a.update(mechanism=np.array("points: []"), values=np.array("[1]")),
        "values are damaged",
    ),
    "a broken robot": (lambda a: a.update(robot=np.array("bodies: [{link: a, mass: -1}]")), "a mass is not negative"),
}


@pytest.mark.parametrize(("change", "complaint"), CHANGES.values(), ids=CHANGES)
def test_motions_that_do_not_fit_are_refused(refused, motion, tmp_path, change, complaint):
    with np.load(motion) as arrays:
        content = dict(arrays)
    change(content)
    np.savez(motion, **content)
    assert complaint in refused(1, "view", motion, "-o", tmp_path / "x.html").err
