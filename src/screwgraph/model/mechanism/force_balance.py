"""What acts on one coordinate of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.mechanism.constraints import Constraint
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.model.mechanism.forces import INFLUENCES, Influence, Motion
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries
from screwgraph.model.mechanism.mechanism import AXES, Mechanism, without_metadata
from screwgraph.spatial import Taylor


@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """The rows of a constraint that count; `weight` is how much of their squares the inertia takes, if any."""

    constraint: Constraint
    kept: tuple[int, ...]
    weight: tuple[float, ...] = ()

    def with_values(self, values: Sequence[Any]) -> ConstraintRows:
        """Return the same: no parameter is an input."""
        return self

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates that the constraint involves."""
        return self.constraint.coordinates

    def motion(
        self, q: Sequence[Any], last: Sequence[Any], qd: Sequence[Any] = (), defined: Any = None
    ) -> list[Taylor]:
        """Return the residuals along a motion, given vectors of one number a coordinate; velocities qd rest by default.

        `last` are the highest derivatives, in which second derivatives are linear. `defined` is that of the angle which
        the constraint determines, where it stands apart from the others.
        """
        places = self.coordinates if defined is None else [i for i in self.coordinates if i != self.constraint.defines]
        highest = _numbers(places, last)
        if defined is not None and self.constraint.defines is not None:
            highest[self.constraint.defines] = defined[0]
        rates = _numbers(self.coordinates, qd) if len(qd) else dict.fromkeys(self.coordinates, 0.0)
        return self.constraint.derivatives_along(_numbers(self.coordinates, q), rates, highest)


@dataclass(frozen=True, eq=False)
class ForceBalance:
    """The forces on coordinate `slot` of a mechanism, and the constraints that act on it."""

    __repr__ = one_line

    mechanism: Mechanism
    slot: int
    masses: Mapping[int, float]
    constraints: tuple[ConstraintRows, ...]

    def with_values(self, values: Sequence[Any]) -> ForceBalance:
        """Return the same: no parameter is an input."""
        return self

    @property
    def accelerations(self) -> tuple[int, ...]:
        """The coordinates whose accelerations take part."""
        weighted = (i for rows in self.constraints if rows.weight for i in rows.coordinates)
        return tuple(dict.fromkeys([*self.masses, *weighted]))

    @property
    def positions(self) -> tuple[int, ...]:
        """The coordinates whose positions take part."""
        pushed = (i for influence, part in self._pushes for i in influence.slots(self.mechanism, part))
        return tuple(sorted({*pushed, *(i for rows in self.constraints for i in rows.coordinates)}))

    @property
    def velocities(self) -> tuple[int, ...]:
        """The coordinates whose velocities take part."""
        damped = (
            i
            for influence, part in self._pushes
            if influence.depends_on_velocity
            for i in influence.slots(self.mechanism, part)
        )
        weighted = (i for rows in self.constraints if rows.weight for i in rows.coordinates)
        return tuple(sorted({*damped, *weighted}))

    def inertia(self, q: Mapping[int, Any], qd: Mapping[int, Any], qdd: Mapping[int, Any]) -> Any:
        """Return the force (N, N m) that accelerations take; weighted constraints add nothing where they hold."""
        total: Any = 0.0
        for slot, mass in self.masses.items():
            total = total + mass * qdd[slot]
        return total + self.reinforcement(self.constraints, q, qd, qdd)

    def reinforcement(
        self,
        constraints: Sequence[ConstraintRows],
        q: Mapping[int, Any],
        qd: Mapping[int, Any],
        last: Mapping[int, Any],
    ) -> Any:
        """Return J' w (J last + ...) of weighted constraints, which vanishes where these hold."""
        total: Any = 0.0
        for rows in constraints:
            if rows.weight and self.slot in rows.coordinates:
                slopes, motion = self._slopes(rows, q), rows.constraint.derivatives_along(q, qd, last)
                for i, weight in zip(rows.kept, rows.weight, strict=True):
                    total = total + (weight * slopes[i]) * motion[i].second
        return total

    def constraint_force(self, q: Mapping[int, Any], multipliers: Sequence[Sequence[Any]]) -> Any:
        """Return the force (N, N m) on the constraints, J' lambda, given the multipliers of `constraints`."""
        total: Any = 0.0
        for rows, own in zip(self.constraints, multipliers, strict=True):
            slopes = self._slopes(rows, q)
            for k, i in enumerate(rows.kept):
                total = total + slopes[i] * own[k]
        return total

    def applied_force(self, q: Mapping[int, Any], qd: Mapping[int, Any]) -> Any:
        """Return the force (N, N m) of weights, springs, dampers and the like."""
        still = dict.fromkeys(range(self.mechanism.n), 0.0)
        motion = Motion(self.mechanism, q, {**still, **qd})
        return sum((i.forces(motion, part, (self.slot,))[self.slot] for i, part in self._pushes), start=0.0)

    @cached_property
    def _pushes(self) -> tuple[tuple[Influence, Any], ...]:
        return tuple(
            (influence, part)
            for influence in INFLUENCES.values()
            for part in influence.parts(self.mechanism)
            if self.slot in influence.slots(self.mechanism, part)
        )

    def _slopes(self, rows: ConstraintRows, q: Mapping[int, Any]) -> list[Any]:
        return [row[0] for row in rows.constraint.gradient(q, (self.slot,))]


