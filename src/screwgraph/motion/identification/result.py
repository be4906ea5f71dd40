"""What identification found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.mechanics.dynamics import BaseParameters
from screwgraph.model.save import save

SEEN = 1e-6
"""Part of a parameter outside of the combinations that torques show, below which they show the parameter itself."""


@dataclass(frozen=True, eq=False)
class Identified:
    """Parameters of a robot or a mechanism from a log (SI units).

    `base` are the combinations that torques depend on, `base_values` (rank,) their values by least squares and
    `base_covariance` (rank, rank) their covariance. `values` (k,) are all parameters, in the order of `base.labels`:
    those of real bodies that explain the torques and are nearest to the prior, with the covariance that data and prior
    together give; None where no bodies were asked for. `model` is the robot or mechanism with these values. `noise`
    are standard deviations of measured torques by coordinate, `validation` the root mean square of what is unexplained
    of torques that were held out, by the `base_values`, `robot_validation` that by the `model`, and `torque` that of
    these torques themselves. `condition` is that of the equations. `unexcited` are combinations that the log's motion
    does not show: their sigma is infinite. `doubts` says why what was found may be wrong, a sentence each.
    `motor_constants` are those that were unknown (N m/A), gear ratios included.
    `t`, `measured` and `predicted` (n samples, coordinates) are some samples for pictures.
    """

    _repr_html_ = html_display.html

    model: Any
    base: BaseParameters
    base_values: Float[np.ndarray, " rank"]
    base_covariance: Float[np.ndarray, "rank rank"]
    values: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    noise: Mapping[str, float]
    validation: Mapping[str, float]
    robot_validation: Mapping[str, float]
    torque: Mapping[str, float]
    condition: float
    samples: int
    unexcited: tuple[str, ...]
    doubts: tuple[str, ...]
    t: Float[np.ndarray, " N"]
    measured: Float[np.ndarray, "N n"]
    predicted: Float[np.ndarray, "N n"]
    motor_constants: Mapping[str, float] = field(default_factory=dict)
    motor_constants_sigma: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        count = len(self.doubts)
        doubts = f", {count} doubt{'s' if count > 1 else ''}" if count else ""
        return (
            f"<identified {self.model.name!r}: {self.base.rank} combinations of {len(self.base.labels)} parameters "
            f"from {self.samples} samples, condition {self.condition:.3g}{doubts}>"
        )

    @property
    def robot(self) -> Any:
        """The model, of robots."""
        return self.model

    @property
    def base_sigma(self) -> Float[np.ndarray, " rank"]:
        """Standard deviations of `base_values`; infinite where the motion does not show them."""
        known = np.sqrt(np.maximum(np.diag(self.base_covariance), 0.0))
        return np.where(np.isin(self.base.expressions, self.unexcited), np.inf, known)

    @property
    def combinations(self) -> dict[str, tuple[float, float]]:
        """Each combination that torques depend on, with its value and standard deviation."""
        found = zip(self.base_values.tolist(), self.base_sigma.tolist(), strict=True)
        return dict(zip(self.base.expressions, found, strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters by label, those of real bodies; claims are made of `identifiable` ones alone."""
        return dict(zip(self.base.labels, self.values.tolist(), strict=True))

    @property
    def sigma(self) -> dict[str, float]:
        """Standard deviations of `parameters`, by label: what data and prior say together."""
        return dict(zip(self.base.labels, np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).tolist(), strict=True))

    @cached_property
    def identifiable(self) -> tuple[str, ...]:
        """Labels of the parameters that torques show by themselves."""
        inside = self._inside
        return tuple(name for name, part in zip(self.base.labels, inside, strict=True) if part > 1.0 - SEEN)

    @property
    def combined(self) -> tuple[str, ...]:
        """Labels of the parameters that torques show only together with others."""
        inside = zip(self.base.labels, self._inside, strict=True)
        return tuple(name for name, part in inside if SEEN**2 < part <= 1.0 - SEEN)

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """Labels of the parameters on which no torque depends."""
        return tuple(name for name, part in zip(self.base.labels, self._inside, strict=True) if part <= SEEN**2)

    @cached_property
    def _inside(self) -> Float[np.ndarray, " k"]:
        """Return of each parameter's direction the part (squared) that lies in the space of the combinations."""
        size = np.linalg.norm(self.base.map, axis=1)
        Q = np.linalg.qr((self.base.map / size[:, None]).T)[0]
        return (Q * Q).sum(axis=1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with the parameters that were found: .yaml, robots also .urdf. Raises as `sg.save`."""
        save(self.model, path)

    def __str__(self) -> str:
        lines = [f"{text} = {x:.6g} +- {s:.2g}" for text, (x, s) in self.combinations.items()]
        if self.unidentifiable:
            lines.append(f"no torque depends on {', '.join(self.unidentifiable)}")
        return "\n".join(lines)
