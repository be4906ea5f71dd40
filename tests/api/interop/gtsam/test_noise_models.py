"""Robust losses of GTSAM are ours: parameters, losses and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import from_gtsam, to_gtsam, to_values
from screwgraph.api.interop.gtsam.noise_models import LOSSES, make_noise_model, read_noise_model
from screwgraph.base.errors import InputError
from screwgraph.optimize import LOSSES as OURS
from screwgraph.optimize import solve
from screwgraph.spatial import sqrt

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")
models = gtsam.noiseModel
RESIDUALS = np.geomspace(1e-3, 1e3, 50)


def robust(loss):
    return models.Robust.Create(loss, models.Isotropic.Sigma(2, 0.5))


@pytest.mark.parametrize("k", [1e-2, 0.7, 1.0, 30.0])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_weights_are_those_of_gtsam(name, k):
    theirs = getattr(models.mEstimator, name).Create(k)
    ours = read_noise_model(robust(theirs), "it").loss
    assert ours is not None
    assert list(vars(ours).values()) == pytest.approx([k], rel=1e-9)
    for r in RESIDUALS:
        assert 0.5 * ours.rho(r * r) == pytest.approx(theirs.loss(r), rel=1e-9, abs=1e-15 * max(1.0, k * k))
        assert ours.weight(r * r) == pytest.approx(theirs.weight(r), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", OURS)
def test_every_loss_of_ours_is_one_there(name):
    ours = OURS[name]
    theirs = make_noise_model(ours, 2, hard=False)
    again = read_noise_model(theirs, "it").loss
    assert type(again) is type(ours)
    assert list(vars(again).values()) == pytest.approx(list(vars(ours).values()), rel=1e-12)
    assert theirs.loss(2.89) == pytest.approx(0.5 * ours.rho(2.89), rel=1e-12, abs=1e-15)


@dataclass(frozen=True)
class Charbonnier:
    """2 k^2 (sqrt(1 + s / k^2) - 1), which GTSAM has no name of."""

    k: float

    def rho(self, s: Any) -> Any:
        return 2.0 * self.k**2 * (sqrt(1.0 + s / self.k**2) - 1.0)

    def weight(self, s: Any) -> Any:
        return 1.0 / sqrt(1.0 + s / self.k**2)


def test_a_loss_of_ones_own_goes_out_and_comes_in():
    ours = Charbonnier(0.8)
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    theirs = models.mEstimator.Custom.Create(
        lambda r: 1.0 / np.sqrt(1.0 + r**2 / 0.64), lambda r: 0.64 * (np.sqrt(1.0 + r**2 / 0.64) - 1.0)
    )
    for place in (0.0, 1.0, 7.0):
        graph.add(gtsam.PriorFactorPoint2(0, np.array([place, 1.0]), robust(theirs)))
    values.insert(0, np.array([0.3, -0.4]))
    found = from_gtsam(graph, values, losses=dict.fromkeys(range(3), ours))
    at = found.problem.start(found.start)
    assert found.problem.assembly.cost(at) == pytest.approx(graph.error(values), rel=1e-12)
    again = to_gtsam(found.problem, found.keys)
    result = solve(found.problem, found.start)
    there = to_values(found.problem, result.values, found.keys)
    assert again.error(values) == pytest.approx(graph.error(values), rel=1e-12)
    assert again.error(there) == pytest.approx(result.cost, rel=1e-12)
    np.testing.assert_allclose(again.linearize(there).gradientAtZero().at(0), 0.0, atol=1e-6)
    with pytest.raises(InputError, match="where GTSAM has"):
        from_gtsam(graph, values, losses=dict.fromkeys(range(3), Charbonnier(0.9)))
    with pytest.raises(InputError, match="there is no factor 3"):
        from_gtsam(graph, values, losses={3: ours})
    with pytest.raises(InputError, match="no robust loss there"):
        read_noise_model(models.Unit.Create(2), "it", ours)


def test_what_is_no_loss_or_no_formula():
    assert read_noise_model(robust(models.mEstimator.Null.Create()), "it").loss is None
    custom = models.mEstimator.Custom.Create(lambda r: 1.0, lambda r: 0.5 * r * r)
    with pytest.raises(InputError, match="functions in Python"):
        read_noise_model(robust(custom), "it")
    hard = models.Robust.Create(models.mEstimator.Huber.Create(1.0), models.Constrained.All(2))
    with pytest.raises(InputError, match="must hold exactly"):
        read_noise_model(hard, "it")
