"""Labels lie inside their nodes and on nothing else; edges keep clear of nodes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.scene import Node, Scene
from screwgraph.ui.draw.style import MARGIN
from tests.ui.draw import helpers as pictures
from tests.ui.draw.helpers import (
    PROBLEMS,
    ROBOTS,
    SCENES,
    Box,
    rendered_text_boxes,
    runs_over,
    scenes,
    text_boxes,
)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", ROBOTS)
def test_labels_overlap_neither_one_another_nor_other_nodes(name: str) -> None:
    for kind, scene in scenes(name).items():
        boxes = text_boxes(scene)
        left, top, right, bottom = scene.bounds
        centres = np.array([n.at for n in scene.nodes]).reshape(-1, 2)
        owners = [i for i, node in enumerate(scene.nodes) if node.text]
        for i, box in enumerate(boxes):
            beyond = max(left - box[0], top - box[1], box[2] - right, box[3] - bottom)
            assert beyond < MARGIN, (kind, texts(scene)[i], "leaves the page")
            if i < len(owners):
                assert inside(box, centres[owners[i]], scene.nodes[owners[i]]), (kind, scene.nodes[owners[i]].text)
        for a, b in touching(boxes):
            raise AssertionError((kind, "two texts overlap", texts(scene)[a], texts(scene)[b]))
        radii = np.array([node.radius for node in scene.nodes])
        for i, box in enumerate(boxes):
            struck = distances(box, centres) < radii
            others = [n for n in np.flatnonzero(struck) if i >= len(owners) or owners[i] != n]
            assert not others, (kind, texts(scene)[i], scene.nodes[others[0]].name)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(8)
def test_nodes_do_not_overlap(name: str) -> None:
    for kind, scene in scenes(name).items():
        ordered = sorted(scene.nodes, key=lambda n: n.at[0])
        for i, a in enumerate(ordered):
            for b in ordered[i + 1 :]:
                if b.at[0] - a.at[0] > 30:
                    break
                assert math.dist(a.at, b.at) > a.radius + b.radius + 1, (kind, a.name, b.name)


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(4)
def test_no_edge_runs_over_a_node(name: str, which: str) -> None:
    kinds = ("graph", "dag", "full graph", "known") if which == "inverse" else ("graph", "dag")
    for kind in kinds:
        assert runs_over(pictures.scene(kind, name, which)) == [], kind


@pytest.mark.parametrize("name", ["rrr", "puma560"])
def test_factor_graphs_of_arms_have_straight_edges_only(name: str) -> None:
    for kind in ("graph", "full graph", "known"):
        assert all(len(edge.points) == 2 for edge in pictures.scene(kind, name, "inverse").edges), kind


@pytest.mark.parametrize("name", ROBOTS)
def test_boxes_of_the_clique_tree_do_not_overlap(name: str) -> None:
    for which in PROBLEMS:
        for a, b in combinations(pictures.scene("cliques", name, which).boxes, 2):
            apart = abs(a.at[0] + a.width / 2 - b.at[0] - b.width / 2) >= (a.width + b.width) / 2
            assert apart or a.at[1] != b.at[1] or a.name == b.name, (which, a.name, b.name)
            assert apart or a.at[1] + a.height < b.at[1] or b.at[1] + b.height < a.at[1], (which, a.name, b.name)


@pytest.mark.parametrize("kind", SCENES)
def test_texts_are_rendered_where_the_scene_has_them(kind: str) -> None:
    scene = pictures.scene(kind, "rrr", "inverse")
    left, top, _, _ = scene.bounds
    expected = np.array(text_boxes(scene)) - np.array([left, top, left, top]) + MARGIN
    np.testing.assert_allclose(rendered_text_boxes(render(scene)), expected, atol=1.0)


def texts(scene: Scene) -> list[str]:
    return [node.text for node in scene.nodes if node.text] + [text.text for text in scene.texts if text.text]


def inside(box: Box, centre: np.ndarray, node: Node) -> bool:
    """Whether a text lies in its circle (its corners are empty enough to be let off) or square."""
    half = max(box[2] - box[0], box[3] - box[1]) / 2
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return half <= node.radius - 1 and math.dist(middle, centre) < 2


def touching(boxes: list[Box]) -> list[tuple[int, int]]:
    ordered = sorted(enumerate(boxes), key=lambda item: item[1][0])
    found = []
    for n, (i, a) in enumerate(ordered):
        for j, b in ordered[n + 1 :]:
            if b[0] >= a[2]:
                break
            if b[1] < a[3] and a[1] < b[3]:
                found.append((i, j))
    return found


def distances(box: Box, points: np.ndarray) -> np.ndarray:
    low, high = np.array(box[:2]), np.array(box[2:])
    return np.linalg.norm(np.maximum(0, np.maximum(low - points, points - high)), axis=1)
