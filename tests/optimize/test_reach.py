"""Steps of the interior-point method that are kept short, by the iterates themselves."""

import numpy as np
import pytest

from screwgraph.optimize import InteriorPoint, Problem, Status, Variables, Vector, equality, soft, solve
from screwgraph.spatial import sin


def far(x):
    return x - 3.0


def wave(x, y):
    return y - sin(x)


@pytest.mark.parametrize("reach", [0.1, 0.5])
def test_no_number_of_a_family_changes_by_more_than_its_reach_in_a_step(reach):
    x, y = Variables("x", Vector(1), 2), Variables("y", Vector(1), 2)
    problem = Problem([soft(far, x[:]), equality(wave, x[:], y[:])])
    seen = []
    method = InteriorPoint(reach=(("x", reach),))
    result = solve(problem, {}, method=method, callback=lambda p: seen.append(np.ravel(p.values["x"]).copy()))
    steps = np.abs(np.diff(seen, axis=0)).max(axis=1)
    assert result.status is Status.CONVERGED
    assert steps.max() <= reach * (1.0 + 1e-12)
    assert len(steps) >= 3.0 / reach
    assert result.values["y"] == pytest.approx(np.full((2, 1), np.sin(3.0)))
