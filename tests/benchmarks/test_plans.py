"""Other planners get the same problems: their optima are ours, as our own code counts."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.peers import crocoddyl
from benchmarks.peers.casadi_solvers import solved
from benchmarks.peers.trajectories import Trajectory

from screwgraph.motion.planning import Planner, read_task
from screwgraph.ui.bench import NotMeasuredError


@pytest.fixture(scope="module")
def cart_pole():
    return Trajectory(Planner(read_task("cp2lim12")))


@pytest.mark.parametrize("solver", ["ipopt", "fatrop"])
def test_solvers_of_casadi_find_the_optimum_of_the_same_discretisation(cart_pole, solver):
    found = solved(cart_pole, solver, None, 1)
    assert found.status == "solved"
    assert found.cost == pytest.approx(cart_pole.planner.solve().cost, rel=1e-5)
    assert found.violation < 1e-6


def test_our_plan_keeps_the_laws_that_other_solvers_are_given(cart_pole):
    plan = cart_pole.planner.solve()
    x = np.hstack([plan.q, plan.qd, plan.values["qdd"]])
    n = cart_pole.n
    after = np.array(cart_pole.after.map(len(x) - 1)(x[:-1].T, x[1:, 2 * n :].T)).T
    assert np.abs(after - x[1:]).max() < 1e-8
    assert np.abs(np.array(cart_pole.held.map(len(x))(x.T))).max() < 1e-6
    cost, violation = cart_pole.judged(x)
    assert cost == pytest.approx(plan.cost, rel=1e-6)
    assert violation < 1e-6


def test_a_python_without_crocoddyl_is_named(monkeypatch):
    monkeypatch.setenv(crocoddyl.VARIABLE, "no-such-python")
    with pytest.raises(NotMeasuredError, match=crocoddyl.VARIABLE):
        crocoddyl.version()
