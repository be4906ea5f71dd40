"""Base parameters: the combinations of parameters that joint torques show, as few as there can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.arguments import checked
from screwgraph.dynamics.closed_regrouping import closed_combinations
from screwgraph.dynamics.regressor import linear_parameters
from screwgraph.dynamics.regrouping import tree_combinations
from screwgraph.robot import Robot
from screwgraph.robot.parameters import LINEAR, checked_parameters
from screwgraph.summary import one_line

WRITTEN = 10
"""Digits of a fraction that are written; longer ones are rounded, like other numbers, to six."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of parameters pi (k,) that joint torques depend on: pi_base = map @ pi, (rank,).

    `labels` names the numbers of pi, `independent` are the places of those that lead a combination, `coefficients` are
    the combinations by place: fractions where lengths and right angles of the file make them, floats otherwise;
    `expressions` writes them out. tau = Y[:, independent] @ pi_base for all motions, with Y of `regressor` for the same
    parameters.
    """

    __repr__ = one_line

    labels: tuple[str, ...]
    independent: tuple[int, ...]
    coefficients: tuple[Mapping[int, Fraction | float], ...]

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.independent)

    @cached_property
    def map(self) -> Float[np.ndarray, "rank k"]:
        """The combinations as a matrix."""
        found = np.zeros((self.rank, len(self.labels)))
        for row, own in zip(found, self.coefficients, strict=True):
            row[list(own)] = [float(x) for x in own.values()]
        return found

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """The combinations as text: "link1.Izz + link2.Iyy + 0.09 link2.m"."""
        return tuple(_sum(self.labels, own, i) for own, i in zip(self.coefficients, self.independent, strict=True))

    def __str__(self) -> str:
        return "\n".join(self.expressions)


@checked
def base_parameters(
    robot: Robot, *, parameters: Sequence[str] | None = None, payload: str | None = None
) -> BaseParameters:
    """Return the base parameters of a robot: what of its parameters joint torques can tell (SI units).

    They follow from axes and lengths, not from motions: Khalil & Kleinfinger (1987), Mayeda, Yoshida & Osuka (1990).
    Angles within 1e-5 rad of right ones count as these. Only what loops and couplings tie besides is found at
    closed positions: Gautier (1991). The leading parameters are the first ones, from the base to the tips.
    `parameters` as for `regressor`.

    Raises:
        InputError: as `regressor`; no position closes the loops.
    """
    names = linear_parameters(robot) if parameters is None else tuple(parameters)
    own = checked_parameters("torques are not linear in", LINEAR, robot, names, payload)
    labels = tuple(label for p in own for label in p.labels(robot))
    rows = tree_combinations(robot, own)
    rows = closed_combinations(robot, own, rows) if robot.is_closed else rows
    found = [{c: x.value for c, x in sorted(row.items())} for row in rows.values()]
    return BaseParameters(labels, tuple(rows), tuple(found))


def _sum(labels: Sequence[str], row: Mapping[int, Fraction | float], first: int) -> str:
    terms = [f"{'+' if x > 0 else '-'} {_factor(abs(x))}{labels[i]}" for i, x in row.items() if i != first]
    return " ".join([labels[first], *terms])


def _factor(x: Fraction | float) -> str:
    if x == 1:
        return ""
    if isinstance(x, Fraction):
        context = Context(prec=WRITTEN)
        decimal = context.divide(Decimal(x.numerator), Decimal(x.denominator))
        if not context.flags[Inexact]:
            return f"{decimal.normalize():f} "
    return f"{float(x):.6g} "
