"""The node of docs/howto/ros2.md is C++ that a compiler accepts; ROS itself is not here, its classes are declared."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import screwgraph as sg
from tests.docs.pages import ROOT, blocks

STAND_IN = Path(__file__).parent / "ros_stand_in"


def test_the_node_is_accepted_by_a_compiler(tmp_path):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    page = blocks(ROOT / "docs" / "howto" / "ros2.md")
    for block in page:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    code = tmp_path / "code"
    code.mkdir()
    sg.export_library({"inverse": sg.inverse_dynamics(sg.load("puma560"))}, code, prefix="puma560")
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{STAND_IN}", "node.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_names_of_the_node_are_those_of_the_model():
    (node,) = (block.text for block in blocks(ROOT / "docs" / "howto" / "ros2.md") if block.file == "node.cpp")
    assert ", ".join(f'"{name}"' for name in sg.load("puma560").joint_names) in node
