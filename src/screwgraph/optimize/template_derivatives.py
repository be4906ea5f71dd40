"""What a template writes on a tape: its residual and cost, and their derivatives by directions of its unknowns.

A residual by way of few numbers has derivatives by the chain rule, small matrices multiplied first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.optimize.kernel_cache import encode_expressions
from screwgraph.optimize.losses import Loss
from screwgraph.optimize.manifold_code import number_names, second_tangents, tangent_rows
from screwgraph.optimize.template_wrappers import Cost, JacobianTemplate, Split, flatten_residual, split_template
from screwgraph.optimize.whitening import INVERSE_SIGMA, WHITENING, whiten_residual
from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Manifold, Vector
from screwgraph.tape import (
    Number,
    Row,
    Scalar,
    Tape,
    depends_on,
    gradient,
    hessian,
    jacobian,
    program,
    substitute_scalars,
)
from screwgraph.tape.sparse_rows import (
    add_entry,
    multiply_lower,
    multiply_rows,
    multiply_transposed,
    scale_rows,
    to_sparse_rows,
    transpose_rows,
)

Shapes = tuple[tuple[str, tuple[int, ...]], ...]

White = Callable[[np.ndarray], np.ndarray]
"""From a residual to another one: whitened, or the same."""


@dataclass(frozen=True)
class Signature:
    """All that the code of factors depends on: the template, kinds of unknowns, shapes of parameters, the loss."""

    __repr__ = one_line

    template: Callable[..., Any]
    arguments: tuple[Manifold, ...]
    shared: Shapes
    each: Shapes
    loss: Loss | None


@dataclass(frozen=True, eq=False)
class Derivation:
    """A template's expressions of inputs of a tape, each derived when somebody first asks for it.

    Directions are those of its unknowns, one after the other; matrices are sparse rows.
    """

    __repr__ = one_line

    signature: Signature

    @cached_property
    def rows(self) -> int:
        """Length of one residual."""
        return len(self.residual)

    @cached_property
    def size(self) -> int:
        """Directions of all arguments."""
        return sum(m.dim for m in self.signature.arguments)

    def expression(self, unknowns: Sequence[Array], parameters: Mapping[str, Any], *, white: bool = True) -> np.ndarray:
        """Return the residual (m,), whitened or not, of values of any kind."""
        r = flatten_residual(self.signature.template(*unknowns, **_without_noise(parameters)))
        return whiten_residual(r, dict(parameters)) if white else r

    def cost_of(self, whitened: np.ndarray) -> Any:
        """Return what a whitened residual costs, of values of any kind."""
        if self.is_cost:
            return whitened.sum()
        square, loss = whitened @ whitened, self.signature.loss
        return 0.5 * (square if loss is None else loss.rho(square))

    @property
    def is_cost(self) -> bool:
        """Whether the residual is the cost, not what is squared; `normal` then has its second derivative."""
        return isinstance(self.signature.template, Cost)

    def linearise(
        self, unknowns: Sequence[Array], parameters: Mapping[str, Any], *, white: bool
    ) -> tuple[np.ndarray, list[Row]]:
        """Return the residual of scalars on a tape, whitened or not, and its derivatives by their directions.

        A template may bring its Jacobian along (`templates.Sloped`) where that is shorter than sweeps.
        """
        r, J = self.expression(unknowns, parameters, white=white), self._template_jacobian(unknowns, parameters)
        if J is None:
            return r, jacobian(r.tolist(), _numbers(unknowns), self._seeds(unknowns))
        return r, to_sparse_rows(np.transpose([whiten_residual(c, dict(parameters)) for c in J.T]) if white else J)

    @cached_property
    def is_linear(self) -> bool:
        """Whether whitened residuals are linear in unknowns that are vectors, and cost their squares."""
        if self.signature.loss is not None or not all(isinstance(m, Vector) for m in self.signature.arguments):
            return False
        read = program(self.tape, [x for row in self.jacobian_whitened for x in row.values()] or [0.0])
        shapes = enumerate(self.signature.arguments)
        return not read.inputs_read & {name for i, m in shapes for name in number_names(f"x{i}", m.shape)}

    def _template_jacobian(self, unknowns: Sequence[Array], parameters: Mapping[str, Any]) -> np.ndarray | None:
        """Return the Jacobian that the template brings along, if it does."""
        template = self.signature.template
        if not isinstance(template, JacobianTemplate):
            return None
        return np.asarray(template.jacobian(*unknowns, **_without_noise(parameters)), dtype=object)

    def _seeds(self, unknowns: Sequence[Array]) -> list[Row]:
        """Return the derivatives of all unknowns' numbers by their directions."""
        rows, start = [], 0
        for manifold, x in zip(self.signature.arguments, unknowns, strict=True):
            rows += [{start + j: t for j, t in row.items()} for row in tangent_rows(manifold, x)]
            start += manifold.dim
        return rows

    @cached_property
    def tape(self) -> Tape:
        """The tape that all is written on."""
        return Tape(merge="form")

    @cached_property
    def symbols(self) -> tuple[list[Any], dict[str, Any]]:
        """Inputs of the tape: each unknown, and each parameter by name."""
        unknowns = [self.tape.inputs(f"x{i}", m.shape) for i, m in enumerate(self.signature.arguments)]
        shapes = (*self.signature.shared, *self.signature.each)
        return unknowns, {name: self.tape.inputs(parameter_name(name), shape) for name, shape in shapes}

    @cached_property
    def residual(self) -> np.ndarray:
        """The residual as the template returns it (m,)."""
        return self.expression(*self.symbols, white=False)

    @cached_property
    def whitened_residual(self) -> np.ndarray:
        """The residual in its standard deviations (m,)."""
        return whiten_residual(self.residual, dict(self.symbols[1]))

    @cached_property
    def cost(self) -> Number:
        """Half the loss of the whitened residual, or the residual of what is a cost itself."""
        return self.cost_of(self.whitened_residual)

    @cached_property
    def weight(self) -> Number:
        """By what the loss multiplies J'J and J'r of the whitened residual."""
        loss = self.signature.loss
        return 1.0 if loss is None else loss.weight(self.whitened_residual @ self.whitened_residual)

    @cached_property
    def jacobian(self) -> list[Row]:
        """Derivatives of the residual, with one entry at least."""
        if self.split_residual is not None:
            return _never_empty(self.split_residual.jacobian(lambda r: r))
        return _never_empty(self.linearise(*self.symbols, white=False)[1])

    @cached_property
    def jacobian_whitened(self) -> list[Row]:
        """Derivatives of the whitened residual."""
        if self.split_residual is not None:
            return self.split_residual.jacobian(self._white)
        return self.linearise(*self.symbols, white=True)[1]

    def _white(self, r: np.ndarray) -> np.ndarray:
        return whiten_residual(r, dict(self.symbols[1]))

    @cached_property
    def split_residual(self) -> SplitResidual | None:
        """The residual by way of few numbers, where the template tells them."""
        parts, (unknowns, parameters) = split_template(self.signature.template), self.symbols
        if parts is None:
            return None
        own, seeds = _without_noise(parameters), self._seeds(unknowns)
        return SplitResidual.from_parts(parts, self.tape, unknowns, own, seeds, self.size)

    @cached_property
    def normal(self) -> tuple[list[Row], list[Number]]:
        """J'J, lower triangle with one entry at least, and J'r (n,), times the weight; of a cost its derivatives."""
        w = self.weight
        if self.is_cost:
            ones = np.ones(self.rows)
            H, g = self._second(ones), multiply_transposed(self.jacobian, ones, self.size)
        elif self.split_residual is not None:
            H, g = self.split_residual.normal(self._white)
        else:
            J = self.jacobian_whitened
            H, g = multiply_lower(J, J, self.size), multiply_transposed(J, self.whitened_residual, self.size)
        return _never_empty(scale_rows(H, w)), [w * entry for entry in g]

    @cached_property
    def slope(self) -> list[Number]:
        """The gradient (n,) of the cost, by one sweep backwards where the template is no composition of others."""
        unknowns, parameters = self.symbols
        if self.is_cost or self.split_residual is not None or self._template_jacobian(unknowns, parameters) is not None:
            return self.normal[1]
        r = self.whitened_residual
        found = multiply_transposed(self._seeds(unknowns), gradient(0.5 * (r @ r), _numbers(unknowns)), self.size)
        return [self.weight * entry for entry in found]

    @cached_property
    def adjoint(self) -> list[Number]:
        """J'y (n,) of the residual, by one sweep backwards; `y` (m,) are inputs."""
        unknowns = self.symbols[0]
        slopes = gradient(self.multipliers @ self.residual, _numbers(unknowns))
        return multiply_transposed(self._seeds(unknowns), slopes, self.size)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Inputs `y` (m,), one for each number of the residual."""
        return self.tape.inputs("y", (self.rows,))

    @cached_property
    def curvature(self) -> list[Row]:
        """The second derivative of y'r, lower triangle; `y` (m,) are inputs."""
        y, through = self.multipliers, self.split_residual
        if through is not None and through.is_linear:
            return through.curvature(y)
        return self._second(y)

    def _second(self, y: np.ndarray) -> list[Row]:
        """Return the second derivative of y'r by the directions, lower triangle."""
        unknowns = self.symbols[0]
        x, seeds = _numbers(unknowns), self._seeds(unknowns)
        g = gradient(y @ self.residual, x)
        H = multiply_lower(seeds, jacobian(g, x, seeds), self.size)
        start, second = 0, []
        for manifold, value in zip(self.signature.arguments, unknowns, strict=True):
            second += [(start, rows) for rows in second_tangents(manifold, value)]
            start += manifold.dim
        for slope, (start, rows) in zip(g, second, strict=True):
            for i, row in enumerate(rows):
                for j, entry in row.items():
                    if j <= i:
                        add_entry(H[start + i], start + j, slope * entry)
        return H

    @cached_property
    def question(self) -> object:
        """All that derivatives follow from, as the template wrote it."""
        given, template = self.symbols, self.signature.template
        forms: list[Number] = [*self.residual, *self.whitened_residual, self.cost, self.weight]
        J = self._template_jacobian(*given)
        forms += [] if J is None else J.ravel().tolist()
        parts = split_template(template)
        kinds = (self.is_cost, J is not None, parts is not None)
        if parts is not None:
            unknowns, own = given[0], _without_noise(given[1])
            y = flatten_residual(parts[0](*unknowns, **own)).tolist()
            forms += [*y, *flatten_residual(parts[1](self.tape.inputs("few", (len(y),)), **own))]
        about = (self.signature.arguments, self.signature.shared, self.signature.each)
        return (*about, kinds, encode_expressions(self.tape, forms))


