"""What long work says of itself, and who hears it."""

from __future__ import annotations

import io
import threading
import time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base import progress_report
from screwgraph.base.progress_report import ProgressReport, has_listener, report_progress
from screwgraph.compiler.backends.llvm import tiering
from screwgraph.ui import cli
from screwgraph.ui.cli.console import show_progress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_listeners_hear_what_is_said_inside_and_nothing_after():
    outer, inner = list[ProgressReport](), list[ProgressReport]()
    with sg.progress(outer.append):
        report_progress("one")
        with sg.progress(inner.append):
            report_progress("two", 0.25)
        report_progress("three")
    report_progress("four")
    assert [str(d) for d in outer] == ["one", "two (25 %)", "three"]
    assert [str(d) for d in inner] == ["two (25 %)"]
    assert not has_listener()


def test_a_listener_hears_its_own_thread_only():
    heard = list[ProgressReport]()
    with sg.progress(heard.append):
        thread = threading.Thread(target=report_progress, args=("elsewhere",))
        thread.start()
        thread.join()
    assert heard == []


def test_without_a_listener_lines_are_a_second_apart(monkeypatch, capsys):
    times = iter([0.0, 0.5, 1.5, 2.0, 2.6])
    monkeypatch.setattr(progress_report.time, "monotonic", lambda: next(times))
    with sg.progress():
        for what in ("early", "first", "soon", "second"):
            report_progress(what)
    assert capsys.readouterr().err == "[   2 s] first\n[   3 s] second\n"


def test_making_functions_and_solving_say_what_they_do():
    heard = list[str]()
    with sg.progress(lambda d: heard.append(str(d))):
        sg.forward_dynamics(sg.load("rr", gravity=(0.0, 0.0, -3.7)))([0.1, 0.2], [0.0, 0.0], [1.0, 0.0])
        sg.forward_dynamics(sg.load("rr"), ordering=sg.Search(rounds=1))
        sg.plan("acro", iterations=2)
    for part in ("trying the ordering", "searching for an ordering: cost", "iteration 1, cost"):
        assert any(part in line for line in heard), part


def test_simulations_say_which_time_they_have_reached():
    heard = list[ProgressReport]()
    robot = sg.load("rr")
    with sg.progress(heard.append):
        sg.simulate(robot, time=1.0)
        sg.rollout(robot, np.zeros((2, 2)), time=0.1, threads=2)
    said = [d for d in heard if d.what.startswith("simulating")]
    assert str(said[0]) == "simulating by rk4: t = 0 s of 1 s (0 %)"
    assert any(d.what.startswith("simulating by rk4") and 0.0 < (d.done or 0.0) < 1.0 for d in said)
    assert str(said[-1]) == "simulating 2 motions: t = 0.1 s of 0.1 s (100 %)"


def test_a_command_says_for_which_code_it_waits_at_its_end(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    shown = "storing fast code for the next call: making fast code"

    def until_shown() -> None:
        end = time.monotonic() + 60.0
        while shown not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)

    thread = tiering._Improvement(target=until_shown)
    thread.start()
    cli._wait_for_fast_code()
    assert not thread.is_alive()
    assert shown in terminal.getvalue()


@pytest.mark.parametrize("nested", [False, True])
def test_a_command_shows_what_is_said_on_a_terminal(monkeypatch, nested):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    heard = list[ProgressReport]()
    if nested:  # somebody else shows it
        with sg.progress(heard.append), show_progress("planning"):
            report_progress("iteration 3")
        assert [d.what for d in heard] == ["planning", "iteration 3"]
        assert terminal.getvalue() == ""
        return
    with show_progress("planning"):
        report_progress("iteration 3", 0.5)
    assert "planning: iteration 3 (50 %)" in terminal.getvalue()


def test_an_export_says_which_share_of_its_functions_is_listed(tmp_path):
    robot, heard = sg.load("rr"), list[ProgressReport]()
    functions = {
        "mass": sg.mass_matrix(robot),
        "energy": sg.potential_energy(robot),
        "tip": sg.forward_kinematics(robot),
    }
    with sg.progress(heard.append):
        sg.export_library(functions, tmp_path / "arm", prefix="arm")
    listed = [report.done for report in heard if report.what.startswith("listing ")]
    assert listed == pytest.approx([0.0, 1.0 / 3.0, 2.0 / 3.0])


def test_code_of_a_step_with_contacts_is_made_before_time_passes(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")
    heard: list[str] = []
    with sg.progress(lambda d: heard.append(str(d))):
        sg.simulate(sg.load("rr"), time=0.05, contacts=[sg.Contact("tool")])
    begins, ends = (
        heard.index(f"simulating by semi_implicit: t = {t}")
        for t in ("0 s of 0.05 s (0 %)", "0.05 s of 0.05 s (100 %)")
    )
    assert "writing a step with 1 contact" in heard[:begins]
    assert ends == begins + 1
