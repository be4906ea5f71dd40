"""Noise models: standard deviations, roots of information, robust losses, and what must hold exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.optimize import (
    Cauchy,
    DeadZone,
    DynamicCovarianceScaling,
    Fair,
    GemanMcClure,
    Huber,
    Loss,
    Truncated,
    Tukey,
    Welsch,
)

FAR = 1e150
LENGTHS = np.geomspace(1e-3, 1e3, 25)
"""Lengths of residuals at which a loss of ours is compared with functions in Python."""


@dataclass(frozen=True)
class FactorNoise:
    """How sure a factor is: what to pass to `soft` (none where it must hold exactly), and its loss."""

    argument: str
    value: np.ndarray | None
    loss: Loss | None = None

    @property
    def is_hard(self) -> bool:
        """Whether the factor must hold exactly."""
        return self.argument == ""


LOSSES: dict[str, tuple[Callable[..., Loss], Callable[[Any], float]]] = {
    "Huber": (Huber, lambda m: m.weight(FAR) * FAR),
    "Cauchy": (Cauchy, lambda m: np.sqrt(m.weight(1.0) / (1.0 - m.weight(1.0)))),
    "GemanMcClure": (GemanMcClure, lambda m: np.sqrt(1.0 / (1.0 / np.sqrt(m.weight(1.0)) - 1.0))),
    "Tukey": (Tukey, lambda m: np.sqrt(6.0 * m.loss(FAR))),
    "Fair": (Fair, lambda m: m.weight(1.0) / (1.0 - m.weight(1.0))),
    "Welsch": (Welsch, lambda m: np.sqrt(2.0 * m.loss(FAR))),
    "DCS": (DynamicCovarianceScaling, lambda m: 0.5 * np.sqrt(m.weight(1e50)) * 1e100),
    "TruncatedLeastSquares": (Truncated, lambda m: np.sqrt(2.0 * m.loss(FAR))),
    "L2WithDeadZone": (DeadZone, lambda m: _dead_zone(m)),
    "AsymmetricCauchy": (Cauchy, lambda m: np.sqrt(m.weight(1.0) / (1.0 - m.weight(1.0)))),
    "AsymmetricTukey": (Tukey, lambda m: np.sqrt(6.0 * m.loss(FAR))),
}
"""Ours by the name of GTSAM's; weights and losses tell their parameters, which have no names there.

GTSAM takes losses of the length of a whitened residual, which is positive: asymmetric ones are the others there.
"""
NAMES = {ours: theirs for theirs, (ours, _) in reversed(LOSSES.items())}
"""GTSAM's name of ours."""


def _dead_zone(m: Any) -> float:
    """Return up to where a loss is zero."""
    beyond = next(x for x in 2.0 ** np.arange(500) if m.loss(x) > 0.0)
    return float(beyond - np.sqrt(2.0 * m.loss(beyond)))


def read_noise_model(model: Any, name: str, given: Loss | None = None) -> FactorNoise:
    """Return a noise model of GTSAM's as arguments of ours; a loss that is `given` must be that of GTSAM.

    Raises:
        InputError: a loss is not known here or another one, or only a part of the residual must hold exactly.
    """
    models = import_gtsam().noiseModel
    if isinstance(model, models.Robust):
        inner, loss = read_noise_model(model.noise(), name), type(model.robust()).__name__
        if loss == "Null":
            return inner
        if inner.is_hard:
            raise InputError(f"{name}: a robust loss of what must hold exactly", fix="leave the loss out")
        if given is not None:
            _check_loss(given, model.robust(), name)
            return FactorNoise(inner.argument, inner.value, given)
        if loss not in LOSSES:
            why = "its weights are functions in Python" if loss == "Custom" else ""
            fix = f"write it as a `Loss` of ours, and give it as losses={{place: loss}}, or use {', '.join(LOSSES)}"
            raise InputError(f"{name}: no robust loss {loss} here", why=why, fix=fix)
        ours, parameter = LOSSES[loss]
        return FactorNoise(inner.argument, inner.value, ours(float(parameter(model.robust()))))
    if given is not None:
        raise InputError(f"{name}: no robust loss there", fix="leave its loss out")
    if isinstance(model, models.Diagonal):
        sigmas = np.asarray(model.sigmas(), dtype=float)
        if (sigmas > 0.0).all():
            return FactorNoise("sigma", sigmas)
        if (sigmas > 0.0).any():
            raise InputError(f"{name}: only a part of it must hold exactly", fix="make a factor of each part")
        return FactorNoise("", None)
    return FactorNoise("sqrt_information", np.asarray(model.R(), dtype=float))


def _check_loss(ours: Loss, theirs: Any, name: str) -> None:
    """Raise InputError where a loss or its weights are not GTSAM's."""
    for r in LENGTHS.tolist():
        pairs = ((0.5 * ours.rho(r * r), theirs.loss(r)), (ours.weight(r * r), theirs.weight(r)))
        for what, (one, other) in zip(("costs", "weighs"), pairs, strict=True):
            if not np.isclose(one, other, rtol=1e-9, atol=1e-12):
                raise InputError(
                    f"{name}: the loss {what} {one:g} where GTSAM has {other:g}",
                    why=f"the residual is {r:g} long",
                    fix="mend the loss",
                )


def make_noise_model(loss: Loss | None, rows: int, *, hard: bool) -> Any:
    """Return the noise model of a residual that is whitened already; losses that GTSAM has not are functions there."""
    models = import_gtsam().noiseModel
    if hard:
        return models.Constrained.All(rows)
    unit = models.Unit.Create(rows)
    if loss is None:
        return unit
    if type(loss) not in NAMES:
        own = models.mEstimator.Custom.Create(
            lambda r: float(loss.weight(r * r)), lambda r: float(0.5 * loss.rho(r * r))
        )
        return models.Robust.Create(own, unit)
    theirs = getattr(models.mEstimator, NAMES[type(loss)])
    return models.Robust.Create(theirs.Create(*vars(loss).values()), unit)
