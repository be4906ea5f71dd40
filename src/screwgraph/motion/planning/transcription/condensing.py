"""Accelerations and torques that follow from the other unknowns, taken out of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.integration_rules import SEMI_IMPLICIT, Positions
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, equality
from screwgraph.optimize.substitution import SubstitutionPiece, evaluate_family, substitute_family

Followers = tuple[tuple[Variables, tuple[SubstitutionPiece, ...]], ...]
"""Families that are no unknowns any more, each with what it is; the first ones need none of the others."""


@dataclass(frozen=True)
class VelocityDifference:
    """The change of velocity over a step, as an acceleration."""

    def __call__(self, qd: Any, qd_next: Any, *, h: Any) -> Any:
        """Return it; h is the step (s)."""
        return (qd_next - qd) / h


@dataclass(frozen=True)
class PositionDefect:
    """Euler's position defect: that of the velocity needs no factor where accelerations are differences."""

    positions: Positions

    def __call__(self, q: Any, q_end: Any, v_end: Any, *, h: Any) -> Any:
        """Return the defect of positions at the end of a step of length h (s)."""
        (step,) = SEMI_IMPLICIT.steps(self.positions, (None, v_end), (), h)
        return self.positions.defect(self.positions.retract(q, step), q_end)


def can_drop_accelerations(steps: TrajectoryUnknowns) -> bool:
    """Whether accelerations are differences of velocities."""
    return steps.collocation == SEMI_IMPLICIT


def make_difference_pieces(steps: TrajectoryUnknowns) -> tuple[list[Factors], list[SubstitutionPiece]]:
    """Return what joins the positions of every step, and the accelerations as functions of velocities; Euler's."""
    phases, scale, first = steps.phase_of_step, steps.lengths, steps.points
    made, unknowns, timing = steps.scale_by_duration(
        VelocityDifference(), steps.qd[first], steps.qd[first + 1], phases=phases, scale=scale
    )
    piece = SubstitutionPiece(np.arange(len(first)), equality(made, *unknowns, name="accelerations", **timing))
    defect = PositionDefect(steps.mechanics.positions)
    made, unknowns, timing = steps.scale_by_duration(
        defect, steps.q[first], steps.q[first + 1], steps.qd[first + 1], phases=phases, scale=scale
    )
    return [equality(made, *unknowns, name="collocation", **timing)], [piece]


def condense_factors(
    factors: Sequence[Factors], accelerations: tuple[Variables, Sequence[SubstitutionPiece]] | None, efforts: Any
) -> tuple[list[Factors], Followers]:
    """Return factors without torques and, where these are given, without accelerations; and what they are."""
    found, followers = list(factors), []
    if efforts is not None:
        family, pieces = efforts
        found = substitute_family(found, family, pieces)
        followers.append((family, tuple(pieces)))
    if accelerations is not None:
        family, pieces = accelerations
        found = substitute_family(found, family, pieces)
        followers = [(f, tuple(_remove_family(p, family, pieces) for p in parts)) for f, parts in followers]
        followers.insert(0, (family, tuple(pieces)))
    return found, tuple(followers)


def evaluate_condensed(followers: Followers, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return values by family with those of the families that follow from them."""
    found = dict(values)
    for family, pieces in followers:
        found[family.name] = evaluate_family(family, pieces, values)
    return found


def _remove_family(
    piece: SubstitutionPiece, family: Variables, pieces: Sequence[SubstitutionPiece]
) -> SubstitutionPiece:
    (factors,) = substitute_family([piece.factors], family, pieces)
    return SubstitutionPiece(piece.indices, factors)
