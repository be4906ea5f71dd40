"""The elimination DAG and the steps to it, in the colours of Xie & Dellaert (2019)."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.elimination import eliminate
from screwgraph.ui.draw import draw_steps, style
from screwgraph.ui.draw.dag import dag_scene
from screwgraph.ui.draw.elimination_steps import choose_steps, steps_scene
from screwgraph.ui.draw.graph import graph_scene
from screwgraph.ui.draw.scene import Scene
from tests.ui.draw import helpers as pictures
from tests.ui.draw.helpers import PROBLEMS, ROBOTS, graph, problem


def arrows(scene: Scene, prefix: str = "") -> list[tuple[str, str]]:
    """(from, to) of all arrows of a panel."""
    found = [(e.source, e.target) for e in scene.edges if e.arrow and e.source.startswith(prefix)]
    return [(a.removeprefix(prefix), b.removeprefix(prefix)) for a, b in found if not a.startswith("legend")]


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(3)
def test_arrows_lead_from_parents_to_the_variables_that_they_express(name: str, which: str) -> None:
    dag = problem(name, which)
    scene = pictures.scene("dag", name, which)
    assert sorted(arrows(scene)) == sorted((str(parent), str(key)) for key, parent in dag.edges)
    places = {n.name: n.at for n in graph_scene(dag.graph).nodes}
    circles = {n.name: n for n in scene.nodes if not n.name.startswith("legend")}
    assert set(circles) == {str(v.key) for v in dag.graph.unknowns}
    assert all(node.at == places[name] for name, node in circles.items())


@pytest.mark.parametrize("name", ROBOTS)
def test_arrows_begin_and_end_at_the_rims_of_their_nodes(name: str) -> None:
    scene = pictures.scene("dag", name, "mass matrix")
    at = {n.name: np.array(n.at) for n in scene.nodes}
    for edge in scene.edges:
        if not edge.source.startswith("legend"):
            assert abs(np.linalg.norm(edge.points[0] - at[edge.source]) - style.RADIUS) < 0.1
            assert abs(np.linalg.norm(edge.points[-1] - at[edge.target]) - style.RADIUS - 1) < 0.1


def test_accelerations_are_green_wrenches_blue_torques_and_joint_accelerations_orange() -> None:
    for which in PROBLEMS:
        scene = dag_scene(problem("rrr", which))
        colours = {n.name.split(":")[0]: n.colours for n in scene.nodes if not n.name.startswith("legend")}
        expected = {"acceleration": style.GREEN, "wrench": style.BLUE, "tau": style.ORANGE, "qdd": style.ORANGE}
        assert colours == {kind: expected[kind] for kind in colours}
        for edge in scene.edges:
            if not edge.source.startswith("legend"):
                assert edge.colour == expected[edge.target.split(":")[0]].line


def test_newton_euler_steps_of_the_rrr_arm_are_figures_5a_to_d() -> None:
    dag = problem("rrr", "inverse")
    assert choose_steps(dag) == [3, 4, 6, 9]
    scene = steps_scene(dag)
    efforts = [(f"wrench:link{i}", f"tau:joint{i}") for i in (1, 2, 3)]
    first = [("acceleration:link1", "wrench:link1"), ("wrench:link2", "wrench:link1")]
    assert sorted(arrows(scene, "0/")) == sorted(efforts)
    assert sorted(arrows(scene, "1/")) == sorted(efforts + first)
    assert sorted(arrows(scene, "3/")) == sorted(arrows(dag_scene(dag)))
    dots = [sum(n.name.startswith(f"{p}/factor") for n in scene.nodes) for p in range(4)]
    assert dots == [6, 5, 3, 0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
def test_each_step_shows_the_factors_that_are_left_and_their_variables(name: str, which: str) -> None:
    dag = problem(name, which)
    scene = pictures.scene("steps", name, which)
    numbers = {f.name: n for n, f in enumerate(dag.graph.factors)}
    for panel, step in enumerate(choose_steps(dag)):
        state, prefix = dag.states[step], f"{panel}/"
        left = {(f"{prefix}factor:{numbers[f]}", f"{prefix}{key}") for f, keys in state.factors for key in keys}
        assert {(e.source, e.target) for e in scene.edges if e.source.startswith(f"{prefix}factor")} == left
        gone = {str(key) for key in state.eliminated}
        white = {
            n.name.removeprefix(prefix) for n in scene.nodes if n.name.startswith(prefix) and n.colours == style.PLAIN
        }
        assert white - {d for d in white if d.startswith("factor")} == {str(v.key) for v in dag.graph.unknowns} - gone


def test_there_are_never_more_than_16_panels_unless_asked_for() -> None:
    for name in ROBOTS:
        for which in PROBLEMS:
            dag = problem(name, which)
            steps = choose_steps(dag)
            assert len(steps) <= 16
            assert steps == sorted(set(steps))
            assert steps[-1] == len(dag.order)
    every = steps_scene(problem("rr", "inverse"), range(7))
    assert len({n.name.split("/")[0] for n in every.nodes if "/" in n.name}) == 7


@pytest.mark.parametrize("which", [[], [10], [-1], [1.5], ["tau"]])
def test_steps_that_do_not_exist_are_refused(which: list) -> None:
    with pytest.raises(InputError, match="0 to 9"):
        draw_steps(problem("rrr", "inverse"), which)


def test_an_elimination_of_nothing_is_drawn_as_nothing() -> None:
    g = graph("rr").given("q", "qd", "qdd", "acceleration", "wrench", "tau")
    dag = eliminate(g.__class__(g.variables, (), g.known, g.derived), [])
    assert arrows(dag_scene(dag)) == []
    assert arrows(steps_scene(dag)) == []


def test_numbers_of_branches_have_the_names_of_their_joints_below_the_figure():
    def below(robot: sg.Robot) -> list[str]:
        model = sg.dynamics_graph(robot).given("q", "qd", "tau")
        return [text.text for text in dag_scene(eliminate(model, "aba")).texts if ": " in text.text]

    names = sg.load("a1").joint_names
    assert [text.replace("\\", "") for text in below(sg.load("a1"))] == [f"{i}: {n}" for i, n in enumerate(names, 1)]
    assert below(sg.load("rrr")) == []
