"""Couplings: equations between joint positions, as of gears, belts, differentials and followers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.position_expression import (
    Constant,
    Expression,
    joints_in,
    make_evaluator,
    rename_positions,
    substitute_positions,
    text_of,
)
from screwgraph.spatial import Array, Taylor, vector


@dataclass(frozen=True, eq=False)
class Coupling:
    """An equation that joint positions obey: sum of c_i q_i + expression = offset.

    `terms` maps joints of one coordinate to their coefficients; `expression`, where there is one, may be any
    arithmetic of joint positions (rad, m). The methods take the positions of `joints`, in that order, as numbers
    of any kind: NumPy arrays of floats, complex numbers, tape scalars.
    """

    name: str
    terms: Mapping[str, float] = field(default_factory=dict)
    offset: float = 0.0
    expression: Expression | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", {joint: float(c) for joint, c in self.terms.items() if c})

    def __repr__(self) -> str:
        return f"<coupling {self.name!r}: {self.text()}>"

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that the equation ties."""
        return tuple(dict.fromkeys([*self.terms, *(joints_in(self.expression) if self.expression else ())]))

    @cached_property
    def _value_at(self) -> Callable[[Mapping[str, Any]], Any]:
        """The value of the expression, if there is one."""
        return make_evaluator(self.expression or Constant(0.0))

    @property
    def is_linear(self) -> bool:
        """Whether the coefficients are constant: a gear, a belt, a follower."""
        return self.expression is None

    def __call__(self, q: Float[Array, " n"]) -> Any:
        """Return the residual, zero where the equation holds."""
        return self._evaluate_along(self._positions(q)) - self.offset

    def gradient(self, q: Float[Array, " n"]) -> Float[Array, " n"]:
        """Return the derivatives of the residual by the positions."""
        if self.is_linear:
            return np.array([self.terms[joint] for joint in self.joints])
        along = [[1.0 if i == j else 0.0 for j in range(len(self.joints))] for i in range(len(self.joints))]
        return vector([self._moving(q, direction).first for direction in along])

    def curvature(self, q: Float[Array, " n"], qd: Float[Array, " n"]) -> Any:
        """Return qd' H qd, H the second derivatives: the residual's second time derivative is gradient qdd + it."""
        return 0.0 if self.is_linear else self._moving(q, [qd[i] for i in range(len(self.joints))]).second

    def with_fixed(self, positions: Mapping[str, float]) -> Coupling:
        """Return the equation between the remaining joints when some stand still at the given positions."""
        fixed = {joint: float(positions[joint]) for joint in self.joints if joint in positions}
        terms = {joint: c for joint, c in self.terms.items() if joint not in fixed}
        offset = self.offset - sum(c * fixed[joint] for joint, c in self.terms.items() if joint in fixed)
        expression = substitute_positions(self.expression, fixed) if self.expression else None
        if isinstance(expression, Constant):
            offset, expression = offset - expression.value, None
        return Coupling(self.name, terms, offset, expression)

    def with_prefix(self, prefix: str) -> Coupling:
        """Return the equation between joints whose names, as its own, begin with a prefix."""
        terms = {prefix + joint: c for joint, c in self.terms.items()}
        expression = self.expression and rename_positions(self.expression, prefix)
        return Coupling(prefix + self.name, terms, self.offset, expression)

    def text(self, names: Mapping[str, str] | None = None) -> str:
        """Print the equation, each joint under the name that `names` gives it, else under its own."""
        called = names or {joint: joint for joint in self.joints}
        parts = [_term(c, called[joint]) for joint, c in self.terms.items()]
        if self.expression:
            parts.append(f"+ {text_of(self.expression, called)}")
        return f"{' '.join(parts).removeprefix('+ ')} = {self.offset:.17g}"

    def _moving(self, q: Float[Array, " n"], direction: Sequence[Any]) -> Taylor:
        curve = {joint: Taylor(q[i], direction[i], 0.0) for i, joint in enumerate(self.joints)}
        return self._evaluate_along(curve)

    def _positions(self, q: Float[Array, " n"]) -> dict[str, Any]:
        return {joint: q[i] for i, joint in enumerate(self.joints)}

    def _evaluate_along(self, positions: Mapping[str, Any]) -> Any:
        parts = [coefficient * positions[joint] for joint, coefficient in self.terms.items()]
        if self.expression:
            with np.errstate(all="ignore"):  # where there is no value or derivative, the result is infinite or none
                parts.append(self._value_at(positions))
        return sum(parts[1:], start=parts[0]) if parts else 0.0


def _term(coefficient: float, name: str) -> str:
    sign, size = "-" if coefficient < 0.0 else "+", abs(coefficient)
    return f"{sign} {name}" if size == 1.0 else f"{sign} {size:.17g}*{name}"