@dataclass(frozen=True, eq=False)
class SplitResidual:
    """A residual r(y) of numbers y of the unknowns.

    `slope` is the derivative of y by directions, `columns` of them, `numbers` are scalars in the place of y in
    `residual`.
    """

    y: Sequence[Number]
    slope: list[Row]
    columns: int
    is_linear: bool
    numbers: list[Scalar]
    residual: np.ndarray

    @classmethod
    def from_parts(
        cls,
        parts: Split,
        tape: Tape,
        unknowns: Sequence[np.ndarray],
        parameters: Mapping[str, Any],
        seeds: Sequence[Row],
        columns: int,
    ) -> SplitResidual:
        """Return the parts of a residual of unknowns, whose derivatives by directions are `seeds`."""
        entries = [entry for x in unknowns for entry in x.ravel()]
        y = flatten_residual(parts[0](*unknowns, **parameters)).tolist()
        slope = jacobian(y, entries, seeds)
        numbers = tape.inputs("y", (len(y),))
        is_linear = not depends_on([x for row in slope for x in row.values()], entries)
        return cls(y, slope, columns, is_linear, list(numbers), flatten_residual(parts[1](numbers, **parameters)))

    def jacobian(self, white: White) -> list[Row]:
        """Return the Jacobian of the residual."""
        return multiply_rows(self._multiply_rows(jacobian(list(white(self.residual)), self.numbers)), self.slope)

    def normal(self, white: White) -> tuple[list[Row], list[Number]]:
        """Return the lower triangle of J'J, and J'r."""
        r, k = white(self.residual), len(self.numbers)
        J = jacobian(list(r), self.numbers)
        M, g = (
            self._multiply_rows(multiply_lower(J, J, k)),
            substitute_scalars(multiply_transposed(J, r, k), self._values),
        )
        return self._outer(M), multiply_transposed(self.slope, g, self.columns)

    def curvature(self, weights: np.ndarray) -> list[Row]:
        """Return the second derivative of the weighted sum of residuals, lower triangle, where y is linear."""
        return self._outer(self._multiply_rows(hessian(weights @ self.residual, self.numbers)))

    def _outer(self, lower: list[Row]) -> list[Row]:
        """Return the lower triangle of slope' M slope, of the lower triangle of M."""
        whole = [dict(row) for row in lower]
        for i, row in enumerate(transpose_rows(lower, len(lower))):
            whole[i] |= row
        return multiply_lower(self.slope, multiply_rows(whole, self.slope), self.columns)

    @property
    def _values(self) -> dict[Scalar, Number]:
        return dict(zip(self.numbers, self.y, strict=True))

    def _multiply_rows(self, rows: list[Row]) -> list[Row]:
        values = iter(substitute_scalars([x for row in rows for x in row.values()], self._values))
        return [{j: next(values) for j in row} for row in rows]


def parameter_name(name: str) -> str:
    """Return what a parameter is called on a tape: no unknown `x0` and no multiplier `y` is called so."""
    return f"parameter {name}"


def _without_noise(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {n: p for n, p in parameters.items() if n not in (INVERSE_SIGMA, WHITENING)}


def _numbers(unknowns: Sequence[Array]) -> list[Number]:
    return [entry for x in unknowns for entry in x.ravel()]


def _never_empty(rows: list[Row]) -> list[Row]:
    """Return a matrix with one entry at least: functions need one, also of residuals that depend on no unknown."""
    return rows if any(rows) or not rows else [{0: 0.0}, *rows[1:]]
