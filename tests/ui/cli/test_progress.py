"""Commands say on stderr what they do, where it is no terminal in lines."""

from __future__ import annotations

import pytest

from screwgraph.base import progress_report


def test_lines_of_piped_commands_say_what_is_done(command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_report, "PIPED_SECONDS", 0.0)
    done = command("solve", "rr", "--problem", "inverse")
    assert done.status == 0
    assert any("s] eliminating the inverse problem of rr" in line for line in done.err.splitlines())
    assert all(line.startswith("[") for line in done.err.splitlines())


def test_simulations_say_which_time_they_have_reached(command, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(progress_report, "PIPED_SECONDS", 0.0)
    done = command("simulate", "rr", "--time", 0.1, "-o", tmp_path / "motion.csv")
    assert done.status == 0
    assert "simulating: 0.1 s of 0.1 s" in done.err


def test_short_commands_say_nothing(command) -> None:
    assert command("solve", "rr", "--problem", "inverse").err == ""
