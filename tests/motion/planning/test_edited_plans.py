"""Plans with dynamics, limits and contacts equal searches after each of 50 random edits and measurements."""

from __future__ import annotations

import numpy as np
import pytest
from examples.xie_2020_edits import TIGHT, cases

from screwgraph.motion.planning import Replanner
from screwgraph.optimize import solve

MANY, FEW = 50, 2
CASES = 9


def _follow(number: int, many: int, seed: int) -> None:
    """Edit a plan so many times, and compare it with a search that ends at a barrier of 1e-14 each time."""
    case = list(cases())[number]
    replanner, rng = Replanner(case.task), np.random.default_rng(seed)
    for _ in range(many):
        before = replanner.plan.result
        assert case.edit(replanner, rng).success
        found = replanner.plan.result
        whole = solve(found.problem, before, tolerances=TIGHT)
        if not whole.success:  # barriers so small are not always reached from afar
            whole = solve(found.problem, found.values, tolerances=TIGHT)
        for name, value in found.values.items():
            size = max(1.0, float(np.abs(value).max()))
            assert np.abs(value - whole.values[name]).max() < 1e-8 * size, name


def test_a_plan_that_presses_on_a_table_follows_edits() -> None:
    _follow(6, FEW, 0)


@pytest.mark.suite
@pytest.mark.parametrize("number", range(CASES))
def test_plans_equal_searches_after_fifty_edits(number: int) -> None:
    _follow(number, MANY, 7)
