"""Compiled code of a template: residuals, costs, normal equations, Jacobians of many factors at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.compiler import compiled
from screwgraph.errors import InputError
from screwgraph.optimize.kernel_cache import KernelProgram, Places, remembered_kernel, remembered_number, written
from screwgraph.optimize.losses import Loss
from screwgraph.optimize.manifold_code import bends, number_names, tangents
from screwgraph.optimize.noise import INVERSE_SIGMA, WHITENING, whitened
from screwgraph.optimize.split_jacobian import Through
from screwgraph.optimize.templates import Cost, Sloped, column, split
from screwgraph.spatial import Array, sqrt
from screwgraph.spatial.manifolds import Manifold, Vector
from screwgraph.summary import one_line
from screwgraph.tape import Number, Program, Row, Tape, by_outputs, gradient, jacobian, program
from screwgraph.tape.rows import add_entry, lower_product, scaled, sparse, transposed_times

Shapes = tuple[tuple[str, tuple[int, ...]], ...]
MANY = 8
"""Factors from which on code for vectors of them is worth its making."""
LONGEST = 6_000
"""Instructions of a function beyond which code for vectors takes seconds to make."""
UNROLLED = 20_000
"""Products in a factor's normal equations beyond which they are left to matrix products."""


@dataclass(frozen=True)
class Signature:
    """All that the code of factors depends on: the template, kinds of unknowns, shapes of parameters, the loss."""

    __repr__ = one_line

    template: Callable[..., Any]
    arguments: tuple[Manifold, ...]
    shared: Shapes
    each: Shapes
    loss: Loss | None


@lru_cache(maxsize=512)
def kernels(signature: Signature, many: bool) -> Kernels:
    """Return the code of a signature, for batches of `MANY` factors and more or for fewer; the same for the same."""
    return Kernels(signature, many)


