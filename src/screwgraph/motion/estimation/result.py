"""What measurements say of a motion, and torques that follow a trajectory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.model import Model
from screwgraph.motion.simulation import STATES, Trajectory, coordinate_names, motion_columns, save_motion
from screwgraph.optimize import Result, Status

DOUBTFUL = 5.0
"""Residual, in standard deviations, beyond which a model or a sensor is in doubt."""


@dataclass(frozen=True)
class Slip:
    """A foot that moved from `start` to `end` (s), though its contact was reported.

    `speed` is the largest that was estimated (m/s), `deviations` by how many standard deviations it was off from rest.
    """

    frame: str
    start: float
    end: float
    speed: float
    deviations: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """States at times t (s), torques of all motors (N m), parameters; SI units, with standard deviations.

    `covariance` (k, k) is that of the parameters. `residuals` are what each column's sensor would read, less what was
    measured, NaN where nothing was; those of poses are angles _rx, _ry, _rz and displacements _x, _y, _z in the frame's
    axes. `misfit` is the root mean square of each sensor's residuals in its standard deviations: near 1 where sensors,
    their units and the model are right. `undetermined` names parameters that the measurements do not determine,
    `unobserved` columns of initial positions and velocities, and of torques, that only priors determine.
    `doubts` says all this in words. Energies of `run` are those of the nominal parameters.
    `model_error` is the largest residual of the model in its own standard deviations: where it is large, time steps are
    too long, or the model contradicts the sensors; `model_errors` are those of the equations of motion by coordinate.
    `status` and `reason` say how the search ended; one that was
    interrupted holds what was found so far. Standard deviations of positions are those of their velocity coordinates.
    `forces` are those of contacts by frame (N, 3), in the base's axes, of mechanisms by point, along the ground's axes,
    `offsets` biases of sensors (m,), at each instant where they walk (N, m).
    `slips` are intervals in which feet moved though their contacts were reported: what these say was left out there.
    """

    _repr_html_ = html_display.html

    run: Trajectory
    q_sigma: Float[np.ndarray, "N nv"]
    qd_sigma: Float[np.ndarray, "N nv"]
    qdd_sigma: Float[np.ndarray, "N nv"]
    tau_sigma: Float[np.ndarray, "N motors"]
    parameters: Mapping[str, float]
    covariance: Float[np.ndarray, "k k"]
    residuals: Mapping[str, Float[np.ndarray, " N"]]
    misfit: Mapping[str, float]
    undetermined: tuple[str, ...]
    unobserved: tuple[str, ...]
    model_error: float
    result: Result
    model_errors: Mapping[str, float] = field(default_factory=dict)
    forces: Mapping[str, Float[np.ndarray, "N 3"]] = field(default_factory=dict)
    forces_sigma: Mapping[str, Float[np.ndarray, "N 3"]] = field(default_factory=dict)
    offsets: Mapping[str, Float[np.ndarray, "*N m"]] = field(default_factory=dict)
    offsets_sigma: Mapping[str, Float[np.ndarray, "*N m"]] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()

    def __repr__(self) -> str:
        found = [f"{name} = {value:.6g} +- {self.sigma[name]:.2g}" for name, value in self.parameters.items()]
        doubts = len(self.doubts)
        parts = [f"{len(self.t)} states", *found, self.status.value]
        parts += [f"{doubts} doubt{'s' if doubts > 1 else ''}"] if doubts else []
        return f"<estimate of {self.model.name!r}: {', '.join(parts)}>"

    @property
    def sigma(self) -> dict[str, float]:
        """Standard deviations of the parameters."""
        return dict(zip(self.parameters, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the estimate may be wrong, or does not determine parameters: a sentence each."""
        found = [f"the measurements hardly determine {name}" for name in self.undetermined]
        if self.unobserved:
            listed = ", ".join(self.unobserved)
            found.append(f"the measurements hardly determine {listed}: what is found lies near the priors")
        for name, size in self.misfit.items():
            if size > DOUBTFUL:
                found.append(f"the residuals of {name} are {size:.3g} of its standard deviations: check unit and sigma")
        worst = max(self.model_errors, key=lambda name: self.model_errors[name], default="")
        largest = self.model_errors.get(worst, 0.0)
        if self.model_error > DOUBTFUL or (largest > 1.0 and max(self.misfit.values(), default=0.0) > DOUBTFUL):
            where = f", most at {worst}" if largest > 1.0 else ""
            found.append(
                f"the motion deviates from the model by {self.model_error:.3g} standard deviations{where}: check "
                "masses, lengths, dampings, payloads and torques there, or take smaller steps"
            )
        return tuple(found)

    @property
    def status(self) -> Status:
        """How the search ended."""
        return self.result.status

    @property
    def reason(self) -> str:
        """Why it ended so."""
        return self.result.reason

    @property
    def model(self) -> Model:
        """Robot or mechanism that moves."""
        return self.run.model

    @property
    def t(self) -> Float[np.ndarray, " N"]:
        """Times (s)."""
        return self.run.t

    @property
    def q(self) -> Float[np.ndarray, "N nq"]:
        """Positions."""
        return self.run.q

    @property
    def qd(self) -> Float[np.ndarray, "N nv"]:
        """Velocities."""
        return self.run.qd

    @property
    def qdd(self) -> Float[np.ndarray, "N nv"]:
        """Accelerations."""
        return self.run.qdd

    @property
    def tau(self) -> Float[np.ndarray, "N m"]:
        """Torques of all joints, or of the motors (N m, N)."""
        return self.run.tau

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:theta, ..., tau:theta, sigma:q:theta, ..., sigma:tau:theta."""
        return (*motion_columns(self.run), *self._spread)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the model, too; `screwgraph view` shows it.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        save_motion(path, self.run, {f"{kind}_sigma": getattr(self, f"{kind}_sigma") for kind in STATES}, self._spread)

    @property
    def _spread(self) -> list[str]:
        names = coordinate_names(self.model)
        return [f"sigma:{kind}:{name}" for kind, of in {**names, "q": names["qd"]}.items() for name in of]


@dataclass(frozen=True, eq=False)
class InverseSolution:
    """The motion that follows a trajectory, with torques of motors or joints as `run.tau`, and how it was found.

    `errors` are the largest distances of each given coordinate from the trajectory (m, rad), `noise` the standard
    deviations by which the trajectory was smoothed: given, or estimated from it. `stages` are the results of the
    optimisations, one a stage, none where torques follow in closed form. `status` says whether all stages were
    solved; where they were stopped, states are those of the last stage, and torques that it did not come to are NaN.
    `doubts` name coordinates whose samples are too far apart.
    """

    run: Trajectory
    errors: Mapping[str, float]
    noise: Mapping[str, float]
    stages: tuple[Result, ...]
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        stages = ", ".join(stage.status.value for stage in self.stages)
        doubts = f", {len(self.doubts)} doubt{'s' if len(self.doubts) > 1 else ''}" if self.doubts else ""
        return f"<inverse dynamics: {len(self.t)} states; {f'stages {stages}' if stages else 'in closed form'}{doubts}>"

    @property
    def status(self) -> Status:
        """How the last stage ended."""
        return self.stages[-1].status if self.stages else Status.CONVERGED

    @property
    def t(self) -> Float[np.ndarray, " N"]:
        """Times (s)."""
        return self.run.t

    @property
    def tau(self) -> Float[np.ndarray, "N motors"]:
        """Torques of the motors, or of all joints (N m, N)."""
        return self.run.tau
