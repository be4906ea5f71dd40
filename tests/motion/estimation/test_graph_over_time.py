"""The graph of one instant over time: its solutions are simulated motions."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.integration_rules import RULES
from screwgraph.optimize import Problem, equality, solve
from tests.motion.estimation.robots import moving
from tests.suites import in_suites

STEPS, TIME = 8, 0.16


def held(x, *, at):
    return x - at


def solved(name, rule, steps=STEPS):
    """Largest error of the end of a motion whose start and torques are given."""
    robot, q0, qd0 = moving(name)
    run = sg.simulate(robot, q0, qd0, time=TIME, dt=TIME / steps, method="dop853", rtol=1e-12, atol=1e-12)
    problem = sg.over(sg.dynamics_graph(robot), steps, TIME / steps, rule)
    family = {v.name: v for v in problem.families}
    torques = [v for n, v in family.items() if n.startswith("tau")]
    known = [equality(held, v, at=np.zeros(robot.nv), name=f"known {v.name}") for v in torques]
    start = [equality(Start(family["q"].manifold), family["q"][0], at=q0, name="start")]
    start.append(equality(held, family["qd"][0], at=qd0, name="start v"))
    guess = {n: np.tile(v.manifold.identity(), (v.count, 1)) for n, v in family.items()}
    for end in ("", ".1"):
        if "q" + end in family:
            count = family["q" + end].count
            guess["q" + end], guess["qd" + end] = np.tile(q0, (count, 1)), np.tile(qd0, (count, 1))
    found = solve(Problem([*problem.factors, *known, *start]), guess)
    assert found.success, found.reason
    return np.abs(found.values["qd"][-1] - run.qd[-1]).max()


class Start:
    def __init__(self, manifold):
        self.manifold = manifold

    def __call__(self, q, *, at):
        return self.manifold.defect(at, q)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("rule", ["trapezoidal", "radau", "hermite_simpson"])
@pytest.mark.parametrize("name", ["rr", "thrown", in_suites("five_bar")])
def test_a_graph_over_time_is_the_motion_to_the_rules_order(name, rule):
    errors = [solved(name, rule, steps) for steps in (STEPS, 2 * STEPS)]
    assert np.log2(errors[0] / errors[1]) > RULES[rule].order - 0.5


def test_an_edited_graph_goes_over_time_too():
    robot = sg.load("rr")
    graph = sg.dynamics_graph(robot)
    problem = sg.over(graph, 3, 0.1)
    assert {"q", "qd", "qdd", "tau", "wrench link2"} < {v.name for v in problem.families}
    assert len(problem["integration"]) == 3
    laws = [f.name for f in problem.factors if f.name.startswith("dynamics: ")]
    assert len(laws) == len([f for f in graph.factors if f.template.name != "prior"])


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda g: sg.over(g.given("q", "qd"), 3, 0.1), "nothing given"),
        (lambda g: sg.over(g, 0, 0.1), "steps = 0 is not a positive whole number"),
        (lambda g: sg.over(g, 3, -0.1), "is not a positive number of seconds"),
        (lambda g: sg.over(g, 3, 0.1, "rk4"), "no rule of integration is called 'rk4'"),
    ],
)
def test_bad_arguments_are_one_line(make, line):
    with pytest.raises(sg.InputError, match=line):
        make(sg.dynamics_graph(sg.load("rr")))
