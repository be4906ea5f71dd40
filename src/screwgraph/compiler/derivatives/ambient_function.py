"""Functions of plain numbers, for libraries that know no manifolds, and their derivatives: quaternions of any length.

Derivatives times vectors take one sweep through a program, forward or reverse, and no matrix; of code whose loops
depend on numbers they are products with its Jacobian.

Derivatives by the numbers of arguments, quaternions among them, follow from those by tangent coordinates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler.cache import CachedCode, get_or_make_code, pack_code
from screwgraph.compiler.derivatives.tape_derivatives import differentiate_program
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.signature import Argument, Result, make_numbered_argument
from screwgraph.compiler.unit_quaternions import Places, normalising
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Block, Code, Number, Program, Routine, Scalar, Tape, dot, factor_out, jacobian, program

Write = Callable[[Code, Sequence[Argument], Sequence[str], Sequence[Argument]], Code]
"""What writes the code of a product: of code and its arguments, those that vary, and the vectors."""

Multiply = Callable[[Routine, Sequence[Argument], Sequence[Argument]], Code]
"""The same of the code of derivatives: of that, the arguments that vary, and the vectors."""


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
        return self._product("pushforward", (jvp, push_forward), by, changes, results)

    def pullback(self, *by: str) -> AmbientFunction:
        """Return gradients by arguments from those by the results: such a function, which takes the latter last."""
        gradients = tuple(make_numbered_argument(f"{self.name}_by_{r.name}", *r.shape) for r in self.results)
        results = tuple(Result(a.name, a.shape) for a in self._select_arguments(by))
        return self._product("pullback", (vjp, pull_back), by, gradients, results)

    def _select_arguments(self, names: tuple[str, ...]) -> list[Argument]:
        named = {a.name: a for a in self.arguments}
        return [named[name] for name in names]

    def _product(
        self,
        kind: str,
        writes: tuple[Write, Multiply],
        by: tuple[str, ...],
        vectors: tuple[Argument, ...],
        results: tuple[Result, ...],
    ) -> AmbientFunction:
        question = (kind, pack_code(self.program), self.arguments, by, vectors)
        write, multiply = writes

        def make() -> CachedCode:
            if self.program.is_conditional and isinstance(slopes := self.slopes(by), Routine):
                return CachedCode(multiply(slopes, self._select_arguments(by), vectors), "")
            return CachedCode(write(self.program, self.arguments, by, vectors), "")

        made = get_or_make_code(question, make)
        arguments, code = (*self.arguments, *vectors), made.body
        return AmbientFunction(f"{self.name}_{kind}", arguments, results, code, self.dtype, _swept(code, arguments))

    def jacobian(self, *by: str) -> AmbientFunction:
        """Return derivatives by the numbers of arguments, `(*result, n)` each, which is such a function."""
        sizes = {a.name: len(a.names) for a in self.arguments}
        results = tuple(Result(f"{r.name}_by_{name}", (*r.shape, sizes[name])) for name in by for r in self.results)
        name, code = f"{self.name}_by_{'_'.join(by)}", self.slopes(by)
        return AmbientFunction(name, self.arguments, results, code, self.dtype, _swept(code, self.arguments))


def push_forward(slopes: Routine, by: Sequence[Argument], vectors: Sequence[Argument]) -> Routine:
    """Return J v, of the code of J in the order of `AmbientFunction.jacobian`: matrices argument after argument."""
    widths, entries, names = [len(a.names) for a in by], _inputs(slopes), _names(vectors)
    height = len(slopes.outputs) // sum(widths)
    tape = Tape()
    numbers, v = ([tape.input(name) for name in own] for own in (entries, names))
    found = [0.0] * height
    start = 0
    for width, own in zip(widths, _split(v, widths), strict=True):
        rows = (numbers[start + width * i : start + width * (i + 1)] for i in range(height))
        found = [y + dot(row, own) for y, row in zip(found, rows, strict=True)]
        start += width * height
    return _follow(slopes, names, program(tape, found, [*entries, *names]))


def pull_back(slopes: Routine, by: Sequence[Argument], vectors: Sequence[Argument]) -> Routine:
    """Return J^T w, likewise."""
    widths, entries, names = [len(a.names) for a in by], _inputs(slopes), _names(vectors)
    tape = Tape()
    numbers, w = ([tape.input(name) for name in own] for own in (entries, names))
    found, start = list[Number](), 0
    for width in widths:
        own = numbers[start : start + width * len(w)]
        found += [dot(own[j::width], w) for j in range(width)]
        start += width * len(w)
    return _follow(slopes, names, program(tape, found, [*entries, *names]))


def _inputs(slopes: Routine) -> list[str]:
    return [f"slope[{i}]" for i in range(len(slopes.outputs))]


def _names(vectors: Sequence[Argument]) -> list[str]:
    return [name for vector in vectors for name in vector.names]


def _split(numbers: Sequence[Number], widths: Sequence[int]) -> list[Sequence[Number]]:
    ends = [sum(widths[: i + 1]) for i in range(len(widths))]
    return [numbers[end - width : end] for end, width in zip(ends, widths, strict=True)]


def _follow(slopes: Routine, names: Sequence[str], product: Program) -> Routine:
    """Return the code with a product of its results and inputs of these names after it."""
    given = range(slopes.size, slopes.size + len(names))
    results = range(given.stop, given.stop + len(product.outputs))
    last = Block("product", product, (*slopes.outputs, *given), results)
    inputs = (*slopes.inputs, *given)
    return Routine((*slopes.input_names, *names), inputs, results, results.stop, (*slopes.parts, last))


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


def to_ambient_arguments(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """Return arguments that are plain vectors: quaternions are any four numbers."""
    return tuple(replace(argument, spaces=()) for argument in arguments)


def to_ambient_derivatives(
    slopes: Program, sizes: Sequence[int], arguments: Sequence[Argument], by: Sequence[str], places: Places
) -> Program:
    """Return derivatives by the numbers of arguments from those by their tangent coordinates.

    `slopes` are these, `by` one argument after the other, `sizes` numbers of the function's results, each row by row.
    Quaternions, which begin at `places`, are divided by their lengths first: along them, derivatives are zero.
    """
    plain, named = to_ambient_arguments(arguments), {a.name: a for a in arguments}
    tape, values = make_inputs(plain)
    outputs = iter(normalising(slopes, arguments, places).on([values[name] for name in slopes.input_names]))
    entries: list[Number] = []
    for name in by:
        argument = named[name]
        columns = _columns([values[n] for n in argument.names], argument.spaces)
        for size in sizes:
            for _ in range(size):
                row = [next(outputs) for _ in range(argument.tangent_size)]
                entries += [sum((row[j] * entry for j, entry in column), start=0.0) for column in columns]
    return factor_out(program(tape, entries, [n for a in plain for n in a.names]))


def _columns(x: Sequence[Scalar], spaces: Sequence[Manifold]) -> list[list[tuple[int, Number]]]:
    """Return how each number of a position moves it: (tangent coordinate, how fast)."""
    if not spaces:
        return [[(i, 1.0)] for i in range(len(x))]
    columns: list[list[tuple[int, Number]]] = []
    start = 0
    for space in spaces:
        (size,) = space.shape
        own = np.array(x[len(columns) : len(columns) + size], dtype=object)
        columns += [[(start + j, entry) for j, entry in column] for column in _own_columns(own, space)]
        start += space.dim
    return columns


def _own_columns(x: np.ndarray, space: Manifold) -> list[list[tuple[int, Number]]]:
    """Return those of one manifold: what the rates of directions, which are orthogonal, make of each number."""
    length: Number = 1.0
    unit = x.copy()
    if len(x) > space.dim:  # a quaternion comes last
        length = np.sqrt((x[-4:] * x[-4:]).sum())
        unit[-4:] = x[-4:] / length
    rates = [space.rate(unit, direction) for direction in np.eye(space.dim)]
    columns = []
    for i in range(len(x)):
        scale = 4.0 / length if len(x) > space.dim and i >= len(x) - 4 else 1.0
        columns.append([(j, scale * rate[i]) for j, rate in enumerate(rates) if not _is_zero(rate[i])])
    return columns


def _is_zero(x: Number) -> bool:
    return not isinstance(x, Scalar) and x == 0.0
