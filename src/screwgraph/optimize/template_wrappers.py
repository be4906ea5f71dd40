"""Templates made of templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from screwgraph.spatial import maximum


@runtime_checkable
class JacobianTemplate(Protocol):
    """A template of vectors that knows its Jacobian: worth it where what was solved need not be differentiated.

    Derivatives of ordinary templates are made by sweeps.
    """

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Return the residual (m,)."""
        ...

    def jacobian(self, *unknowns: Any, **parameters: Any) -> Any:
        """Return its derivative by all unknowns (m, n), columns in their order."""
        ...


Template = Callable[..., Any]
Split = tuple[Template, Template]
"""Two templates: few numbers of the unknowns, and the residual of these numbers; both take all parameters."""


def split_template(template: Template) -> Split | None:
    """Return the parts of a template that has a method `split`, whose unknowns count by few numbers; else None.

    Derivatives and normal equations are then made in these numbers first, which are fewer than the unknowns.
    """
    return template.split() if hasattr(template, "split") else None  # pyright: ignore[reportFunctionMemberAccess]


@dataclass(frozen=True)
class Without:
    """A template that is not given one of its parameters."""

    template: Template
    name: str

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        return self.template(*unknowns, **{n: p for n, p in parameters.items() if n != self.name})


@dataclass(frozen=True)
class Hinge:
    """max(0, residual + threshold): what is left of a residual that should stay below -threshold.

    Xie et al. (2020), eq. (7).
    """

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, threshold: Any, **parameters: Any) -> Any:
        """Return the template's residual, hinged."""
        return maximum(0.0, flatten_residual(self.template(*unknowns, **parameters)) + threshold)

    def split(self) -> Split | None:
        """Return its template's parts, the second one hinged."""
        found = split_template(self.template)
        return None if found is None else (Without(found[0], "threshold"), Hinge(found[1]))


@dataclass(frozen=True)
class EqualityPenalty:
    """weight (residual + shift): the penalty of a method of multipliers for residuals that must vanish."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, weight: Any, shift: Any, **parameters: Any) -> Any:
        """Return the template's residual, shifted and weighed."""
        return weight * (flatten_residual(self.template(*unknowns, **parameters)) + shift)


@dataclass(frozen=True)
class InequalityPenalty:
    """weight max(0, residual + shift): the same for residuals that must not be positive."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, weight: Any, shift: Any, **parameters: Any) -> Any:
        """Return the template's residual, shifted, hinged and weighed."""
        return weight * maximum(0.0, flatten_residual(self.template(*unknowns, **parameters)) + shift)


@dataclass(frozen=True)
class Cost:
    """A template whose numbers are costs themselves, of any sign; their second derivatives are exact."""

    template: Callable[..., Any]

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Return the template's cost."""
        return self.template(*unknowns, **parameters)


def flatten_residual(residual: Any) -> np.ndarray:
    """Return what a template returned as one vector: a scalar, or arrays and lists of scalars, row by row."""
    if isinstance(residual, list | tuple):
        return np.concatenate([np.zeros(0, dtype=object), *map(flatten_residual, residual)])
    return np.ravel(np.asarray(residual, dtype=object))
