"""Templates made of templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Hinge:
    """max(0, residual + threshold): what is left of a residual that should stay below -threshold. Paper 2, eq. (7)."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, threshold: Any, **parameters: Any) -> Any:
        """Return the template's residual, hinged, on CasADi scalars."""
        import casadi as ca

        return ca.fmax(0.0, column(self.template(*unknowns, **parameters)) + threshold)


@dataclass(frozen=True)
class Pulled:
    """weight (residual + shift): the penalty of a method of multipliers for residuals that must vanish."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, weight: Any, shift: Any, **parameters: Any) -> Any:
        """Return the template's residual, shifted and weighed, on CasADi scalars."""
        return weight * (column(self.template(*unknowns, **parameters)) + shift)


@dataclass(frozen=True)
class Pushed:
    """weight max(0, residual + shift): the same for residuals that must not be positive."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, weight: Any, shift: Any, **parameters: Any) -> Any:
        """Return the template's residual, shifted, hinged and weighed, on CasADi scalars."""
        import casadi as ca

        return weight * ca.fmax(0.0, column(self.template(*unknowns, **parameters)) + shift)


def column(residual: Any) -> Any:
    """Return what a template returned as a CasADi column: scalars, lists, arrays of scalars, rows and columns."""
    import casadi as ca
    import numpy as np

    if isinstance(residual, np.ndarray):
        residual = list(residual.ravel())
    if isinstance(residual, list | tuple):
        residual = ca.vertcat(*(column(r) for r in residual))
    return ca.vec(ca.densify(ca.SX(residual)))
