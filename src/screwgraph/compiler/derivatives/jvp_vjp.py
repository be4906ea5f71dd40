"""Derivatives times vectors, as code: one sweep through a program, forward or reverse, and no matrix."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.signature import Argument
from screwgraph.tape import Code, Number, Program, Scalar, factor_out, jacobian, program


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
