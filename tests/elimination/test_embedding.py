"""Constraint embedding is an order: what it eliminates when, and that it divides by nothing that may vanish."""

from __future__ import annotations

import numpy as np
import pytest
from examples.chignoli_2023_robots import chain

import screwgraph as sg
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.graph import Key
from tests.agreement import assert_agree
from tests.closed_oracle import motion
from tests.graph.closed_robots import closed_robots, scalars, values
from tests.model.robot.closed_instances import planar_four_bar

ROBOTS = closed_robots()


def embedded(robot):
    return sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), ORDERINGS["embedding"]())


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage", "belt_leg", "differential", "gears"])
def test_dependent_rates_are_expressed_by_independent_ones_alone(name):
    """Chignoli et al. (2023), eq. (6): qdd = G ydd + g."""
    robot = ROBOTS[name]
    dag = embedded(robot)
    independent = {Key("qdd", joint) for joint in robot.independent_joints}
    solved = {block.key: set(block.parents) for block in dag.blocks}
    for joint in set(robot.joint_names) - set(robot.independent_joints):
        parents = {key for key in solved[Key("qdd", joint)] if key.kind in ("qdd", "lambda")}
        assert parents <= independent | {Key("qdd", other) for other in robot.joint_names} - {Key("qdd", joint)}
        assert not any(key.kind == "lambda" for key in parents)


@pytest.mark.parametrize("name", ["five_bar", "four_bar_linkage", "belt_leg", "differential", "spherical loop"])
@pytest.mark.parametrize("order", ["embedding", "kkt", "ancestor", "cluster_lambda"])
@pytest.mark.sampled(3)
def test_no_pivot_may_vanish(name, order):
    robot = ROBOTS[name]
    dag = sg.eliminate(sg.dynamics_graph(robot).given("q", "qd", "tau"), ORDERINGS[order]())
    assert not dag.elimination.unsafe_pivots


@pytest.mark.parametrize("dependent", [("joint1", "joint2"), ("joint2", "joint3"), ("joint1", "joint3")])
def test_a_block_is_solved_where_each_of_its_entries_vanishes_somewhere(dependent):
    """Both joints of one branch: K_d has no constant entry, its determinant is what counts."""
    robot = planar_four_bar()
    free = next(name for name in robot.joint_names if name not in dependent)
    robot = robot.with_independent_joints([free])
    states = motion(robot, 6, everywhere=True)
    dag = embedded(robot)
    assert not dag.elimination.unsafe_pivots
    assert_agree(values(dag, robot, scalars(robot, "qdd"), states), states.qdd)


def test_what_a_cluster_hands_on_is_one_acceleration():
    """Cliques of a chain of clusters hold a bounded number of scalars; those of the KKT order grow with it."""
    short, long = (sg.dynamics_graph(chain("belt", depth)).given("q", "qd", "tau") for depth in (2, 4))
    narrow, wide = (
        [sg.eliminate(graph, ORDERINGS[order]()).cliques.width for graph in (short, long)]
        for order in ("embedding", "kkt")
    )
    assert narrow[0] == narrow[1] <= wide[0] < wide[1]


def test_rounding_makes_no_pivots():
    """Constants that cancel but for rounding are zero: a spring's and a shin's columns of equal constants."""
    from screwgraph.elimination import Group, eliminate_rows
    from screwgraph.graph import TEMPLATES, Row
    from screwgraph.graph.factor import Factor

    x, y = (Key("x", "a"), 0), (Key("x", "b"), 0)
    law = Factor(TEMPLATES["prior"], {"x": x[0]}, 1, 0)
    c = 0.1 + 0.2
    rows = [Row({x: 1.0, y: 0.3}, 0.0, law, 0), Row({x: 1.0, y: c}, 0.0, law, 1)]
    elimination = eliminate_rows(rows, [Group((x,)), Group((y,))])
    assert elimination.undetermined == (y,)
    assert np.isfinite(elimination.steps[0].terms[y])
