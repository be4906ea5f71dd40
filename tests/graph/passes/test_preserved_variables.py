"""Variables of links keep their meaning, whatever passes make of the links."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import closed_states

KINDS = ("twist", "acceleration", "wrench", "gravity")


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")


@pytest.mark.sampled(15)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["rrr", "cart_pole", "five_bar", "belt_leg"])
def test_outputs_of_links_are_those_of_the_graph_as_it_stands(name, kind):
    robot, rng = sg.load(name), np.random.default_rng(2)
    (q,) = closed_states(robot, 1, seed=5)
    qd, tau = rng.normal(size=(2, robot.nv))
    if robot.is_closed:
        qd = robot.complete_velocity(q, qd[: robot.mobility.freedom])
    graph = sg.dynamics_graph(robot).given("q", "qd", "tau")
    for link in (robot.joints[0].child, robot.joints[-1].child):
        asked = ("qdd", f"{kind}:{link}")
        plain = sg.orderings.embedding() if robot.is_closed else sg.orderings.aba()
        short, long = sg.compile(graph, asked), sg.compile(graph, asked, ordering=plain)
        assert short.operations.total < long.operations.total
        for found, expected in zip(short(q, qd, tau), long(q, qd, tau), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(expected).max()))
