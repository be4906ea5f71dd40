"""Exact derivatives of a program: closed forms, or CasADi differentiates and the tape simplifies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from screwgraph.compiler.backends.casadi import casadi_function, from_casadi
from screwgraph.compiler.inputs import input_values
from screwgraph.compiler.signature import Argument
from screwgraph.elimination import cost
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Program, factor_out, program

SMALL = 2000
"""Operations of a program up to which both ways of differentiating it are tried, where there are two."""


class Analytic(Protocol):
    """What knows the derivatives of a problem in closed form."""

    def covers(self, by: Sequence[str]) -> bool:
        """Tell whether it knows those by these arguments."""
        ...

    def jacobian(self, source: Program, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
        """Return the code of these derivatives, where `source` is that of the problem itself."""
        ...


def derivatives(
    source: Program, arguments: Sequence[Argument], by: Sequence[str], analytic: Analytic | None
) -> Program:
    """Return the derivatives of all outputs by some arguments, one after the other, each row by row.

    The derivative by positions is by tangent coordinates, the joints' velocity coordinates (a floating base moves by a
    twist in its own frame).

    Args:
        source: the program.
        arguments: what it takes.
        by: names of arguments.
        analytic: what may know a shorter way.
    """
    tried = []
    if analytic is not None and analytic.covers(by):
        tried.append(analytic.jacobian(source, arguments, by))
    if not tried or source.operations.total <= SMALL:
        tried.append(_swept(source, arguments, by))
    return min(tried, key=cost)


def _swept(source: Program, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
    """Let CasADi differentiate, by sweeps through the program."""
    import casadi as ca

    function = casadi_function("source", source, [(a.name, a.names) for a in arguments])
    symbols = [ca.SX.sym(a.name, len(a.names)) for a in arguments]
    values, columns = function(*symbols), []
    for argument, symbol in zip(arguments, symbols, strict=True):
        if argument.name in by:
            derivative = ca.jacobian(values, symbol)
            if argument.spaces:
                derivative = derivative @ _tangent_map(symbol, argument.spaces)
            # Transposed, because CasADi's matrices stand column by column.
            columns.append((by.index(argument.name), ca.densify(ca.vec(derivative.T))))
    flat = ca.vertcat(*(column for _, column in sorted(columns, key=lambda c: c[0])))
    return _program(ca.Function("jacobian", symbols, [flat]), arguments)


def _tangent_map(q: Any, spaces: Sequence[Manifold]) -> Any:
    """Return the matrix N of dq/dt = N(q) qd for all joints."""
    import casadi as ca

    blocks, start = [], 0
    for manifold in spaces:
        velocity = ca.SX.sym("velocity", manifold.dim)
        end = start + manifold.shape[0]
        blocks.append(ca.jacobian(manifold.rate(q[start:end], velocity), velocity))
        start = end
    return ca.diagcat(*blocks)


def _program(function: Any, arguments: Sequence[Argument]) -> Program:
    """Write a CasADi function on a tape, where equal values are one value."""
    tape, values = input_values(arguments)
    (outputs,) = from_casadi(function, [[values[name] for name in a.names] for a in arguments])
    return factor_out(program(tape, outputs, [n for a in arguments for n in a.names]))
