"""Objects in notebooks: tables, pictures and animations that a browser shows, and tables alone where drawing fails."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base import html_display
from screwgraph.ui import draw
from screwgraph.ui.notebook import SHOWN
from screwgraph.ui.notebook.html_elements import MOST_ROWS, make_table
from screwgraph.ui.notebook.robots import tree
from tests.ui.view.browser import opened

SUBJECTS = ("robot", "closed robot", "mechanism", "function", "graph", "dag", "motion", "mechanism's motion", "plan")
EMPTY = {"br", "img", "meta", "hr"}


class Balanced(HTMLParser):
    """Fails where an element is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def subjects() -> dict[str, object]:
    robot, mechanism = sg.load("rr"), sg.load_mechanism("four_bar")
    forward = sg.forward_dynamics(robot, ordering="aba")
    t = np.linspace(0.0, 1.0, 11)
    moving = sg.Trajectory(robot, "rk4", t, *(np.outer(t, [1.0, -1.0]) for _ in range(4)))
    found = (robot, sg.load("five_bar"), mechanism, forward, forward.dag.graph, forward.dag, moving)
    at_rest = sg.simulate(mechanism, time=0.05)
    return dict(zip(SUBJECTS, (*found, at_rest, sg.plan("cp2")), strict=True))


def test_variables_of_graphs_are_counted():
    graph = sg.dynamics_graph(sg.load("rr")).given("q", "qd", "tau")
    rows = re.findall(r"<tr>(.*?)</tr>", graph._repr_html_())
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]
    assert ["tau", "known", "2", "2"] in cells
    assert ["qdd", "unknown", "2", "2"] in cells


def test_joints_are_shown_with_their_limits():
    panda = sg.load("panda")
    page = panda._repr_html_()
    assert "-2.8973 .. 2.8973 rad" in page
    assert "87 N m" in page
    assert sg.load("rr")._repr_html_().count(" .. ") == 0


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_object_has_tables_and_its_text_stays_one_line(subjects, subject):
    page = subjects[subject]._repr_html_()
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    assert "<table" in page
    assert "not drawn" not in page
    assert "\n" not in repr(subjects[subject])


@pytest.mark.parametrize("name", ["graph", "dag"])
def test_graphs_and_eliminations_are_svg_too(subjects, name):
    root = ElementTree.fromstring(subjects[name]._repr_svg_())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_browser_shows_them_all_and_asks_for_nothing(subjects, tmp_path):
    body = "\n<hr>\n".join(subjects[name]._repr_html_() for name in SUBJECTS)
    path = tmp_path / "cells.html"
    path.write_text(f'<!doctype html><meta charset="utf-8">{body}', encoding="utf-8")
    with opened(path) as page:
        sizes = page.value("[...document.images].map((image) => image.naturalWidth)")
        assert page.value("document.querySelectorAll('iframe').length") == 4
        assert page.value("document.querySelectorAll('table').length") > len(SUBJECTS)
        assert {address.partition(":")[0] for address in page.requests} <= {"file", "data", "about"}
        assert page.complaints == []
    assert len(sizes) == 5
    assert min(sizes) > 100


def test_where_drawing_fails_the_tables_stay(subjects, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no screen\nat all")

    monkeypatch.setattr(draw, "draw_dag", fails)
    page = subjects["dag"]._repr_html_()
    assert "<table" in page
    assert "not drawn: no screen at all" in page
    assert subjects["dag"]._repr_svg_() is None


def test_where_nothing_can_be_said_the_text_is_shown(monkeypatch):
    robot = sg.load("rr")
    monkeypatch.setattr("screwgraph.ui.notebook.robots.tables", None)
    assert robot._repr_html_() is None
    assert html_display.html(object()) is None


def test_large_graphs_are_tables_only():
    one = sg.dynamics_graph(sg.load("a1", base="floating")).given("q", "qd", "tau")
    graph = one.with_variables(*(sg.Variable(sg.Key("force", f"f{i}"), 1) for i in range(200)))
    assert graph._repr_svg_() is None
    assert "<img" not in graph._repr_html_()


def test_the_tree_of_a_robot_hangs_children_under_their_parents():
    lines = tree(sg.load("a1"))
    assert len(lines) == len(sg.load("a1").links)
    assert lines[1].startswith("├─ ")
    assert any(line.startswith("│  └─ ") for line in lines)


def test_long_tables_say_what_they_leave_out():
    rows = [(i, "x < y") for i in range(MOST_ROWS + 5)]
    assert make_table(("n", "what"), rows).count("<tr>") == MOST_ROWS + 1
    assert "and 5 more" in make_table(("n", "what"), rows)
    assert "x &lt; y" in make_table(("n", "what"), rows)
    assert make_table(("n",), []) == ""


def test_an_identification_shows_combinations_and_residuals():
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    q, qd, qdd = rng.standard_normal((3, 200, 2))
    tau = sg.inverse_dynamics(robot)(q, qd, qdd) + 0.1 * rng.standard_normal((200, 2))
    shown = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})._repr_html_()
    assert "6 combinations of 20 parameters" in shown
    assert "link1.Izz + link2.m" in shown
    assert "<img" in shown


def test_every_class_of_the_list_asks_for_it():
    from screwgraph.motion.estimation import Estimate
    from screwgraph.motion.identification import Identified

    classes = (
        sg.Robot,
        sg.Mechanism,
        sg.Function,
        sg.FactorGraph,
        sg.Dag,
        sg.Trajectory,
        sg.Plan,
        Estimate,
        Identified,
    )
    assert {kind.__name__ for kind in classes} == set(SHOWN)
    assert all(kind._repr_html_ is html_display.html for kind in classes)


def test_importing_and_loading_draws_nothing():
    code = "import sys, screwgraph as sg; sg.load('rr'); "
    drawing = ("matplotlib", "screwgraph.ui.notebook", "screwgraph.ui.draw")
    code += f"print([m for m in sys.modules if m.startswith({drawing})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
