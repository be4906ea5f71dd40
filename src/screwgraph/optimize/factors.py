"""Factors: one template bound to arrays of unknowns and parameters at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.base.field_state import field_state
from screwgraph.base.summary import one_line
from screwgraph.optimize.kernels import MANY, Kernels, kernels
from screwgraph.optimize.losses import LOSSES, Loss
from screwgraph.optimize.parameters import Each, split_parameters, validate_array
from screwgraph.optimize.template_derivatives import Signature
from screwgraph.optimize.template_wrappers import Cost, Hinge
from screwgraph.optimize.variables import Selection, Variables, selection
from screwgraph.optimize.whitening import make_noise_parameters

Template = Callable[..., Any]
"""A pure function of unknowns (positional) and parameters (by keyword) to a residual.

All are arrays of scalars of any kind, parameters of shape () scalars. It is written with NumPy's operators and the
functions of `screwgraph.spatial` (`concatenate`, `vector`, `sin`, `choose`, ...); one that is written with CasADi works
under `screwgraph.compiler.casadi_template`.
"""
Kind = Literal["soft", "equality", "inequality"]
Refresh = Callable[..., Mapping[str, np.ndarray]]
"""From values of a factor's unknowns, (N, *shape) each or (*shape), to parameters (N, ...) by name."""


