"""Links of planar mechanisms, and the clusters that loops make of them."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import cluster_joints, dynamics_graph, planar_links
from screwgraph.graph.planar_links import GROUND, PlanarLinks, links_of
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.parts import Body, Point

PENDULUM_ON_A_COUPLER = """
name: two
points:
  - {name: A, x: 0, y: 0, fixed: true}
  - {name: P1, x: 1, y: 0}
  - {name: P2, x: 1, y: 2}
  - {name: D, x: 4, y: 0, fixed: true}
  - {name: bob, x: 1.5, y: -1}
bodies:
  - {name: crank, points: [A, P1], length: auto, mass: 1, I0: 5, cog: [0.5, 0]}
  - {name: coupler, points: [P1, P2], length: auto, mass: 1, I0: 5, cog: [0.5, 0]}
  - {name: rocker, points: [P2, D], length: auto, mass: 1, I0: 5, cog: [0.5, 0]}
  - {name: rod, points: [P1, bob], length: auto, mass: 1, I0: 5, cog: [0.5, 0]}
"""


def clusters_of(links: PlanarLinks) -> list[set[str]]:
    return [{joint.child for joint in found.joints} for found in cluster_joints(links.joints, links.ties)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("double_pendulum", [{"upper"}, {"lower"}]),
        ("four_bar_angle", [{"crank", "coupler", "rocker"}]),
        ("slider_crank", [{"crank", "rod"}]),
        ("gear_train", [{"pinion", "idler", "wheel"}]),
        (PENDULUM_ON_A_COUPLER, [{"crank", "coupler", "rocker"}, {"rod"}]),
    ],
    ids=["double_pendulum", "four_bar_angle", "slider_crank", "gear_train", "pendulum on a coupler"],
)
def test_bodies_in_one_loop_are_one_cluster(source, expected):
    links = planar_links(dynamics_graph(sg.load_mechanism(source)))
    assert links is not None
    assert clusters_of(links) == expected


def test_graphs_of_robots_have_no_planar_links():
    assert planar_links(dynamics_graph(sg.load("rr"))) is None


@pytest.mark.parametrize("seed", range(20))
def test_clusters_of_any_pinned_bodies_are_those_of_common_cycles(seed):
    """Two joints are of one cluster where a chain of cycles, each sharing a joint with the next, leads between them."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    names = [f"body{i}" for i in range(count)]
    pins = [(int(rng.integers(-1, i)), i) for i in range(count)]
    pins += [tuple(rng.choice(np.arange(-1, count), 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 4)))]
    points = tuple(Point(f"p{k}", 0.0, 0.0, fixed=-1 in ends) for k, ends in enumerate(pins))
    through = [tuple(k for k, ends in enumerate(pins) if i in ends) for i in range(count)]
    bodies = tuple(Body(name, own, ()) for name, own in zip(names, through, strict=True))
    links = links_of(Mechanism("random", points, bodies))
    blocks = _blocks(pins)
    found = [{int(joint.name[1:]) for joint in c.joints} for c in cluster_joints(links.joints, links.ties)]
    assert {joint.child for joint in links.joints} == {*names}
    closing = {int(key.name[1:]) for key in links.ties}
    assert sorted(map(sorted, found)) == sorted(sorted(block - closing) for block in blocks)
    assert all(joint.parent in {GROUND, *names} for joint in links.joints)


def _blocks(pins: list[tuple[int, int]]) -> list[set[int]]:
    """Return the pins that share cycles, by all simple cycles of the graph of bodies (the ground is -1)."""
    blocks = [{k} for k in range(len(pins))]

    def walk(start: int, at: int, used: list[int], seen: set[int]) -> None:
        for k, (a, b) in enumerate(pins):
            if k in used or at not in (a, b):
                continue
            ahead = b if at == a else a
            if ahead == start:
                merged = set[int]().union(*(block for block in blocks if block & {*used, k}))
                blocks[:] = [*(block for block in blocks if not block & merged), merged]
            elif ahead not in seen:
                walk(start, ahead, [*used, k], seen | {ahead})

    for k, (a, b) in enumerate(pins):
        walk(a, b, [k], {a, b})
    return blocks
