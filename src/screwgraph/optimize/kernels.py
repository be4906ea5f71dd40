"""Compiled code of a template: residuals, costs, normal equations, Jacobians of many factors at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from types import MappingProxyType

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import compile_program
from screwgraph.optimize.kernel_cache import KernelProgram, Places, get_or_make_kernel, get_or_make_number
from screwgraph.optimize.manifold_code import number_names
from screwgraph.optimize.template_derivatives import Derivation, Signature, parameter_name
from screwgraph.optimize.whitening import INVERSE_SIGMA, WHITENING
from screwgraph.spatial import sqrt
from screwgraph.tape import Number, Row, by_outputs, program, without_unused_inputs
from screwgraph.tape.sparse_rows import scale_rows

MANY = 8
"""Factors from which on code for vectors of them is worth its making."""
LONGEST = 20_000
"""Instructions of a function beyond which code for vectors takes seconds to make."""
UNROLLED = 20_000
"""Products in a factor's normal equations beyond which they are left to matrix products."""


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
    def derivation(self) -> Derivation:
        """Templates and derivatives that the code is made of."""
        return Derivation(self.signature)

    @property
    def rows(self) -> int:
        """Length of one residual."""
        return self.derivation.rows

    @property
    def size(self) -> int:
        """Directions of all arguments."""
        return self.derivation.size

    def check(self, name: str) -> None:
        """Raise InputError where noise does not fit the residual."""
        shapes = dict((*self.signature.shared, *self.signature.each))
        sigma, root = shapes.get(INVERSE_SIGMA, ()), shapes.get(WHITENING, (self.rows, self.rows))
        if sigma not in ((), (1,), (self.rows,)) or root != (self.rows, self.rows):
            raise InputError(f"{name}: the noise does not fit a residual of {self.rows} numbers")

    @cached_property
    def residual(self) -> np.ufunc:
        """Residuals as the template returns them, (m,)."""
        return self._compile_kernel("residual")

    @cached_property
    def cost(self) -> np.ufunc:
        """Half the loss of the whitened residual, (1,)."""
        return self._compile_kernel("cost")

    @cached_property
    def normal(self) -> np.ufunc:
        """Entries of J'J at `pattern`, J'r (n,), and the cost (1,), weighed by the loss."""
        return self._compile_kernel("normal")

    @cached_property
    def slope(self) -> np.ufunc:
        """J'r (n,), and the cost (1,), weighed by the loss: `normal` without the entries of J'J."""
        return self._compile_kernel("slope")

    @cached_property
    def whitened_jacobian(self) -> np.ufunc:
        """Whitened residual (m,) and Jacobian (m, n), both times the root of the loss's weight; the cost (1,)."""
        return self._compile_kernel("whitened_jacobian")

    @cached_property
    def jacobian(self) -> np.ufunc:
        """The residual (m,), and the entries of its Jacobian at `places`."""
        return self._compile_kernel("jacobian")

    @cached_property
    def adjoint(self) -> np.ufunc:
        """The residual (m,) and J'y (n,); takes y (m,) as its last argument."""
        return self._compile_kernel("adjoint", [("y", (self.rows,))])

    @cached_property
    def curvature(self) -> np.ufunc:
        """Entries at `bends` of the second derivative of y'r; takes y (m,) as its last argument."""
        return self._compile_kernel("curvature", [("y", (self.rows,))])

    @cached_property
    def is_unrolled(self) -> bool:
        """Whether `normal` is small enough to be worth compiling."""
        if self.derivation.split_residual is not None or self.derivation.is_cost:
            return True

        def products() -> int:
            return sum(len(row) * (len(row) + 1) // 2 for row in self.derivation.jacobian_whitened)

        return get_or_make_number(("products", self.derivation.question), products) <= UNROLLED

    @cached_property
    def pattern(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns of J'J, lower triangle, that may differ from zero."""
        if self.is_unrolled:
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

    def _places_of(self, name: str) -> Places:
        """Return rows and columns of the entries of a function's matrix."""
        places = self._program(name).places
        assert places is not None
        return places

    def _program(self, name: str) -> KernelProgram:
        """Return the code of a function, from the cache if it was made before."""
        if name not in self._programs:
            make = partial(self._write_code, name)
            self._programs[name] = get_or_make_kernel((name, self.derivation.question), make)
        return self._programs[name]

    @cached_property
    def _programs(self) -> dict[str, KernelProgram]:
        return {}

    def _write_code(self, name: str) -> KernelProgram:
        """Write the code of a function."""
        results, matrix = RETURNED[name](self.derivation)
        outputs = [value for values, _ in results for value in values]
        code = without_unused_inputs(by_outputs(program(self.derivation.tape, outputs)))
        return KernelProgram(code, tuple(shape for _, shape in results), None if matrix is None else _places(matrix))

    def _compile_kernel(self, name: str, more: Sequence[tuple[str, tuple[int, ...]]] = ()) -> np.ufunc:
        arguments = []
        for i, manifold in enumerate(self.signature.arguments):
            arguments.append((manifold.shape, number_names(f"x{i}", manifold.shape)))
        for shapes in (self.signature.shared, self.signature.each):
            flat = tuple(n for name, shape in shapes for n in number_names(parameter_name(name), shape))
            if flat:
                arguments.append(((len(flat),), flat))
        arguments += [(shape, number_names(extra, shape)) for extra, shape in more]
        made = self._program(name)
        batches = self.many and len(made.code.instructions) <= LONGEST
        return compile_program(name, made.code, arguments, list(made.shapes), batches=batches, quickly=True).ufunc


Results = list[tuple[Sequence[Number], tuple[int, ...]]]
"""Numbers, row by row, and their shape, of each result of a function."""


def _residual(d: Derivation) -> tuple[Results, None]:
    return [(d.residual.tolist(), (d.rows,))], None


def _cost(d: Derivation) -> tuple[Results, None]:
    return [([d.cost], (1,))], None


def _normal(d: Derivation) -> tuple[Results, list[Row]]:
    H, g = d.normal
    entries = _entries(H)
    return [(entries, (len(entries),)), (g, (d.size,)), ([d.cost], (1,))], H


def _slope(d: Derivation) -> tuple[Results, None]:
    return [(d.slope, (d.size,)), ([d.cost], (1,))], None


def _whitened_jacobian(d: Derivation) -> tuple[Results, None]:
    root = sqrt(d.weight)
    J = [row.get(j, 0.0) for row in scale_rows(d.jacobian_whitened, root) for j in range(d.size)]
    white = (root * d.whitened_residual).tolist()
    return [(white, (d.rows,)), (J, (d.rows, d.size)), ([d.cost], (1,))], None


def _jacobian(d: Derivation) -> tuple[Results, list[Row]]:
    entries = _entries(d.jacobian)
    return [(d.residual.tolist(), (d.rows,)), (entries, (len(entries),))], d.jacobian


def _adjoint(d: Derivation) -> tuple[Results, None]:
    return [(d.residual.tolist(), (d.rows,)), (d.adjoint, (d.size,))], None


def _curvature(d: Derivation) -> tuple[Results, list[Row]]:
    entries = _entries(d.curvature)
    return [(entries, (len(entries),))], d.curvature


RETURNED: Mapping[str, Callable[[Derivation], tuple[Results, list[Row] | None]]] = MappingProxyType(
    {
        "residual": _residual,
        "cost": _cost,
        "normal": _normal,
        "slope": _slope,
        "whitened_jacobian": _whitened_jacobian,
        "jacobian": _jacobian,
        "adjoint": _adjoint,
        "curvature": _curvature,
    }
)
"""What each function returns, and the matrix whose entries are among that."""


def _entries(rows: Sequence[Row]) -> list[Number]:
    return [rows[i][j] for i, j in zip(*_places(rows), strict=True)]


def _places(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of a matrix's entries, row by row."""
    places = [(i, j) for i, row in enumerate(rows) for j in sorted(row)]
    return np.array([i for i, _ in places], dtype=np.intp), np.array([j for _, j in places], dtype=np.intp)
