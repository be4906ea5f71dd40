"""A program as a `casadi.Function`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.tape import Program

_IDENTIFIER = str.maketrans(dict.fromkeys(" -:.[]/", "_"))


def casadi_function(name: str, program: Program, arguments: Sequence[tuple[str, Sequence[str]]]) -> Any:
    """Return a CasADi function of one column vector for each argument, given as (name, its inputs' names).

    The result is one column. Derivatives of it are exact.
    """
    import casadi as ca

    symbols = [(argument, ca.SX.sym(argument, len(names)), names) for argument, names in arguments]
    scalars = {n: x for _, vector, names in symbols for n, x in zip(names, ca.vertsplit(vector), strict=True)}
    inputs = [scalars[n] for n in program.input_names]
    values: list[Any] = []
    for operation, *operands in program.instructions:
        if operation == "constant":
            values.append(ca.SX(operands[0]))
        elif operation == "input":
            values.append(inputs[operands[0]])
        else:
            values.append(_OPERATIONS[operation](*(values[i] for i in operands)))
    outputs = [values[o] if isinstance(o, int) else ca.SX(o) for o in program.outputs]
    vectors = [vector for _, vector, _ in symbols]
    identifier = name.translate(_IDENTIFIER)
    return ca.Function(identifier, vectors, [ca.densify(ca.vertcat(*outputs))], [a for a, _, _ in symbols], ["result"])


_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1.0 / a,
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
}
