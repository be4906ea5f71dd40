"""What long work says of itself, and who hears it."""

from __future__ import annotations

import io
import threading
import time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph import cli, doing
from screwgraph.cli.streams import working
from screwgraph.compiler.backends.llvm import draft
from screwgraph.doing import Doing, is_heard, say


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_listeners_hear_what_is_said_inside_and_nothing_after():
    outer, inner = list[Doing](), list[Doing]()
    with sg.progress(outer.append):
        say("one")
        with sg.progress(inner.append):
            say("two", 0.25)
        say("three")
    say("four")
    assert [str(d) for d in outer] == ["one", "two (25 %)", "three"]
    assert [str(d) for d in inner] == ["two (25 %)"]
    assert not is_heard()


def test_a_listener_hears_its_own_thread_only():
    heard = list[Doing]()
    with sg.progress(heard.append):
        thread = threading.Thread(target=say, args=("elsewhere",))
        thread.start()
        thread.join()
    assert heard == []


def test_without_a_listener_lines_are_a_second_apart(monkeypatch, capsys):
    times = iter([0.0, 0.5, 1.5, 2.0, 2.6])
    monkeypatch.setattr(doing.time, "monotonic", lambda: next(times))
    with sg.progress():
        for what in ("early", "first", "soon", "second"):
            say(what)
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
    heard = list[Doing]()
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

    thread = draft._Improvement(target=until_shown)
    thread.start()
    cli._wait_for_fast_code()
    assert not thread.is_alive()
    assert shown in terminal.getvalue()


@pytest.mark.parametrize("nested", [False, True])
def test_a_command_shows_what_is_said_on_a_terminal(monkeypatch, nested):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    heard = list[Doing]()
    if nested:  # somebody else shows it
        with sg.progress(heard.append), working("planning"):
            say("iteration 3")
        assert [d.what for d in heard] == ["planning", "iteration 3"]
        assert terminal.getvalue() == ""
        return
    with working("planning"):
        say("iteration 3", 0.5)
    assert "planning: iteration 3 (50 %)" in terminal.getvalue()
