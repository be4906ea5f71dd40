"""Loops of one robot treated unlike: never worse than one treatment for all, and linear in the number of loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.evaluate import Trials
from screwgraph.compiler.problem import Problem
from screwgraph.elimination.orderings import TREATMENTS, Mixed, by_name
from screwgraph.elimination.orderings.mixed import predictions
from screwgraph.graph import Key
from screwgraph.robot import Robot
from tests.agreement import assert_agree
from tests.closed_oracle import motion
from tests.graph.closed_robots import closed_robots

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def robots(module_monkeypatch):
    module_monkeypatch.syspath_prepend(str(EXAMPLES))
    import paper3_robots

    return paper3_robots


@pytest.fixture(scope="module")
def module_monkeypatch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def operations(robot: Robot, *names: str) -> list[int]:
    """Count the operations of forward dynamics in named orders."""
    keys = {kind: [Key(kind, name) for name in robot.joint_names] for kind in ("q", "qd", "tau", "qdd")}
    arguments = [(kind, keys[kind]) for kind in ("q", "qd", "tau")]
    known = tuple(key for _, own in arguments for key in own)
    trials = Trials(Problem("forward_dynamics", robot, known, arguments, keys["qdd"], {}))
    counted = []
    for name in names:
        elimination = trials.eliminated(trials.plan(by_name(name, trials.robot)))
        assert elimination is not None, "it divides by what may vanish"
        counted.append(trials.code(elimination).operations.total)
    return counted


@pytest.mark.parametrize(("kind", "depth", "at"), [("coupling", 5, 1), ("coupling", 5, 4), ("coupling", 10, 2),
                                                   ("coupling", 10, 8), ("coupling", 20, 12), ("rod", 5, 1),
                                                   ("rod", 5, 3), ("rod", 5, 5), ("rod", 10, 6)])  # fmt: skip
def test_the_choice_is_never_worse_than_embedding_or_kkt_alone(robots, kind, depth, at):
    """Paper 3, Fig. 10: small loops are embedded, large ones not, whatever their depth."""
    counts = operations(robots.branches(depth, at, kind), "mixed", "mixed_articulated", "embedding", "kkt")
    assert min(counts[:2]) <= min(counts[2:])


@pytest.mark.parametrize("kind", ["belt", "four_bar"])
def test_where_local_and_long_loops_mix_the_choice_beats_every_single_treatment(robots, kind):
    """Paper 3's future work: embedding for the local loops, something else for the long one around them."""
    robot = robots.mixed(3, kind)
    both, *alone = operations(robot, "mixed", "embedding", "kkt", "ancestor", "cluster_lambda")
    assert both < 0.85 * min(alone)
    treated = predictions(sg.dynamics_graph(robot).given("q", "qd", "tau"))
    assert treated.pop(Key("lambda", "rod_pin")) == "ancestor"
    assert set(treated.values()) == {"embedding"}


@pytest.mark.parametrize(
    ("kind", "stages"), [("rotor", range(1, 11)), ("belt", (1, 2, 3, 4, 5)), ("four_bar", (1, 2, 3, 4, 5))]
)
def test_operations_grow_linearly_with_the_number_of_clusters(robots, kind, stages):
    counts = [operations(robots.chain(kind, n), "mixed")[0] for n in stages]
    growth = np.diff(counts)
    assert len(set(growth[1:])) == 1


@pytest.mark.parametrize("name", ["five_bar", "belt_leg", "spherical loop", "equation"])
@pytest.mark.parametrize("treatment", [None, *TREATMENTS])
def test_every_treatment_gives_the_accelerations_of_the_projection_method(name, treatment):
    robot = closed_robots()[name]
    states = motion(robot, 4, everywhere=True)
    chosen = [Key(treatment, c.name) for c in (*robot.loops, *robot.couplings)] if treatment else []
    f = sg.forward_dynamics(robot, ordering=Mixed(robot, tuple(chosen), joints_first=True))
    assert_agree(f(states.q, states.qd, states.tau), states.qdd)


def test_local_and_long_loops_together_give_the_accelerations_of_the_projection_method(robots):
    robot = robots.mixed(2)
    states = motion(robot, 4, everywhere=True)
    f = sg.forward_dynamics(robot, ordering="mixed")
    assert_agree(f(states.q, states.qd, states.tau), states.qdd)
