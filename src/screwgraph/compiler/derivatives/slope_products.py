"""Derivatives times vectors of code whose loops depend on numbers: its Jacobian, and a product after it.

No sweep goes back through a loop whose count is known when it runs; implicit derivatives of what it finds do not need
one.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.compiler.signature import Argument
from screwgraph.tape import Block, Number, Program, Routine, Tape, dot, program


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
