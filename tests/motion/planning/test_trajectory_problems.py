"""The problems of the reference, solved to their known optima, their motions integrated anew by SciPy."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Phase, read_task

from .oracles import acrobot, cart_pole, drift

OPTIMA = {"cp2": 101.605, "cp2lim12": 101.986, "acro": 108.65, "panda": 187.9, "panda100": 187.15}


@pytest.mark.parametrize("name", OPTIMA)
@pytest.mark.sampled(3)
def test_a_known_problem_is_solved_to_its_optimum(name):
    plan = sg.plan(name)
    assert plan.converged
    assert plan.violation <= 1e-6
    assert plan.cost == pytest.approx(OPTIMA[name], rel=0.005)
    assert plan.iterations <= (15 if name.startswith("cp2") else 50)
    assert plan.cost == pytest.approx(sum(plan.costs.values()))


def finer(name, steps):
    task = read_task(name)
    plan = sg.plan(replace(task, phases=(Phase(steps, sum(p.duration for p in task.phases)),)))
    assert plan.solved
    return plan


def test_planned_efforts_move_an_independent_cart_pole_as_planned_to_second_order():
    errors = [drift(lambda q, v, u: cart_pole(q, v, u[0]), finer("cp2", steps)) for steps in (200, 400)]
    assert errors[1] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


def test_planned_efforts_move_an_independent_acrobot_as_planned():
    assert drift(lambda q, v, u: acrobot(q, v, u[1]), finer("acro", 400)) < 0.02


def test_hermite_simpson_is_more_exact_than_the_trapezoidal_rule():
    task = read_task("cp2")
    rough = drift(lambda q, v, u: cart_pole(q, v, u[0]), sg.plan(task))
    plan = sg.plan(replace(task, collocation="hermite_simpson"))
    h = plan.t[2]

    def quadratic(t):
        i = min(int(t / h), (len(plan.t) - 1) // 2 - 1)
        s = t / h - i
        a, b, c = plan.tau[2 * i], plan.tau[2 * i + 1], plan.tau[2 * i + 2]
        return a * (1 - s) * (1 - 2 * s) + 4 * b * s * (1 - s) + c * s * (2 * s - 1)

    assert drift(lambda q, v, u: cart_pole(q, v, u[0]), plan, quadratic) < 0.05 * rough


def test_pinocchio_agrees_with_the_efforts_of_the_panda():
    pin = pytest.importorskip("pinocchio")
    from tests.oracle import pinocchio_model

    plan = sg.plan("panda")
    model, data = pinocchio_model(plan.task.robot)
    for q, qd, qdd, tau in zip(plan.q, plan.qd, plan.qdd, plan.tau, strict=True):
        assert pin.rnea(model, data, q, qd, qdd) == pytest.approx(tau, abs=1e-5)
    limits = [j.limits for j in plan.task.robot.joints]
    fine = np.linspace(0.0, 1.0, 10 * (len(plan.t) - 1) + 1)
    for i, limit in enumerate(limits):
        assert np.interp(fine, plan.t, np.abs(plan.tau[:, i])).max() <= limit.effort + 1e-6
        assert np.interp(fine, plan.t, np.abs(plan.qd[:, i])).max() <= limit.velocity + 1e-6
        assert limit.lower - 1e-6 <= plan.q[:, i].min() <= plan.q[:, i].max() <= limit.upper + 1e-6
