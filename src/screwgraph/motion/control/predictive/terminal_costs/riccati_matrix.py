"""The last state costs what going on for ever does, by a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.control.predictive.horizon_costs.base import HorizonCost
from screwgraph.motion.control.predictive.local_steps import LocalSteps
from screwgraph.motion.control.predictive.stage_model import StageModel
from screwgraph.motion.control.predictive.terminal_costs.base import TerminalCost
from screwgraph.tape import Number, dot

if TYPE_CHECKING:
    from screwgraph.motion.control.predictive.stage_terms import StageTerms


@dataclass(frozen=True)
class RiccatiMatrix(TerminalCost):
    """(z - z*)'P (z - z*), P (2 nv, 2 nv) symmetric, such as `solve_riccati` finds; positions are vectors."""

    def find_shape(self, nv: int) -> tuple[int, ...]:
        """Return that of P."""
        return 2 * nv, 2 * nv

    def check(self, stage: StageModel, costs: Sequence[HorizonCost]) -> None:
        """Raise InputError where positions are no vector, or efforts no inputs."""
        is_curved = costs or stage.coordinates.options or LocalSteps(stage.robot, 0.0, 0.0).bent
        if is_curved or not stage.commands_efforts:
            raise InputError(
                f"terminal is 'riccati' of {stage.coordinates.model.name!r}",
                why="no floating base, ball joint, loop, contact or goal of a frame has one",
                fix="let it be 'weights'",
            )

    def expand(
        self, terms: StageTerms, references: Any, weights: Any, at: Any, *more: Any
    ) -> tuple[Sequence[Sequence[Number]], Sequence[Number]]:
        """Return 2 P and -2 P z*."""
        rows = 2.0 * np.reshape(weights, (2 * terms.nv, -1))
        q, v, _ = terms.split(references)
        return [row[: i + 1] for i, row in enumerate(rows)], [-dot(row, [*q, *v]) for row in rows]

    def measure(self, terms: StageTerms, references: Any, weights: Any, z: Any, *more: Any) -> Number:
        """Return the cost of a state."""
        beyond = [a - b for a, b in zip(z, references, strict=False)]
        rows = np.reshape(weights, (len(beyond), -1))
        return dot(beyond, [dot(row, beyond) for row in rows])
