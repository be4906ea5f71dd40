"""A program as a `casadi.Function`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.compiler.backends.c import identifiers
from screwgraph.tape import Program


def casadi_function(
    name: str,
    program: Program,
    arguments: Sequence[tuple[str, Sequence[str]]],
    results: Sequence[tuple[str, int]] = (),
) -> Any:
    """Return a CasADi function of one column vector for each argument, given as (name, its inputs' names).

    There is one column for each of `results`, (name, size), else one column "result". Derivatives are exact.
    """
    import casadi as ca

    function, *ports = identifiers([name, *(a for a, _ in arguments), *([r for r, _ in results] or ["result"])])
    vectors = [ca.SX.sym(argument, len(names)) for argument, names in arguments]
    listed = zip(vectors, arguments, strict=True)
    scalars = {n: x for vector, (_, names) in listed for n, x in zip(names, ca.vertsplit(vector), strict=True)}
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
    columns = []
    for size in [size for _, size in results] or [len(outputs)]:
        columns.append(ca.densify(ca.vertcat(*outputs[:size])))
        outputs = outputs[size:]
    return ca.Function(function, vectors, columns, ports[: len(vectors)], ports[len(vectors) :])


_OPERATIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1.0 / a,
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
    "sqrt": lambda a: a.sqrt(),
}
