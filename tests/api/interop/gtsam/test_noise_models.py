"""Robust losses of GTSAM are ours: parameters, losses and weights."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop.gtsam.noise_models import LOSSES, make_noise_model, read_noise_model
from screwgraph.base.errors import InputError
from screwgraph.optimize import LOSSES as OURS

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


def test_what_is_no_loss_or_no_formula():
    assert read_noise_model(robust(models.mEstimator.Null.Create()), "it").loss is None
    custom = models.mEstimator.Custom.Create(lambda r: 1.0, lambda r: 0.5 * r * r)
    with pytest.raises(InputError, match="functions in Python"):
        read_noise_model(robust(custom), "it")
    hard = models.Robust.Create(models.mEstimator.Huber.Create(1.0), models.Constrained.All(2))
    with pytest.raises(InputError, match="must hold exactly"):
        read_noise_model(hard, "it")
