"""What measurements tell about a motion."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.mechanism.estimation_graph import FIGURES, Unknowns
from screwgraph.mechanism.measurements import Measurements
from screwgraph.mechanism.symbolic_parameters import Varied
from screwgraph.mechanism.weights import ModelNoise, integration_sigma
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.models.mechanism.sensors import columns
from screwgraph.models.mechanism.text import to_texts
from screwgraph.optimize import Result, Status
from screwgraph.robot import Robot
from screwgraph.simulation import save_table

ARRAYS = ("t", "q", "qd", "qdd", "tau", "q_sigma", "qd_sigma", "qdd_sigma", "tau_sigma")
WEAK = 0.5
"""Part of the standard deviation beforehand that is left where measurements say little."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """States at times t (s), torques of all motors (N m), parameters; SI units, with standard deviations.

    `covariance` (k, k) is that of the parameters. `residuals` are what each column's sensor would read, less what was
    measured. `undetermined` names parameters of which the measurements say little. `model_error` is the largest
    residual of the model in its own standard deviations: where it is large, time steps are too long, or the model
    contradicts the sensors. `status` and `reason` tell how the search ended; one that was interrupted holds what was
    found so far. `names` are those of the coordinates "q", "qd" and "tau", `texts` what a saved file says of the model.
    Standard deviations of positions are those of their velocity coordinates.
    """

    model: Mechanism | Robot
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N motors"]
    q_sigma: Float[np.ndarray, "N nv"]
    qd_sigma: Float[np.ndarray, "N nv"]
    qdd_sigma: Float[np.ndarray, "N nv"]
    tau_sigma: Float[np.ndarray, "N motors"]
    parameters: Mapping[str, float]
    covariance: Float[np.ndarray, "k k"]
    residuals: Mapping[str, Float[np.ndarray, " N"]]
    undetermined: tuple[str, ...]
    model_error: float
    result: Result
    names: Mapping[str, Sequence[str]]
    texts: Mapping[str, str]

    def __repr__(self) -> str:
        found = [f"{name} = {value:.6g} +- {self.sigma[name]:.2g}" for name, value in self.parameters.items()]
        parts = [f"{len(self.t)} states", *found, self.status.value]
        return f"<estimate of {self.model.name!r}: {', '.join(parts)}>"

    @property
    def sigma(self) -> dict[str, float]:
        """Standard deviations of the parameters."""
        return dict(zip(self.parameters, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @property
    def status(self) -> Status:
        """How the search ended."""
        return self.result.status

    @property
    def reason(self) -> str:
        """Why it ended so."""
        return self.result.reason

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:theta, ..., tau:theta, sigma:q:theta, ..., sigma:tau:theta."""
        of = {"q": "q", "qd": "qd", "qdd": "qd", "tau": "tau"}
        names = [f"{kind}:{name}" for kind, key in of.items() for name in self.names[key]]
        sigmas = {**of, "q": "qd"}
        spread = [f"sigma:{kind}:{name}" for kind, key in sigmas.items() for name in self.names[key]]
        return ("t", *names, *spread)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the model, too; `screwgraph view` shows it.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        arrays = {name: getattr(self, name) for name in ARRAYS}
        save_table(path, self.columns, arrays, method="estimate", **self.texts)


def estimation(
    mechanism: Mechanism, data: Measurements, unknowns: Unknowns, noise: ModelNoise, result: Result
) -> Estimate:
    """Return what a solved graph says. Raises InputError where it leaves something undetermined."""
    found, varied = result.values, unknowns.varied
    sigma = [np.sqrt(np.diagonal(result.covariances(unknowns.state(x)), axis1=1, axis2=2)) for x in "qva"]
    tau, tau_sigma = data.torques.copy(), np.zeros_like(data.torques)
    if unknowns.inputs:
        tau[:, list(unknowns.inputs)] = found["tau"]
        spread = np.diagonal(result.covariances(unknowns.tau), axis1=1, axis2=2)
        tau_sigma[:, list(unknowns.inputs)] = np.sqrt(spread)
    values, covariance = _figures(varied, result, unknowns)
    weak = np.sqrt(np.diag(covariance)) > WEAK * noise.figures * varied.scale
    return Estimate(
        mechanism,
        data.t,
        *(found["q"], found["v"], found["a"], tau),
        *(sigma[0], sigma[1], sigma[2], tau_sigma),
        parameters=dict(zip(varied.names, values.tolist(), strict=True)),
        covariance=covariance,
        residuals=_residuals(data, result),
        undetermined=tuple(name for name, is_weak in zip(varied.names, weak, strict=True) if is_weak),
        model_error=_model_error(mechanism, noise, result),
        result=result,
        names={
            "q": mechanism.coordinates,
            "qd": mechanism.coordinates,
            "tau": [mechanism.angles[i].name for i in mechanism.motors],
        },
        texts=to_texts(mechanism),
    )


def _model_error(mechanism: Mechanism, noise: ModelNoise, result: Result) -> float:
    integration = integration_sigma(mechanism, noise)
    sigma = {"f_pc": noise.constraints, "f_vc": noise.constraints, "f_dyn": noise.dynamics}
    sigma |= dict.fromkeys(("f_hs q", "f_hs v"), integration)
    return max(float((np.abs(result.residuals[name]) / s).max()) for name, s in sigma.items())


def _figures(varied: Varied, result: Result, unknowns: Unknowns) -> tuple[np.ndarray, np.ndarray]:
    if not varied.names:
        return np.zeros(0), np.zeros((0, 0))
    size = np.outer(varied.scale, varied.scale)
    return varied.scale * result.values[FIGURES][0], size * result.covariance(unknowns.figures)


def _residuals(data: Measurements, result: Result) -> dict[str, Float[np.ndarray, " N"]]:
    left = result.residuals
    return {name: left[s.name][:, i] for s in data.sensors for i, name in enumerate(columns(s))}