@dataclass(frozen=True, eq=False)
class Factors:
    """One template bound to N tuples of unknowns; `shared` parameters are one for all, `each` has one a factor.

    `refresh`, where given, makes some of `each` again from the unknowns' values, whenever these change.
    """

    __repr__ = one_line
    __getstate__ = field_state

    kind: Kind
    template: Template
    arguments: tuple[Selection, ...]
    shared: Mapping[str, np.ndarray]
    each: Mapping[str, np.ndarray]
    loss: Loss | None
    name: str
    refresh: Refresh | None = None

    def __deepcopy__(self, _: dict[int, Any]) -> Factors:
        """Return themselves: nothing changes them, and code is that of the template, whose copy would be another."""
        return self

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        counts = [len(a) for a in self.arguments] + [len(a) for a in self.each.values()]
        return max((c for c in counts if c != 1), default=1)

    @cached_property
    def signature(self) -> Signature:
        """All that its code depends on."""
        shapes = [tuple((n, a.shape) for n, a in sorted(self.shared.items()))]
        shapes.append(tuple((n, a.shape[1:]) for n, a in sorted(self.each.items())))
        kinds = tuple(a.variables.manifold for a in self.arguments)
        return Signature(self.template, kinds, shapes[0], shapes[1], self.loss)

    @cached_property
    def kernels(self) -> Kernels:
        """Its compiled code."""
        return kernels(self.signature, len(self) >= MANY)

    @property
    def rows(self) -> int:
        """Length of one residual."""
        return self.kernels.rows

    def with_parameters(self, **parameters: Any) -> Factors:
        """Return the same with other values of some parameters, of the same shapes.

        Raises:
            InputError: a parameter is unknown, or its new value has another shape.
        """
        new = self.new_values(parameters)
        shared = {name: new.get(name, array) for name, array in self.shared.items()}
        return replace(self, shared=shared, each={name: new.get(name, array) for name, array in self.each.items()})

    def new_values(self, parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return other values of some parameters as arrays. Raises InputError as `with_parameters` does."""
        found = {}
        for name, value in parameters.items():
            per_factor = isinstance(value, Each)
            array = validate_array(f"{self.name}: {name}", value.values if per_factor else value)
            home = self.each if name in self.each else self.shared
            if name not in home:
                known = ", ".join(sorted([*self.shared, *self.each]))
                raise InputError(f"{self.name} has no parameter {name!r}", why=f"it has {known or 'none'}")
            if array.shape != home[name].shape:
                old = home[name].shape
                raise InputError(f"{self.name}: {name} has the shape {array.shape}, expected {old}")
            found[name] = array
        return found


def select_factors(factors: Factors, chosen: Int[np.ndarray, " k"]) -> Factors:
    """Return some of the factors, by number."""
    arguments = tuple(a if len(a) == 1 else Selection(a.variables, a.indices[chosen]) for a in factors.arguments)
    each = {name: array if len(array) == 1 else array[chosen] for name, array in factors.each.items()}
    return replace(factors, arguments=arguments, each=each)


def soft(
    template: Template,
    *variables: Variables | Selection,
    sigma: Any = None,
    covariance: Any = None,
    sqrt_information: Any = None,
    loss: str | Loss | None = None,
    name: str | None = None,
    **parameters: Any,
) -> Factors:
    """Return factors that cost half the square of their whitened residuals.

    Args:
        template: the residual, zero where the law holds.
        variables: families or selections, one for each positional argument, as long as each other or of length 1.
        sigma: standard deviation of the residual: a number, (m,), or `each` of these. Default: 1.
        covariance: of the residual (m, m), instead; may be `each`.
        sqrt_information: W (m, m) with W'W the inverse of the covariance, instead; may be `each`.
        loss: a robust loss or its name.
        name: what to call them; by default as the template.
        parameters: of the template: arrays for all factors, or `each(array)` with one entry a factor.

    Raises:
        InputError: something does not fit the template, or each other.
    """
    name = name or _name(template)
    noise = make_noise_parameters(name, sigma, covariance, sqrt_information)
    return _make_factors("soft", template, variables, parameters, noise, _loss(loss), name)


def cost(template: Template, *variables: Variables | Selection, name: str | None = None, **parameters: Any) -> Factors:
    """Return soft factors that cost what their template returns, instead of half its square.

    It may be negative and need not be convex. Its second derivatives are exact, so it is for methods that support them:
    interior_point, ipopt, fatrop. Arguments as for `soft`.
    """
    return _make_factors("soft", Cost(template), variables, parameters, {}, None, name or _name(template))


def equality(
    template: Template, *variables: Variables | Selection, name: str | None = None, **parameters: Any
) -> Factors:
    """Return hard factors: their residuals must vanish. Arguments as for `soft`."""
    return _make_factors("equality", template, variables, parameters, {}, None, name or _name(template))


def inequality(
    template: Template, *variables: Variables | Selection, name: str | None = None, **parameters: Any
) -> Factors:
    """Return hard factors: their residuals must not be positive. Arguments as for `soft`."""
    return _make_factors("inequality", template, variables, parameters, {}, None, name or _name(template))


def hinge(
    template: Template,
    *variables: Variables | Selection,
    threshold: Any = 0.0,
    sigma: Any = None,
    loss: str | Loss | None = None,
    name: str | None = None,
    **parameters: Any,
) -> Factors:
    """Return factors that cost something where a residual comes nearer to being positive than `threshold`.

    They cost half the square of max(0, residual + threshold) / sigma. Xie et al. (2020), eq. (7); other arguments as
    for `soft`.
    """
    name = name or _name(template)
    noise = make_noise_parameters(name, sigma, None, None)
    parameters = {**parameters, "threshold": threshold}
    return _make_factors("soft", Hinge(template), variables, parameters, noise, _loss(loss), name)


def refresh_parameters(factors: Factors, refresh: Refresh) -> Factors:
    """Return factors some of whose own parameters are made again from the unknowns, at every evaluation.

    This lets templates depend on what has no expression, such as tables: `refresh` returns its Taylor polynomial about
    the unknowns' values, and all derivatives up to the polynomial's degree are those of the table.
    """
    return replace(factors, refresh=refresh)


def _make_factors(
    kind: Kind,
    template: Template,
    variables: tuple[Any, ...],
    parameters: Mapping[str, Any],
    noise: Mapping[str, Any],
    loss: Loss | None,
    name: str,
) -> Factors:
    if not variables:
        raise InputError(f"{name}: factors without unknowns", fix="pass families or selections of unknowns")
    arguments = tuple(selection(v) for v in variables)
    plain = template.template if isinstance(template, Cost | Hinge) else template
    named = {n: v for n, v in parameters.items() if not (n == "threshold" and isinstance(template, Hinge))}
    _check_call(plain, len(arguments), named, name)
    shared, each = split_parameters(name, {**parameters, **noise})
    factors = Factors(kind, template, arguments, shared, each, loss, name)
    _check_counts(factors)
    factors.kernels.check(name)
    return factors


def _check_call(template: Template, count: int, parameters: Mapping[str, Any], name: str) -> None:
    try:
        signature = inspect.signature(template)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a function, got {template!r}", fix="give a function of unknowns") from None
    try:
        signature.bind(*[None] * count, **parameters)
    except TypeError as error:
        raise InputError(f"{name}: the template cannot be called so", why=f"{error}; it is {name}{signature}") from None


def _check_counts(factors: Factors) -> None:
    counts = {a.variables.name: len(a) for a in factors.arguments}
    counts |= {n: len(a) for n, a in factors.each.items()}
    if len({len(a) for a in factors.arguments} | {len(a) for a in factors.each.values()} | {1}) > 2:
        listed = ", ".join(f"{n}: {c}" for n, c in counts.items())
        raise InputError(f"{factors.name}: numbers of unknowns and parameters differ", why=listed)
    if not all(counts.values()):
        raise InputError(f"{factors.name}: no factors", why="a selection is empty")
    for i, a in enumerate(factors.arguments):
        for b in factors.arguments[:i]:
            if a.variables == b.variables and (a.indices == b.indices).any():
                raise InputError(f"{factors.name}: a factor takes one unknown of {a.variables.name} twice")


def _loss(given: str | Loss | None) -> Loss | None:
    if isinstance(given, str):
        if given not in LOSSES:
            raise InputError(f"there is no loss {given!r}", fix=f"losses: {', '.join(LOSSES)}")
        return LOSSES[given]
    if given is not None and not isinstance(given, Loss):
        raise InputError(f"expected a loss, got {given!r}", fix=f"losses: {', '.join(LOSSES)}")
    return given


def _name(template: Any) -> str:
    inner = getattr(template, "func", template)
    return str(getattr(inner, "__name__", type(inner).__name__))
