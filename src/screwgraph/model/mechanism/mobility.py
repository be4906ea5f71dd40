"""How a mechanism may move: the rank of its constraints, its degrees of freedom, its independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.mechanism.closure import (
    ROUGH,
    ClosureCode,
    closure_errors,
    descend_closure,
    find_inconsistent_body,
)
from screwgraph.spatial import null_space

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism

RANK = 1e-8
"""Singular values of the constraints, rows of unit length, below this part of the largest count as zero."""
TRIES = 3
"""Positions beside the one given: there, a position is singular by chance no more."""
BESIDE = 0.02
SINGULAR = 1e-6


@dataclass(frozen=True)
class MechanismMobility:
    """Degrees of freedom, the rows of the constraints that count, and the independent coordinates z by place in q.

    The other rows depend on those that count, wherever the mechanism closes.
    """

    dof: int
    kept: tuple[int, ...]
    independent: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of rows that count."""
        return len(self.kept)


def analyse_mobility(
    mechanism: Mechanism, code: ClosureCode, home: Float[np.ndarray, " n"], defining: Sequence[int] = ()
) -> MechanismMobility:
    """Look at a closed position and others beside it; the rows that define angles count in any case.

    Raises:
        ModelError: the independent coordinates that the mechanism names are too few, too many, or not independent.
    """
    here = _unit(code.in_units(home)[1])
    beside = [_unit(J) for J in _nearby(code, home)]
    kept = max((_independent_rows(J, list(defining)) for J in (here, *beside)), key=len)
    dof = mechanism.n - len(kept)
    if mechanism.independent:
        chosen = tuple(mechanism.index(name) for name in mechanism.independent)
        _check_choice(mechanism, chosen, dof, [J[list(kept)] for J in (here, *beside)])
    else:
        chosen = _choice(here[list(kept)] if _rank(here) == len(kept) else beside[0][list(kept)], dof)
    return MechanismMobility(dof, tuple(kept), chosen)


def _nearby(code: ClosureCode, home: np.ndarray) -> list[np.ndarray]:
    """Return Jacobians of closed positions beside one, in units of the closure."""
    rng = np.random.default_rng(0)
    every, free, found = list(range(len(code.parts))), np.ones(len(home), dtype=bool), []
    for _ in range(TRIES):
        q = home + BESIDE * code.units.coordinates * rng.standard_normal(len(home))
        residual, J = code.in_units(descend_closure(code, q, free, every))
        if closure_errors(residual, J).max(initial=0.0) <= ROUGH:
            found.append(J)
    return found


def _unit(J: np.ndarray) -> np.ndarray:
    return J / np.maximum(np.sqrt((J * J).sum(axis=1, keepdims=True)), 1e-300)


def _rank(J: np.ndarray) -> int:
    s = np.linalg.svd(J, compute_uv=False)
    return int((s > RANK * s[0]).sum()) if len(s) else 0


def _independent_rows(J: np.ndarray, first: list[int]) -> list[int]:
    """Choose rows by pivoted QR: `first`, which are independent, then of the others what these leave."""
    from scipy.linalg import qr

    others = [i for i in range(len(J)) if i not in first]
    if not others:
        return sorted(first)
    known: Any = qr(J[first].T, mode="economic")[0]
    rest = J[others] - (J[others] @ known) @ known.T
    order: Any = qr(rest.T, mode="economic", pivoting=True)[-1]
    return sorted([*first, *(others[i] for i in order[: _rank(J) - len(first)])])


def _choice(J: np.ndarray, dof: int) -> tuple[int, ...]:
    """Choose coordinates that move most where all others follow: by pivoted QR of what the constraints leave free."""
    from scipy.linalg import qr

    if not dof:
        return ()
    free = null_space(J, rank=len(J)).T
    order: Any = qr(free, pivoting=True)[-1]
    return tuple(sorted(int(i) for i in order[:dof]))


def _check_choice(mechanism: Mechanism, chosen: tuple[int, ...], dof: int, jacobians: list[np.ndarray]) -> None:
    if len(chosen) != dof:
        named = f"{len(chosen)} independent coordinate{'' if len(chosen) == 1 else 's'}"
        contradicted = find_inconsistent_body(mechanism)
        raise ModelError(
            f"{mechanism.name!r} names {named} and has {dof} degree{'' if dof == 1 else 's'} of freedom",
            at=mechanism.places.get(contradicted[0] if contradicted else ""),
            why=" ".join(contradicted) if contradicted else "",
        )
    B = np.eye(mechanism.n)[list(chosen)]
    best = max(np.linalg.svd(np.vstack([J, B]), compute_uv=False)[-1] for J in jacobians)
    if best <= SINGULAR:
        raise ModelError(
            f"the coordinates {', '.join(mechanism.independent)} do not determine all others",
            at=mechanism.places.get(""),
            fix="leave out independent:, or name others",
        )
