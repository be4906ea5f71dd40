"""`screwgraph bench`: figures as a table and as JSON."""

from __future__ import annotations

import re

import pytest

import screwgraph as sg

FAST = ("--batch", "16", "--seconds", "0.001")


def test_a_table_names_robot_problems_and_machine(command):
    result = command("bench", "rr", *FAST)
    assert result.status == 0
    assert all(word in result.out for word in ("rr (2)", "inverse", "forward", "mass_matrix", "GFLOP/s", "NumPy"))


def test_json_has_every_figure(command):
    found = command("bench", "rr", "--problem", "inverse,forward_derivatives", *FAST, "--json").json
    assert [f["problem"] for f in found["measurements"]] == ["inverse", "forward_derivatives"]
    assert found["batch"] == 16
    for f in found["measurements"]:
        assert all(f[name] > 0 for name in ("operations", "compile", "cached", "call", "rows", "columns", "gigaflops"))
        assert set(f["peers"]) == {"pin", "MuJoCo"}


def test_xacro_files_take_arguments_and_packages(command, tmp_path, monkeypatch):
    pytest.importorskip("xacro")
    monkeypatch.chdir(tmp_path)
    sg.save(sg.load("rr"), "arm.urdf")
    head = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="$(arg side)_arm"><xacro:arg name="side"/>'
    (tmp_path / "arm.xacro").write_text(re.sub("<robot[^>]*>", head, (tmp_path / "arm.urdf").read_text()))
    asked = ("bench", "arm.xacro", "--problem", "inverse", *FAST)
    assert "argument 'side' has no default: the file takes side (--xacro side:=VALUE" in command(*asked).err
    assert "left_arm" in command(*asked, "--xacro", "side:=left", "--packages", ".").out


def test_pinocchio_agrees(command):
    pytest.importorskip("pinocchio")
    found = command("bench", "panda", "--base", "floating", *FAST, "--json").json
    assert all(f["velocities"] == 13 and f["peers"]["pin"]["difference"] < 1e-9 for f in found["measurements"])


def test_an_unknown_problem_is_wrong_use(refused):
    assert "inverse" in refused(2, "bench", "rr", "--problem", "inverted").err


def test_an_unknown_robot_is_one_line(refused):
    assert "rrrr" in refused(1, "bench", "rrrr", *FAST).err


def test_help_shows_an_example(command):
    assert "Example" in command("bench", "--help").out
