"""Help, version, and what stands around the commands."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import screwgraph
from screwgraph.ui.cli import draw, info, solve


def test_the_bare_command_prints_its_help(command):
    result = command()
    assert result.status == 0
    assert "Usage: screwgraph" in result.out
    assert all(name in result.out for name in ("info", "solve", "draw", "Example"))


def test_the_version_is_printed(command):
    assert command("--version").out == f"screwgraph {screwgraph.__version__}\n"


@pytest.mark.parametrize("name", ["info", "solve", "draw", "inverse", "estimate", "identify", "excitation"])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_each_command_helps_with_an_example(command, name, option):
    result = command(name, option)
    assert result.status == 0
    assert "Example:" in result.out
    assert f"\n    screwgraph {name} " in result.out


@pytest.mark.parametrize("text", [info.HELP, solve.HELP, draw.HELP], ids=["info", "solve", "draw"])
def test_the_examples_on_built_in_robots_work(command, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("state.json").write_text(solve.STATE_EXAMPLE)
    lines = [line.split() for line in text.splitlines() if line.strip().startswith("screwgraph ")]
    assert lines
    for words in lines:
        if not words[2].endswith(".urdf"):
            assert command(*shlex.split(" ".join(words[1:]))).status == 0


def test_a_command_that_does_not_exist_is_wrong_use(refused):
    assert "'solve'" in refused(2, "slove").err


@pytest.mark.parametrize("arguments", [("--nonsense",), ("",), ("info",), ("info", "a1", "a1"), ("solve", "a1")])
def test_incomplete_or_unknown_arguments_are_wrong_use(refused, arguments):
    assert "--help" in refused(2, *arguments).err or "extra" in refused(2, *arguments).err
