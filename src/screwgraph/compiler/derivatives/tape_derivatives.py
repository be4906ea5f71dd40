"""Exact derivatives of a program: closed forms, or sweeps on a tape that simplifies what they write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.signature import Argument
from screwgraph.elimination import cost
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Code, Number, Program, Row, Scalar, factor_out, jacobian, program
from screwgraph.tape.sparse_rows import to_sparse_rows

SMALL = 2000
"""Operations of a program up to which both ways of differentiating it are tried, where there are two."""


class Analytic(Protocol):
    """Closed-form derivatives of a problem."""

    def covers(self, by: Sequence[str]) -> bool:
        """Tell whether it knows those by these arguments."""
        ...

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Code:
        """Return the code of these derivatives, where `source` is that of the problem itself."""
        ...


def differentiate_program(
    source: Code, arguments: Sequence[Argument], by: Sequence[str], analytic: Analytic | None
) -> Code:
    """Return the derivatives of all outputs by some arguments, one after the other, each row by row.

    The derivative by positions is by tangent coordinates, the joints' velocity coordinates (a floating base moves by a
    twist in its own frame).

    Args:
        source: the code.
        arguments: what it takes.
        by: names of arguments.
        analytic: what may know a shorter way.

    Raises:
        InputError: loops of the code end when numbers say so, and nothing knows its derivatives.
    """
    report_progress(f"deriving by {', '.join(by)}")
    tried = list[Program]()
    if analytic is not None and analytic.covers(by):
        found = analytic.jacobian(source, arguments, by)
        if not isinstance(found, Program):
            return found
        tried.append(found)
    if source.is_conditional:
        raise InputError(
            f"derivatives by {', '.join(by)} of code whose loops end when numbers say so",
            why="their closed form is known of the function itself, not of its derivatives",
            fix="take differences of the first derivatives",
        )
    if not tried or source.operations.total <= SMALL:
        tried.append(_swept(source.unrolled, arguments, by))
    return min(tried, key=cost)


def _swept(source: Program, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
    """Differentiate by sweeps through the program, on a tape where equal values are one value."""
    tape, values = make_inputs(arguments)
    outputs = source.on([values[name] for name in source.input_names])
    entries: list[Number] = []
    directions = {a.name: (a, [values[name] for name in a.names]) for a in arguments}
    seeds, sizes = [], [directions[name][0].tangent_size for name in by]
    starts = dict(zip(by, np.cumsum([0, *sizes]).tolist(), strict=False))
    for name in by:
        argument, x = directions[name]
        rows = _position_rates(x, argument.spaces) if argument.spaces else [{i: 1.0} for i in range(len(x))]
        seeds += [{starts[name] + j: entry for j, entry in row.items()} for row in rows]
    rows = jacobian(outputs, [x for name in by for x in directions[name][1]], seeds)
    for name, size in zip(by, sizes, strict=True):
        entries += [row.get(starts[name] + j, 0.0) for row in rows for j in range(size)]
    return factor_out(program(tape, entries, [n for a in arguments for n in a.names]))


def _position_rates(q: Sequence[Scalar], spaces: Sequence[Manifold]) -> list[Row]:
    """Return the rows of the matrix N of dq/dt = N(q) qd for all joints."""
    rows: list[Row] = []
    columns = 0
    for manifold in spaces:
        (size,) = manifold.shape
        own = np.array(q[len(rows) : len(rows) + size], dtype=object)
        rates = [manifold.rate(own, unit) for unit in np.eye(manifold.dim)]
        rows += [{columns + j: x for j, x in row.items()} for row in to_sparse_rows(np.transpose(rates))]
        columns += manifold.dim
    return rows
