"""Gaussian-process priors on motions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.factors.priors import make_prior_factors
from screwgraph.motion.planning.keys import SMOOTHNESS
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors

ORDERS = ("velocity", "acceleration")


@dataclass(frozen=True, eq=False)
class Smoothness:
    """Motions are smooth: a prior of constant velocity or acceleration with white noise of spectral density `Qc`.

    One density, or one for each joint, {joint: density}, all of them then; or a matrix (nv, nv). Mukadam et al. (2018),
    GPMP2; Xie et al. (2020), VI-A.
    """

    Qc: Any = 1.0
    order: str = "acceleration"

    @classmethod
    def read(cls, value: Value, reading: TaskParser) -> Smoothness:
        """Read a density, or {Qc, order}. Raises ModelError."""
        if not (isinstance(value.content, dict) and {"Qc", "order"} & set(value.content)):
            return cls(reading.joints(value))
        entries = value.section(SMOOTHNESS)
        if "Qc" not in entries:
            raise ModelError(f"{value.what}: there is no Qc", at=value.at)
        order = reading.word(entries["order"], ORDERS) if "order" in entries else "acceleration"
        return cls(reading.joints(entries["Qc"]), order)

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return one factor for each pair of neighbouring points. Raises InputError."""
        if self.order not in ORDERS:
            raise InputError(f"smoothness of order {self.order!r}", fix=f"one of {', '.join(ORDERS)}")
        yield from make_prior_factors(ORDERS.index(self.order) + 2, self.Qc, steps, name)
