"""Derivatives of residuals by way of few numbers: the chain rule with the small matrices multiplied first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.noise import INVERSE_SIGMA, WHITENING
from screwgraph.optimize.templates import Split, column

White = Callable[[Any], Any]
"""From a residual to another one: whitened, or the same."""


@dataclass(frozen=True, eq=False)
class Through:
    """A residual r(y) of numbers y that depend on directions d, as CasADi expressions.

    `y` and `slope` = dy/dd are taken where d vanishes; `number` are symbols of y in `residual`.
    """

    y: Any
    slope: Any
    is_linear: bool
    number: Any
    residual: Any

    @classmethod
    def of(cls, parts: Split, near: Sequence[Any], parameters: Mapping[str, Any], d: Any) -> Through:
        """Return the parts of a residual of unknowns `near` themselves, moved in directions d."""
        import casadi as ca

        own = {n: p for n, p in parameters.items() if n not in (INVERSE_SIGMA, WHITENING)}
        y = column(parts[0](*near, **own))
        slope, zero = ca.jacobian(y, d), ca.SX.zeros(d.numel())
        number = ca.SX.sym("y", y.numel())
        at_zero = ca.substitute([y, slope], [d], [zero])
        is_linear = not ca.depends_on(slope, d)
        return cls(at_zero[0], ca.sparsify(at_zero[1]), is_linear, number, column(parts[1](number, **own)))

    def jacobian(self, white: White) -> Any:
        """Return the Jacobian of the residual, sparse."""
        import casadi as ca

        return ca.sparsify(self._at(ca.jacobian(white(self.residual), self.number)) @ self.slope)

    def normal(self, white: White) -> tuple[Any, Any]:
        """Return J'J and J'r."""
        import casadi as ca

        r = white(self.residual)
        J = ca.jacobian(r, self.number)
        M, g = self._at(ca.tril2symm(ca.tril(J.T @ J))), self._at(J.T @ r)
        return self.slope.T @ (M @ self.slope), self.slope.T @ g

    def curvature(self, weights: Any) -> Any:
        """Return the second derivative of the weighted sum of residuals, where y is linear in d."""
        import casadi as ca

        H, _ = ca.hessian(ca.dot(weights, self.residual), self.number)
        return self.slope.T @ (self._at(H) @ self.slope)

    def _at(self, expression: Any) -> Any:
        import casadi as ca

        return ca.substitute(expression, self.number, self.y)
