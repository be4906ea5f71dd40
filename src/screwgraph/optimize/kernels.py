"""Compiled code of a template: residuals, costs, normal equations, Jacobians of many factors at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.compiler import casadi_program, compiled
from screwgraph.errors import InputError
from screwgraph.optimize.losses import Loss
from screwgraph.optimize.manifold_code import number_names, symbol
from screwgraph.optimize.noise import INVERSE_SIGMA, WHITENING, whitened
from screwgraph.optimize.split_jacobian import Through
from screwgraph.optimize.templates import Sloped, column, split
from screwgraph.spatial.manifolds import Manifold
from screwgraph.summary import one_line
from screwgraph.tape import Program

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
        return self._residual.shape[0]

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
        return self._compiled("residual", [(self._residual, (self.rows,))])

    @cached_property
    def cost(self) -> np.ufunc:
        """Half the loss of the whitened residual, (1,)."""
        return self._compiled("cost", [(self._cost, (1,))])

    @cached_property
    def normal(self) -> np.ufunc:
        """Entries of J'J at `pattern`, J'r (n,), and the cost (1,), weighed by the loss."""
        H, g = self._normal
        return self._compiled("normal", [(_entries(H), (H.nnz(),)), (g, (self.size,)), (self._cost, (1,))])

    @cached_property
    def whitened_jacobian(self) -> np.ufunc:
        """Whitened residual (m,) and Jacobian (m, n), both times the root of the loss's weight; the cost (1,)."""
        import casadi as ca

        root = ca.sqrt(self._weight)
        J = ca.vec(ca.densify(root * self._jacobian_whitened).T)
        results = [(root * self._whitened, (self.rows,)), (J, (self.rows, self.size)), (self._cost, (1,))]
        return self._compiled("whitened_jacobian", results)

    @cached_property
    def jacobian(self) -> np.ufunc:
        """The residual (m,), and the entries of its Jacobian at `places`."""
        J = self._jacobian
        return self._compiled("jacobian", [(self._residual, (self.rows,)), (_entries(J), (J.nnz(),))])

    @cached_property
    def curvature(self) -> np.ufunc:
        """Entries at `bends` of the second derivative of y'r; takes y (m,) as its last argument."""
        H, y = self._curvature
        return self._compiled("curvature", [(_entries(H), (H.nnz(),))], [("y", y)])

    @cached_property
    def unrolled(self) -> bool:
        """Whether `normal` is small enough to be worth compiling."""
        if self._through is not None:
            return True
        counts = np.bincount(self._jacobian_whitened.sparsity().row(), minlength=1)
        return int((counts * (counts + 1) // 2).sum()) <= UNROLLED

    @cached_property
    def pattern(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns of J'J, lower triangle, that may differ from zero."""
        if self.unrolled:
            return _places(self._normal[0])
        return np.tril_indices(self.size)

    @cached_property
    def places(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns of the Jacobian that may differ from zero."""
        return _places(self._jacobian)

    @cached_property
    def bends(self) -> tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]:
        """Rows and columns, lower triangle, of the second derivative that may differ from zero."""
        return _places(self._curvature[0])

    def expression(self, unknowns: Sequence[Any], parameters: Mapping[str, Any], *, white: bool = True) -> Any:
        """Return the residual, whitened or not, as a CasADi expression of given symbols."""
        noise = {INVERSE_SIGMA, WHITENING}
        own = {n: p for n, p in parameters.items() if n not in noise}
        r = column(self.signature.template(*unknowns, **own))
        return whitened(r, dict(parameters)) if white else r

    def sloping(self, unknowns: Sequence[Any], directions: Any, parameters: Mapping[str, Any], *, white: bool) -> Any:
        """Return the residual where unknowns are moved along directions, a column: right to first order at zero.

        A template may bring its Jacobian along (`templates.Sloped`) where that is shorter than CasADi's derivative.
        """
        moved, kinds = parts(directions, self.dims), self.signature.arguments
        if not isinstance(self.signature.template, Sloped):
            near = [m.near(x, d) for m, x, d in zip(kinds, unknowns, moved, strict=True)]
            return self.expression(near, parameters, white=white)
        own = {n: p for n, p in parameters.items() if n not in {INVERSE_SIGMA, WHITENING}}
        r = self.expression(unknowns, parameters, white=False)
        r = r + self.signature.template.jacobian(*unknowns, **own) @ directions
        return whitened(r, dict(parameters)) if white else r

    @cached_property
    def _symbols(self) -> tuple[list[Any], dict[str, Any]]:
        import casadi as ca

        unknowns = [symbol(m, f"x{i}") for i, m in enumerate(self.signature.arguments)]
        shapes = (*self.signature.shared, *self.signature.each)
        return unknowns, {name: ca.SX.sym(name, *(*shape, 1, 1)[:2]) for name, shape in shapes}

    @cached_property
    def _residual(self) -> Any:
        return self.expression(*self._symbols, white=False)

    @cached_property
    def _whitened(self) -> Any:
        return whitened(self._residual, dict(self._symbols[1]))

    @cached_property
    def _cost(self) -> Any:
        import casadi as ca

        s, loss = ca.sumsqr(self._whitened), self.signature.loss
        return 0.5 * (s if loss is None else loss.rho(s))

    @cached_property
    def _weight(self) -> Any:
        import casadi as ca

        loss = self.signature.loss
        return ca.SX(1.0) if loss is None else loss.weight(ca.sumsqr(self._whitened))

    @cached_property
    def _jacobian(self) -> Any:
        through = self._through
        return self._sloped(white=False) if through is None else through.jacobian(lambda r: r)

    @cached_property
    def _jacobian_whitened(self) -> Any:
        through = self._through
        if through is None:
            return self._sloped(white=True)
        return through.jacobian(partial(whitened, parameters=dict(self._symbols[1])))

    def _sloped(self, *, white: bool) -> Any:
        d = self._directions
        return self._at_zero(_jacobian(self.sloping(self._symbols[0], d, self._symbols[1], white=white), d))

    @cached_property
    def _through(self) -> Through | None:
        """The residual by way of few numbers, where the template tells them."""
        parts = split(self.signature.template)
        return None if parts is None else Through.of(parts, self._near, self._symbols[1], self._directions)

    @cached_property
    def _directions(self) -> Any:
        import casadi as ca

        return ca.SX.sym("d", self.size)

    @cached_property
    def _moved(self) -> Any:
        """The residual near where the unknowns are, exact to second order."""
        return self.expression(self._near, self._symbols[1], white=False)

    @cached_property
    def _near(self) -> list[Any]:
        """The unknowns, moved."""
        d, kinds = parts(self._directions, self.dims), self.signature.arguments
        return [m.near(x, part) for m, x, part in zip(kinds, self._symbols[0], d, strict=True)]

    def _at_zero(self, expression: Any) -> Any:
        import casadi as ca

        return ca.sparsify(ca.substitute(expression, self._directions, ca.SX.zeros(self.size)))

    @cached_property
    def _normal(self) -> tuple[Any, Any]:
        import casadi as ca

        w, through = self._weight, self._through
        if through is not None:
            H, g = through.normal(partial(whitened, parameters=dict(self._symbols[1])))
            return ca.sparsify(w * ca.tril(H)), ca.densify(w * g)
        J = self._jacobian_whitened
        return ca.sparsify(w * ca.tril(J.T @ J)), ca.densify(w * (J.T @ self._whitened))

    @cached_property
    def _curvature(self) -> tuple[Any, Any]:
        import casadi as ca

        y, through = ca.SX.sym("y", self.rows), self._through
        if through is not None and through.is_linear:
            return ca.sparsify(ca.tril(through.curvature(y))), y
        H, _ = ca.hessian(ca.dot(y, self._moved), self._directions)
        return ca.sparsify(ca.tril(self._at_zero(H))), y

    def _compiled(
        self, name: str, results: Sequence[tuple[Any, tuple[int, ...]]], more: Sequence[tuple[str, Any]] = ()
    ) -> np.ufunc:
        import casadi as ca

        unknowns, parameters = self._symbols
        symbols = [*unknowns, *parameters.values(), *(s for _, s in more)]
        arguments, columns = [], []
        for i, manifold in enumerate(self.signature.arguments):
            rows, down = number_names(f"x{i}", manifold.shape)
            arguments.append((manifold.shape, rows))
            columns += down
        for shapes in (self.signature.shared, self.signature.each):
            names = [number_names(n, shape) for n, shape in shapes]
            flat = tuple(n for rows, _ in names for n in rows)
            if flat:
                arguments.append(((len(flat),), flat))
            columns += [n for _, down in names for n in down]
        for extra, s in more:
            names, _ = number_names(extra, (s.numel(),))
            arguments.append(((s.numel(),), names))
            columns += names
        outputs = [ca.densify(ca.vec(expression)) for expression, _ in results]
        function = ca.Function(name, symbols, outputs)
        program = without_unused(casadi_program(function, tuple(columns)))
        batches = self.many and len(program.instructions) <= LONGEST
        return compiled(name, program, arguments, [shape for _, shape in results], batches=batches).ufunc


def parts(column: Any, sizes: Sequence[int]) -> list[Any]:
    """Return a CasADi column as parts of given sizes."""
    ends = np.cumsum((0, *sizes)).tolist()
    return [column[a:b] for a, b in pairwise(ends)]


def without_unused(program: Program) -> Program:
    """Return a program without the inputs that it does not read."""
    used = sorted({i[1] for i in program.instructions if i[0] == "input"})
    place = {old: new for new, old in enumerate(used)}
    moved = tuple(("input", place[i[1]]) if i[0] == "input" else i for i in program.instructions)
    return Program(tuple(program.input_names[i] for i in used), moved, program.outputs)


def _jacobian(expression: Any, by: Any) -> Any:
    import casadi as ca

    return ca.jacobian(expression, by)


def _entries(matrix: Any) -> Any:
    import casadi as ca

    return ca.vertcat(*matrix.nonzeros()) if matrix.nnz() else ca.SX(0, 1)


def _places(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = matrix.sparsity().get_triplet()
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
