"""Functions of plain numbers, for libraries that know no manifolds: quaternions of any length.

Derivatives times vectors take one sweep through a program, forward or reverse, and no matrix.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.base.summary import one_line
from screwgraph.compiler.cache import CachedCode, get_or_make_code, pack_code
from screwgraph.compiler.derivatives.tape_derivatives import differentiate_program
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.signature import Argument, Result, make_numbered_argument
from screwgraph.tape import Code, Number, Program, Scalar, factor_out, jacobian, program

Write = Callable[[Code, Sequence[Argument], Sequence[str], Sequence[Argument]], Code]
"""What writes the code of a product: of code and its arguments, those that vary, and the vectors."""


@dataclass(frozen=True, eq=False)
class AmbientFunction:
    """A function of plain numbers; `slopes` makes the code of its derivatives by arguments."""

    __repr__ = one_line

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    program: Code
    dtype: str
    slopes: Callable[[tuple[str, ...]], Code]

    @cached_property
    def operands(self) -> tuple[list[tuple[tuple[int, ...], tuple[str, ...]]], list[tuple[int, ...]]]:
        """Shapes and names of the arguments, and shapes of the results, as machine code is made for them."""
        return [(a.shape, a.names) for a in self.arguments], [r.shape for r in self.results]

    @cached_property
    def code_name(self) -> str:
        """By what libraries may know the machine code: the same in every process, another for other code."""
        question = repr((pack_code(self.program), *self.operands, self.dtype))
        return f"f{hashlib.sha256(question.encode()).hexdigest()[:24]}"

    def pushforward(self, *by: str) -> AmbientFunction:
        """Return how the results change where arguments change: such a function, which takes these changes last."""
        changes = tuple(make_numbered_argument(f"{self.name}_d_{a.name}", *a.shape) for a in self._select_arguments(by))
        results = tuple(Result(f"d_{r.name}", r.shape) for r in self.results)
        return self._product("pushforward", jvp, by, changes, results)

    def pullback(self, *by: str) -> AmbientFunction:
        """Return gradients by arguments from those by the results: such a function, which takes the latter last."""
        gradients = tuple(make_numbered_argument(f"{self.name}_by_{r.name}", *r.shape) for r in self.results)
        results = tuple(Result(a.name, a.shape) for a in self._select_arguments(by))
        return self._product("pullback", vjp, by, gradients, results)

    def _select_arguments(self, names: tuple[str, ...]) -> list[Argument]:
        named = {a.name: a for a in self.arguments}
        return [named[name] for name in names]

    def _product(
        self, kind: str, write: Write, by: tuple[str, ...], vectors: tuple[Argument, ...], results: tuple[Result, ...]
    ) -> AmbientFunction:
        question = (kind, pack_code(self.program), self.arguments, by, vectors)
        made = get_or_make_code(question, lambda: CachedCode(write(self.program, self.arguments, by, vectors), ""))
        arguments, code = (*self.arguments, *vectors), made.body
        return AmbientFunction(f"{self.name}_{kind}", arguments, results, code, self.dtype, _swept(code, arguments))

    def jacobian(self, *by: str) -> AmbientFunction:
        """Return derivatives by the numbers of arguments, `(*result, n)` each, which is such a function."""
        sizes = {a.name: len(a.names) for a in self.arguments}
        results = tuple(Result(f"{r.name}_by_{name}", (*r.shape, sizes[name])) for name in by for r in self.results)
        name, code = f"{self.name}_by_{'_'.join(by)}", self.slopes(by)
        return AmbientFunction(name, self.arguments, results, code, self.dtype, _swept(code, self.arguments))


def jvp(source: Code, arguments: Sequence[Argument], by: Sequence[str], vectors: Sequence[Argument]) -> Program:
    """Return J v: how all outputs change where the arguments `by` change by `vectors`.

    Griewank & Walther (2008), section 3.1.
    """
    outputs, x, v, names = _trace_product(source, arguments, by, vectors)
    rows = jacobian(outputs, x, [{0: change} for change in v])
    return _finish_program([row.get(0, 0.0) for row in rows], v, names)


def vjp(source: Code, arguments: Sequence[Argument], by: Sequence[str], vectors: Sequence[Argument]) -> Program:
    """Return J^T w: the gradient of w^T y by the arguments `by`, where `vectors` are w, and y all outputs.

    Griewank & Walther (2008), section 3.2.
    """
    outputs, x, w, names = _trace_product(source, arguments, by, vectors)
    total = sum((weight * y for weight, y in zip(w, outputs, strict=True)), start=0.0)
    (row,) = jacobian([total], x)
    return _finish_program([row.get(i, 0.0) for i in range(len(x))], w, names)


def _trace_product(
    source: Code, arguments: Sequence[Argument], by: Sequence[str], vectors: Sequence[Argument]
) -> tuple[list[Number], list[Scalar], list[Scalar], list[str]]:
    """Return outputs, the numbers of the arguments `by`, those of the vectors, and all names, on a fresh tape."""
    every = (*arguments, *vectors)
    _, values = make_inputs(every)
    outputs = source.unrolled.on([values[name] for name in source.input_names])
    x = [values[n] for a in by for n in next(g for g in arguments if g.name == a).names]
    return outputs, x, [values[n] for a in vectors for n in a.names], [n for a in every for n in a.names]


def _finish_program(entries: Sequence[Number], vectors: Sequence[Scalar], names: Sequence[str]) -> Program:
    return factor_out(program(vectors[0].tape, entries, names))


def _swept(code: Code, arguments: tuple[Argument, ...]) -> Callable[[tuple[str, ...]], Code]:
    """Return what makes derivatives of code by arguments that are plain numbers."""

    def slopes(by: tuple[str, ...]) -> Code:
        question = ("coordinates again", pack_code(code), arguments, by)
        return get_or_make_code(question, lambda: CachedCode(differentiate_program(code, arguments, by, None), "")).body

    return slopes
