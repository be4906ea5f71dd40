"""The clique tree."""

from __future__ import annotations

import pytest

from screwgraph.ui.draw.cliques import cliques_scene
from screwgraph.ui.draw.math_labels import make_labels
from screwgraph.ui.draw.scene import Box, Scene, Text
from tests.ui.draw import helpers as pictures
from tests.ui.draw.helpers import PROBLEMS, ROBOTS, problem


def inside(scene: Scene, box: Box) -> list[Text]:
    (x, y) = box.at
    return [t for t in scene.texts if x < t.at[0] < x + box.width and y < t.at[1] < y + box.height]


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
def test_each_clique_is_a_box_under_its_parent(name: str, which: str) -> None:
    dag = problem(name, which)
    scene = pictures.scene("cliques", name, which)
    names = make_labels(dag.graph.variables.values())
    assert len(scene.boxes) == len(dag.cliques.cliques)
    edges = {(e.source, e.target) for e in scene.edges}
    for n, (clique, box) in enumerate(zip(dag.cliques.cliques, scene.boxes, strict=True)):
        words = [names[k] for k in clique.frontals]
        words += [":", *(names[k] for k in clique.separator)] if clique.separator else []
        assert [t.text for t in inside(scene, box)] == words
        if clique.parent is None:
            assert box.at[1] == 0
        else:
            assert (f"clique:{clique.parent}", f"clique:{n}") in edges
            assert box.at[1] > scene.boxes[clique.parent].at[1] + scene.boxes[clique.parent].height
    assert len(edges) == sum(c.parent is not None for c in dag.cliques.cliques)


def test_the_title_gives_the_width() -> None:
    dag = problem("rrr", "inverse")
    words = [t.text for t in cliques_scene(dag).texts]
    assert f"clique tree of width {dag.cliques.width} ({dag.cliques.block_width} variables)" in words
