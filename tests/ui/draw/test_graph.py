"""The factor graph shows every unknown, factor and edge, in the arrangement of Xie & Dellaert (2019)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.graph import Factor, FactorGraph, Key, dynamics_graph, factor, vector_variable
from screwgraph.ui.draw import draw_graph
from screwgraph.ui.draw.graph import graph_scene
from screwgraph.ui.draw.math_labels import make_labels
from screwgraph.ui.draw.scene import Node, Scene
from tests.ui.draw.helpers import PROBLEMS, ROBOTS, graph, problem, robot, runs_over


def nodes(scene: Scene, shape: str) -> list[Node]:
    return [n for n in scene.nodes if n.shape == shape and not n.name.startswith("legend")]


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(4)
def test_every_unknown_factor_and_edge_is_drawn(name: str, which: str) -> None:
    g = problem(name, which).graph
    scene = graph_scene(g)
    assert [n.name for n in nodes(scene, "circle")] == [str(v.key) for v in g.unknowns]
    assert len(nodes(scene, "dot")) == len(g.factors)
    drawn = sorted((int(e.source.removeprefix("factor:")), e.target) for e in scene.edges)
    assert drawn == sorted((n, str(k)) for n, f in enumerate(g.factors) for k in g.unknown_keys(f))


@pytest.mark.parametrize("name", ROBOTS)
def test_squares_are_the_known_variables_that_factors_touch(name: str) -> None:
    g = problem(name, "forward").graph
    scene = graph_scene(g, known="square", gravity=True)
    touched = {str(key) for f in g.factors for key in f.keys}
    assert {n.name for n in nodes(scene, "square")} == touched & {str(k) for k in g.known}
    assert {n.name for n in nodes(scene, "circle")} == {str(v.key) for v in g.unknowns}
    assert len(scene.edges) == sum(len(f.keys) for f in g.factors)


def test_the_whole_graph_of_the_rrr_arm_has_the_variables_of_figure_1() -> None:
    scene = graph_scene(graph("rrr"))
    kinds = [n.name.split(":")[0] for n in nodes(scene, "circle")]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "twist": 4, "acceleration": 4, "wrench": 3, "q": 3, "qd": 3, "qdd": 3, "tau": 3,
    }  # fmt: skip
    assert len(nodes(scene, "dot")) == 2 + 4 * 3
    assert len(graph_scene(graph("rrr"), gravity=True).nodes) == len(scene.nodes) + 4 + 4


def test_the_inverse_problem_of_the_rrr_arm_looks_like_figure_4a() -> None:
    at = {n.name: n.at for n in graph_scene(problem("rrr", "inverse").graph).nodes}
    accelerations, wrenches, efforts = (
        [at[f"{kind}:{body}{i}"] for i in (1, 2, 3)]
        for kind, body in (("acceleration", "link"), ("wrench", "link"), ("tau", "joint"))
    )
    for row in (accelerations, wrenches, efforts):
        assert len({y for _, y in row}) == 1
        assert all(a[0] < b[0] for a, b in pairwise(row))
    assert accelerations[0][1] < wrenches[0][1] < efforts[0][1]
    for F, tau, Vdot in zip(wrenches, efforts, accelerations, strict=True):
        assert F[0] == tau[0] < Vdot[0]


def test_legs_of_the_quadruped_are_bands_below_one_another_in_the_same_columns() -> None:
    g = problem("a1 floating", "forward").graph
    at = {n.name: n.at for n in graph_scene(g).nodes}
    legs: dict[int, list[tuple[float, float]]] = {}
    for v in g.unknowns:
        if v.index >= 2:
            legs.setdefault((v.index - 2) // 3, []).append(at[str(v.key)])
    bands = [np.array(points) for points in legs.values()]
    assert len(bands) == 4
    for above, below in pairwise(bands):
        assert above[:, 1].max() < below[:, 1].min()
        np.testing.assert_allclose(above[:, 0], below[:, 0])
    trunk = at["acceleration:trunk"]
    assert trunk[0] < min(band[:, 0].min() for band in bands)
    assert bands[1][:, 1].max() > trunk[1] > bands[1][:, 1].min() or bands[2][:, 1].min() > trunk[1]


def test_rows_that_no_unknown_needs_take_no_room() -> None:
    def height(which: str) -> float:
        ys = [n.at[1] for n in nodes(graph_scene(problem("rrr", which).graph), "circle")]
        return max(ys) - min(ys)

    hybrid = graph("rrr").given("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
    ys = [n.at[1] for n in nodes(graph_scene(hybrid), "circle")]
    assert height("inverse") == height("forward") < max(ys) - min(ys)


def test_external_wrenches_on_one_link_stand_side_by_side_with_labels_of_their_own() -> None:
    g = dynamics_graph(robot("puma560"), external_wrenches=["link3", "link6"])
    g = g.with_variables(vector_variable("external_wrenches", "tool", 6, 6, None))
    scene = graph_scene(g)
    wrenches = {n.text: n.at for n in scene.nodes if n.name.startswith("external_wrenches")}
    assert set(wrenches) == {r"$W_{3}$", r"$W_{6\mathrm{a}}$", r"$W_{6\mathrm{b}}$"}
    first, second = wrenches[r"$W_{6\mathrm{a}}$"], wrenches[r"$W_{6\mathrm{b}}$"]
    assert first[1] == second[1]
    assert second[0] - first[0] > 26
    assert runs_over(scene) == []


def test_variables_and_factors_that_the_papers_do_not_know_are_drawn_too() -> None:
    @factor(linear=("a", "b"), cites="made up")
    def tie(a, b):
        return a - b

    g = graph("rrr").with_variables(
        vector_variable("slack $x_", "s", 1, 3, 2), vector_variable("time", "t", 1, 40, None)
    )
    s = Key("slack $x_", "s")
    g = g.with_factors(Factor(tie, {"a": s, "b": Key("tau", "joint3")}, 1, 3), Factor(tie, {"a": s, "b": s}, 1, 99))
    scene = graph_scene(g)
    assert runs_over(scene) == []
    assert {str(s), "time:t"} < {n.name for n in scene.nodes}
    assert make_labels(g.variables.values())[s] == r"$\mathrm{sla}_{3}$"
    assert draw_graph(g) is not None


def test_a_graph_without_anything_is_an_empty_picture() -> None:
    assert graph_scene(FactorGraph({}, ())).nodes == ()
    assert draw_graph(FactorGraph({}, ())).get_size_inches().min() > 0


def test_known_must_be_hidden_or_square() -> None:
    with pytest.raises(InputError, match=r"known='round': .*\(\"hide\" or \"square\"\)"):
        draw_graph(graph("rr"), known="round")  # type: ignore[arg-type]
