"""Noise models: standard deviations, roots of information, robust losses, and what must hold exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.optimize import Cauchy, GemanMcClure, Huber, Loss, Tukey

FAR = 1e150


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


LOSSES: dict[str, Callable[[Any], Loss]] = {
    "Huber": lambda m: Huber(float(m.weight(FAR) * FAR)),
    "Cauchy": lambda m: Cauchy(float(np.sqrt(m.weight(1.0) / (1.0 - m.weight(1.0))))),
    "GemanMcClure": lambda m: GemanMcClure(float(np.sqrt(np.sqrt(m.weight(1.0)) / (1.0 - np.sqrt(m.weight(1.0)))))),
    "Tukey": lambda m: Tukey(float(np.sqrt(6.0 * m.loss(FAR)))),
}
"""Ours by the name of GTSAM's; weights and losses tell their parameters, which have no names there."""


def read_noise_model(model: Any, name: str) -> FactorNoise:
    """Return a noise model of GTSAM's as arguments of ours.

    Raises:
        InputError: a loss is not known here, or only a part of the residual must hold exactly.
    """
    models = import_gtsam().noiseModel
    if isinstance(model, models.Robust):
        inner, loss = read_noise_model(model.noise(), name), type(model.robust()).__name__
        if loss not in LOSSES or inner.is_hard:
            raise InputError(f"{name}: no robust loss {loss} here", fix=f"losses: {', '.join(LOSSES)}")
        return FactorNoise(inner.argument, inner.value, LOSSES[loss](model.robust()))
    if isinstance(model, models.Diagonal):
        sigmas = np.asarray(model.sigmas(), dtype=float)
        if (sigmas > 0.0).all():
            return FactorNoise("sigma", sigmas)
        if (sigmas > 0.0).any():
            raise InputError(f"{name}: only a part of it must hold exactly", fix="make a factor of each part")
        return FactorNoise("", None)
    return FactorNoise("sqrt_information", np.asarray(model.R(), dtype=float))


def make_noise_model(loss: Loss | None, rows: int, *, hard: bool) -> Any:
    """Return the noise model of a residual that is whitened already.

    Raises:
        InputError: GTSAM has no such loss.
    """
    models = import_gtsam().noiseModel
    if hard:
        return models.Constrained.All(rows)
    unit = models.Unit.Create(rows)
    if loss is None:
        return unit
    theirs = getattr(models.mEstimator, type(loss).__name__, None)
    if theirs is None or type(loss).__name__ not in LOSSES:
        raise InputError(f"GTSAM has no loss {loss!r}", fix=f"losses: {', '.join(LOSSES)}")
    return models.Robust.Create(theirs.Create(loss.k), unit)  # pyright: ignore[reportAttributeAccessIssue]
