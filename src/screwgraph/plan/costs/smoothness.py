"""Gaussian-process priors on motions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.errors import InputError, ModelError
from screwgraph.formats.yaml_values import Value
from screwgraph.optimize import Factors, Manifold, soft
from screwgraph.plan.configuration import gap
from screwgraph.plan.costs.base import weights
from screwgraph.plan.reading import Reading
from screwgraph.plan.steps import Steps
from screwgraph.spatial import concatenate, sqrt

ORDERS = ("velocity", "acceleration")


@dataclass(frozen=True)
class Prior:
    """What white noise on the derivative beyond the last of q, qd (and qdd) must have done in a step, whitened.

    With two of them velocity is constant but for noise, with three acceleration is: paper 2, (8), (9). Integrals of
    noise of density 1 over h have the covariance D Q D, D = diag(h^(n-1/2), ..., h^(1/2)), Q that of h = 1.
    """

    positions: Manifold
    order: int

    def __call__(self, *unknowns: Any, h: Any) -> Any:
        """Return the whitened residual of unknowns x_i, x_(i+1), each q, qd, ..., derivative after derivative."""
        n = self.order
        old, new = unknowns[:n], unknowns[n:]
        expected = [sum(old[j] * (h ** (j - i) / _factorial(j - i)) for j in range(max(i, 1), n)) for i in range(n)]
        errors = [gap(self.positions, self.positions.retract(old[0], expected[0]), new[0])]
        errors += [new[i] - expected[i] for i in range(1, n)]
        scaled = [e / (h ** (n - 1 - i) * sqrt(h)) for i, e in enumerate(errors)]
        root = np.linalg.inv(np.linalg.cholesky(_covariance(n)))
        return concatenate(*(sum(float(root[i, j]) * scaled[j] for j in range(i + 1)) for i in range(n)))


@dataclass(frozen=True, eq=False)
class Smoothness:
    """Motions are smooth: a prior of constant velocity or acceleration with white noise of spectral density `Qc`.

    One density, or one for each joint, {joint: density}, all of them then. Mukadam et al. (2018), GPMP2; paper 2, VI-A.
    """

    Qc: Any = 1.0
    order: str = "acceleration"

    @classmethod
    def read(cls, value: Value, reading: Reading) -> Smoothness:
        """Read a density, or {Qc, order}. Raises ModelError."""
        if not (isinstance(value.content, dict) and {"Qc", "order"} & set(value.content)):
            return cls(reading.joints(value))
        entries = value.section(("Qc", "order"))
        if "Qc" not in entries:
            raise ModelError(f"{value.what}: there is no Qc", at=value.at)
        order = reading.word(entries["order"], ORDERS) if "order" in entries else "acceleration"
        return cls(reading.joints(entries["Qc"]), order)

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each pair of neighbouring points. Raises InputError."""
        if self.order not in ORDERS:
            raise InputError(f"smoothness of order {self.order!r}", fix=f"one of {', '.join(ORDERS)}")
        nv = steps.mechanics.robot.nv
        columns, density = weights(steps.mechanics, self.Qc, tuple(range(nv)))
        if len(columns) != nv or columns != tuple(range(nv)):
            raise InputError("smoothness needs a density for every joint")
        first = np.concatenate([np.arange(s.start, s.stop - 1) for s in steps.states])
        n = ORDERS.index(self.order) + 2
        old, new = [steps.q[first], steps.qd[first]], [steps.q[first + 1], steps.qd[first + 1]]
        if n == 3:
            if steps.is_open:
                raise InputError("smoothness of accelerations needs them at the end", fix="use another collocation")
            sample = np.concatenate([np.arange(s.start, s.stop - 1) for s in steps.samples])
            old, new = [*old, steps.qdd[sample]], [*new, steps.qdd[sample + 1]]
        phases = steps.phase_of_point[first]
        parts = np.array([p.steps * steps.per_step for p in steps.phases])[phases]
        template = Prior(steps.mechanics.positions, n)
        made, unknowns, timing = steps.timed(template, *old, *new, phases=phases, scale=1.0 / parts)
        sigma = np.tile(np.sqrt(np.broadcast_to(density, (nv,))), n)
        yield soft(made, *unknowns, sigma=sigma, name=name, **timing)


def _covariance(n: int) -> np.ndarray:
    """Return the covariance of n integrals of unit white noise over a unit of time, the deepest one first."""
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            a, b = n - 1 - i, n - 1 - j
            found[i, j] = 1.0 / ((a + b + 1) * _factorial(a) * _factorial(b))
    return found


def _factorial(n: int) -> float:
    return float(np.prod(np.arange(1, n + 1)))
