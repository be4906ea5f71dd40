"""Which joint rates of a closed chain follow from others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from screwgraph.graph.variable import Key
from screwgraph.model.robot import (
    Robot,
    SampledJacobians,
    compute_followed_jacobians,
    constraint_rows,
    find_determined_columns,
    independent_coordinates,
)


@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """Independent rows of K at some closed positions: which multiplier each belongs to, and the rate of each column."""

    multipliers: tuple[Key, ...]
    rates: tuple[tuple[Key, int], ...]
    at: SampledJacobians


@dataclass(frozen=True, eq=False)
class JointDependence:
    """Dependence of a closed chain's joints on the independent ones: found when asked for, since that takes time."""

    robot: Robot

    @cached_property
    def rates(self) -> frozenset[tuple[Key, int]]:
        """The scalars of `qdd` that follow from those of the independent joints.

        Raises:
            InputError: no joints determine the others, or those that were chosen do not.
        """
        independent = set(independent_coordinates(self.robot))
        return frozenset(place for number, place in enumerate(self._places) if number not in independent)

    @cached_property
    def slopes(self) -> ConstraintRows:
        """The constraints' coefficients, as numbers."""
        rows = constraint_rows(self.robot)
        multipliers = tuple(Key("lambda", rows[i].of) for i in self.robot.mobility.kept)
        return ConstraintRows(multipliers, self._places, compute_followed_jacobians(self.robot))

    def follow(self, multipliers: frozenset[Key], wanted: list[tuple[Key, int]]) -> tuple[tuple[Key, int], ...]:
        """Return as many rates as the multipliers have rows, which these rows determine; none where no choice does.

        Args:
            multipliers: of the constraints that are looked at.
            wanted: rates to choose from, in the order of preference.
        """
        slopes = self.slopes
        rows = [i for i, key in enumerate(slopes.multipliers) if key in multipliers]
        place = {rate: i for i, rate in enumerate(slopes.rates)}
        found = find_determined_columns(slopes.at.of_rows(rows), [place[rate] for rate in wanted], len(rows))
        return tuple(rate for rate in slopes.rates if place[rate] in found)

    @property
    def _places(self) -> tuple[tuple[Key, int], ...]:
        return tuple((Key("qdd", j.name), i) for j in self.robot.joints for i in range(j.type.nv))