@dataclass(frozen=True, eq=False)
class Kernels:
    """Code of a template, each function compiled when it is first called.

    All take the unknowns, then the shared parameters and those of each factor as one vector each (where there are any).
    """

    __repr__ = one_line

    signature: Signature
    many: bool

    @cached_property
    def rows(self) -> int:
        """Length of one residual."""
        return len(self._residual)

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """Directions of each argument."""
        return tuple(m.dim for m in self.signature.arguments)

    @cached_property
    def size(self) -> int:
        """Directions of all arguments."""
        return sum(self.dims)

    def check(self, name: str) -> None:
        """Raise InputError where noise does not fit the residual."""
        shapes = dict((*self.signature.shared, *self.signature.each))
        sigma, root = shapes.get(INVERSE_SIGMA, ()), shapes.get(WHITENING, (self.rows, self.rows))
        if sigma not in ((), (1,), (self.rows,)) or root != (self.rows, self.rows):
            raise InputError(f"{name}: the noise does not fit a residual of {self.rows} numbers")

    @cached_property
    def residual(self) -> np.ufunc:
        """Residuals as the template returns them, (m,)."""
        return self._compiled("residual")

    @cached_property
    def cost(self) -> np.ufunc:
        """Half the loss of the whitened residual, (1,)."""
        return self._compiled("cost")

    @cached_property
    def normal(self) -> np.ufunc:
        """Entries of J'J at `pattern`, J'r (n,), and the cost (1,), weighed by the loss."""
        return self._compiled("normal")

    @cached_property
    def whitened_jacobian(self) -> np.ufunc:
        """Whitened residual (m,) and Jacobian (m, n), both times the root of the loss's weight; the cost (1,)."""
        return self._compiled("whitened_jacobian")

    @cached_property
    def jacobian(self) -> np.ufunc:
        """The residual (m,), and the entries of its Jacobian at `places`."""
        return self._compiled("jacobian")

    @cached_property
    def curvature(self) -> np.ufunc:
        """Entries at `bends` of the second derivative of y'r; takes y (m,) as its last argument."""
        return self._compiled("curvature", [("y", (self.rows,))])

    @cached_property
    def unrolled(self) -> bool:
        """Whether `normal` is small enough to be worth compiling."""
        if self._through is not None or self.is_cost:
            return True

        def products() -> int:
            return sum(len(row) * (len(row) + 1) // 2 for row in self._jacobian_whitened)

        return remembered_number(("products", self.question), products) <= UNROLLED

    @cached_property
    def pattern(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns of J'J, lower triangle, that may differ from zero."""
        if self.unrolled:
            return self._places_of("normal")
        return np.tril_indices(self.size)

    @cached_property
    def places(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns of the Jacobian that may differ from zero."""
        return self._places_of("jacobian")

    @cached_property
    def bends(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns, lower triangle, of the second derivative that may differ from zero."""
        return self._places_of("curvature")

    def expression(self, unknowns: Sequence[Array], parameters: Mapping[str, Any], *, white: bool = True) -> np.ndarray:
        """Return the residual (m,), whitened or not, of values of any kind."""
        r = column(self.signature.template(*unknowns, **_without_noise(parameters)))
        return whitened(r, dict(parameters)) if white else r

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

    def linearised(
        self, unknowns: Sequence[Array], parameters: Mapping[str, Any], *, white: bool
    ) -> tuple[np.ndarray, list[Row]]:
        """Return the residual of scalars on a tape, whitened or not, and its derivatives by their directions.

        A template may bring its Jacobian along (`templates.Sloped`) where that is shorter than sweeps.
        """
        r = self.expression(unknowns, parameters, white=white)
        template = self.signature.template
        if not isinstance(template, Sloped):
            return r, jacobian(r.tolist(), _numbers(unknowns), self._seeds(unknowns))
        J = np.asarray(template.jacobian(*unknowns, **_without_noise(parameters)), dtype=object)
        return r, sparse(np.transpose([whitened(c, dict(parameters)) for c in J.T]) if white else J)

    @cached_property
    def is_linear(self) -> bool:
        """Whether whitened residuals are linear in unknowns that are vectors, and cost their squares."""
        if self.signature.loss is not None or not all(isinstance(m, Vector) for m in self.signature.arguments):
            return False
        read = program(self._tape, [x for row in self._jacobian_whitened for x in row.values()] or [0.0])
        used = {read.input_names[i[1]] for i in read.instructions if i[0] == "input"}
        shapes = enumerate(self.signature.arguments)
        return not used & {name for i, m in shapes for name in number_names(f"x{i}", m.shape)}

    def _seeds(self, unknowns: Sequence[Array]) -> list[Row]:
        """Return the derivatives of all unknowns' numbers by their directions."""
        rows, start = [], 0
        for manifold, x in zip(self.signature.arguments, unknowns, strict=True):
            rows += [{start + j: t for j, t in row.items()} for row in tangents(manifold, x)]
            start += manifold.dim
        return rows

    @cached_property
    def _tape(self) -> Tape:
        return Tape(merge="form")

    @cached_property
    def _symbols(self) -> tuple[list[Any], dict[str, Any]]:
        unknowns = [self._tape.inputs(f"x{i}", m.shape) for i, m in enumerate(self.signature.arguments)]
        shapes = (*self.signature.shared, *self.signature.each)
        return unknowns, {name: self._tape.inputs(name, shape) for name, shape in shapes}

    @cached_property
    def _residual(self) -> np.ndarray:
        return self.expression(*self._symbols, white=False)

    @cached_property
    def _whitened(self) -> np.ndarray:
        return whitened(self._residual, dict(self._symbols[1]))

    @cached_property
    def _cost(self) -> Number:
        return self.cost_of(self._whitened)

    @cached_property
    def _weight(self) -> Number:
        loss = self.signature.loss
        return 1.0 if loss is None else loss.weight(self._whitened @ self._whitened)

    @cached_property
    def _jacobian(self) -> list[Row]:
        if self._through is not None:
            return _never_empty(self._through.jacobian(lambda r: r))
        return _never_empty(self.linearised(*self._symbols, white=False)[1])

    @cached_property
    def _jacobian_whitened(self) -> list[Row]:
        if self._through is not None:
            return self._through.jacobian(self._white)
        return self.linearised(*self._symbols, white=True)[1]

    def _white(self, r: np.ndarray) -> np.ndarray:
        return whitened(r, dict(self._symbols[1]))

    @cached_property
    def _through(self) -> Through | None:
        """The residual by way of few numbers, where the template tells them."""
        parts, (unknowns, parameters) = split(self.signature.template), self._symbols
        if parts is None:
            return None
        own, seeds = _without_noise(parameters), self._seeds(unknowns)
        return Through.of(parts, self._tape, unknowns, own, seeds, self.size)

    @cached_property
    def _normal(self) -> tuple[list[Row], list[Number]]:
        w = self._weight
        if self.is_cost:
            ones = np.ones(self.rows)
            H, g = self._second(ones), transposed_times(self._jacobian, ones, self.size)
        elif self._through is not None:
            H, g = self._through.normal(self._white)
        else:
            J = self._jacobian_whitened
            H, g = lower_product(J, J, self.size), transposed_times(J, self._whitened, self.size)
        return _never_empty(scaled(H, w)), [w * entry for entry in g]

    @cached_property
    def _curvature(self) -> list[Row]:
        y, through = self._tape.inputs("y", (self.rows,)), self._through
        if through is not None and through.is_linear:
            return through.curvature(y)
        return self._second(y)

    def _second(self, y: np.ndarray) -> list[Row]:
        """Return the second derivative of y'r by the directions, lower triangle."""
        unknowns = self._symbols[0]
        x, seeds = _numbers(unknowns), self._seeds(unknowns)
        g = gradient(y @ self._residual, x)
        H = lower_product(seeds, jacobian(g, x, seeds), self.size)
        start, second = 0, []
        for manifold, value in zip(self.signature.arguments, unknowns, strict=True):
            second += [(start, rows) for rows in bends(manifold, value)]
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
        given, template = self._symbols, self.signature.template
        forms: list[Number] = [*self._residual, *self._whitened, self._cost, self._weight]
        if isinstance(template, Sloped):
            forms += np.ravel(
                np.asarray(template.jacobian(*given[0], **_without_noise(given[1])), dtype=object)
            ).tolist()
        parts = split(template)
        kinds = (self.is_cost, isinstance(template, Sloped), parts is not None)
        if parts is not None:
            unknowns, own = given[0], _without_noise(given[1])
            y = column(parts[0](*unknowns, **own)).tolist()
            forms += [*y, *column(parts[1](self._tape.inputs("few", (len(y),)), **own))]
        about = (self.signature.arguments, self.signature.shared, self.signature.each)
        return (*about, kinds, written(self._tape, forms))

    def _places_of(self, name: str) -> Places:
        """Return rows and columns of the entries of a function's matrix."""
        places = self._program(name).places
        assert places is not None
        return places

    def _program(self, name: str) -> KernelProgram:
        """Return the code of a function, from the cache if it was made before."""
        if name not in self._programs:
            make = partial(self._made, name)
            self._programs[name] = remembered_kernel((name, self.question), make)
        return self._programs[name]

    @cached_property
    def _programs(self) -> dict[str, KernelProgram]:
        return {}

    def _made(self, name: str) -> KernelProgram:
        """Write the code of a function."""
        results, matrix = self._results(name)
        outputs = [value for values, _ in results for value in values]
        code = without_unused(by_outputs(program(self._tape, outputs)))
        return KernelProgram(code, tuple(shape for _, shape in results), None if matrix is None else _places(matrix))

    def _results(self, name: str) -> tuple[list[tuple[Sequence[Number], tuple[int, ...]]], list[Row] | None]:
        """Return what a function returns, and the matrix whose entries are among that."""
        if name == "normal":
            H, g = self._normal
            entries = _entries(H)
            return [(entries, (len(entries),)), (g, (self.size,)), ([self._cost], (1,))], H
        if name == "whitened_jacobian":
            root = sqrt(self._weight)
            J = [row.get(j, 0.0) for row in scaled(self._jacobian_whitened, root) for j in range(self.size)]
            white = (root * self._whitened).tolist()
            return [(white, (self.rows,)), (J, (self.rows, self.size)), ([self._cost], (1,))], None
        if name == "jacobian":
            entries = _entries(self._jacobian)
            return [(self._residual.tolist(), (self.rows,)), (entries, (len(entries),))], self._jacobian
        if name == "curvature":
            entries = _entries(self._curvature)
            return [(entries, (len(entries),))], self._curvature
        if name == "cost":
            return [([self._cost], (1,))], None
        return [(self._residual.tolist(), (self.rows,))], None

    def _compiled(self, name: str, more: Sequence[tuple[str, tuple[int, ...]]] = ()) -> np.ufunc:
        arguments = []
        for i, manifold in enumerate(self.signature.arguments):
            arguments.append((manifold.shape, number_names(f"x{i}", manifold.shape)))
        for shapes in (self.signature.shared, self.signature.each):
            flat = tuple(n for name, shape in shapes for n in number_names(name, shape))
            if flat:
                arguments.append(((len(flat),), flat))
        arguments += [(shape, number_names(extra, shape)) for extra, shape in more]
        made = self._program(name)
        batches = self.many and len(made.code.instructions) <= LONGEST
        return compiled(name, made.code, arguments, list(made.shapes), batches=batches, quickly=True).ufunc


def without_unused(program: Program) -> Program:
    """Return a program without the inputs that it does not read."""
    used = sorted({i[1] for i in program.instructions if i[0] == "input"})
    place = {old: new for new, old in enumerate(used)}
    moved = tuple(("input", place[i[1]]) if i[0] == "input" else i for i in program.instructions)
    return Program(tuple(program.input_names[i] for i in used), moved, program.outputs)


def _without_noise(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {n: p for n, p in parameters.items() if n not in (INVERSE_SIGMA, WHITENING)}


def _numbers(unknowns: Sequence[Array]) -> list[Number]:
    return [entry for x in unknowns for entry in x.ravel()]


def _never_empty(rows: list[Row]) -> list[Row]:
    """Return a matrix with one entry at least: functions need one, also of residuals that depend on no unknown."""
    return rows if any(rows) or not rows else [{0: 0.0}, *rows[1:]]


def _entries(rows: Sequence[Row]) -> list[Number]:
    return [rows[i][j] for i, j in zip(*_places(rows), strict=True)]


def _places(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of a matrix's entries, column by column."""
    places = sorted((j, i) for i, row in enumerate(rows) for j in row)
    return np.array([i for _, i in places], dtype=np.intp), np.array([j for j, _ in places], dtype=np.intp)