def select_constraints(mechanism: Mechanism, by_row: Sequence[float] | None = None) -> tuple[ConstraintRows, ...]:
    """Return the constraints that count, with weights of their rows: by default those that points without mass need.

    Raises:
        InputError: some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """
    weights, found = iter(constraint_weights(mechanism) if by_row is None else by_row), []
    for constraint, kept in zip(mechanism.constraints, mechanism.kept_rows, strict=True):
        own = tuple(next(weights) for _ in kept)
        if kept:
            found.append(ConstraintRows(constraint, kept, own if any(own) else ()))
    return tuple(found)


def make_balances(mechanism: Mechanism, constraints: Sequence[ConstraintRows]) -> tuple[ForceBalance, ...]:
    """Return the balance of forces of each coordinate, in the order of q."""
    bare = replace(without_metadata(mechanism), bound=None)
    masses: list[dict[int, float]] = [{} for _ in range(mechanism.n)]
    for (i, j), mass in compute_mass_entries(mechanism).items():
        masses[i][j] = mass
    return tuple(
        ForceBalance(bare, slot, masses[slot], tuple(rows for rows in constraints if slot in rows.coordinates))
        for slot in range(mechanism.n)
    )


def _numbers(slots: Sequence[int], vectors: Sequence[Any]) -> dict[int, Any]:
    return {i: vector[0] for i, vector in zip(slots, vectors, strict=True)}


# Points without mass: what keeps the inertia of a mechanism regular.

POSITIVE = 1e-10
"""Part of the largest eigenvalue that the smallest of a positive definite matrix exceeds."""


@lru_cache(maxsize=64)
def constraint_weights(mechanism: Mechanism) -> tuple[float, ...]:
    """Return how much of the squared constraints is added to the mass matrix, by row that counts.

    Raises:
        InputError: some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """
    if mechanism.bound is not None:
        return constraint_weights(mechanism.nominal)
    found = regular_weights(mechanism, mass_matrix(mechanism))
    if found is None:
        raise InputError(
            f"mechanism {mechanism.name!r} can move without moving any mass",
            why="its accelerations are not determined",
            fix="give masses and inertias to the bodies",
        )
    return found


def find_defining_rows(mechanism: Mechanism) -> tuple[tuple[int, int], ...]:
    """Return each angle's place in q, and the place of the row that defines it among those that count."""
    kept = mechanism.freedom.kept
    return tuple((slot, kept.index(row)) for slot, row in mechanism.defining_rows)


def regular_weights(mechanism: Mechanism, mass: Float[np.ndarray, "n n"]) -> tuple[float, ...] | None:
    """Choose weights w such that M + J' diag(w) J is positive definite where it is assembled, angles taken out.

    Points without mass leave M singular. Adding J' w J to it, and J' w c to the forces, changes no acceleration that
    satisfies J qdd = c. Rows that touch no massless coordinate are left out if they can. None where no weights do: then
    some motion moves no mass. Raises ModelError where the mechanism cannot be assembled.
    """
    jacobian = mechanism.closing_program.interpreter(mechanism.home)[1][list(mechanism.freedom.kept)]
    angles = find_defining_rows(mechanism)
    slots, defining = [slot for slot, _ in angles], [row for _, row in angles]
    points = [i for i in range(len(mass)) if i not in slots]
    others, whole = [i for i in range(len(jacobian)) if i not in defining], len(jacobian)
    follow = jacobian[defining][:, points] / jacobian[defining, slots][:, None]
    jacobian = jacobian[others][:, points] - jacobian[others][:, slots] @ follow
    moved = np.zeros((len(mass), len(points)))
    moved[points, range(len(points))] = 1.0
    moved[slots] = -follow
    mass = moved.T @ mass @ moved
    massless = np.abs(mass).max(axis=1, initial=0.0) <= POSITIVE * np.abs(mass).max(initial=0.0)
    scale = (np.trace(mass) or 1.0) / max(1, int((~massless).sum()))
    size = np.maximum(np.abs(jacobian).max(axis=1, initial=0.0), 1e-100) ** 2
    for rows in (
        np.zeros(len(jacobian), bool),
        (jacobian[:, massless] != 0.0).any(axis=1),
        np.ones(len(jacobian), bool),
    ):
        chosen = np.where(rows, scale / size, 0.0)
        eigenvalues = np.linalg.eigvalsh(mass + jacobian.T @ (chosen[:, None] * jacobian))
        if len(eigenvalues) and eigenvalues[0] > POSITIVE * eigenvalues[-1]:
            rows = np.zeros(whole)
            rows[others] = chosen
            return tuple(float(w) for w in rows)
    return None


def find_slots(mechanism: Mechanism, names: Sequence[str], what: str) -> tuple[int, ...]:
    """Return where coordinates, or all of points, stand in q; of a point and an angle of one name, the angle.

    Raises:
        InputError: a name means nothing, or `what` names one twice.
    """
    found: list[int] = []
    for name in names:
        of_point = [f"{axis}:{name}" for axis in AXES if name not in mechanism.coordinates]
        for slot in [mechanism.index(c) for c in of_point if c in mechanism.coordinates] or [mechanism.index(name)]:
            if slot in found:
                raise InputError(f"{what} name {name!r} twice", fix="name it once")
            found.append(slot)
    return tuple(found)
