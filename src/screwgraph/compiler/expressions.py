"""Any expression of CasADi scalars as straight-line code."""

from __future__ import annotations

from typing import Any

from screwgraph.tape import Program


def casadi_program(function: Any, names: tuple[str, ...]) -> Program:
    """Return a `casadi.Function` of dense SX inputs as a program.

    Unlike a tape, this keeps to the form of the expression: what holds only where a condition is true stays as it is.
    `names` are those of the inputs' numbers, one input after the other, column by column; results are read likewise.

    Raises:
        ValueError: the function holds an operation that there is no code for; its text names it.
    """
    import casadi as ca

    known = {getattr(ca, name): value for name, value in _OPERATIONS.items() if hasattr(ca, name)}
    starts, total = [], 0
    for i in range(function.n_in()):
        starts.append(total)
        total += function.nnz_in(i)
    ends = [0]
    for i in range(function.n_out()):
        ends.append(ends[-1] + function.nnz_out(i))
    writer, work, outputs = _Writer(), [0] * function.sz_w(), [0] * ends[-1]
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        if code == ca.OP_CONST:
            work[function.instruction_output(k)[0]] = writer.constant(function.instruction_constant(k))
        elif code == ca.OP_INPUT:
            i, j = function.instruction_input(k)
            work[function.instruction_output(k)[0]] = writer.write("input", starts[i] + j)
        elif code == ca.OP_OUTPUT:
            i, j = function.instruction_output(k)
            outputs[ends[i] + j] = work[function.instruction_input(k)[0]]
        elif code in known:
            operands = [work[i] for i in function.instruction_input(k)]
            work[function.instruction_output(k)[0]] = writer.operation(known[code], operands)
        else:
            raise ValueError(f"CasADi's operation {code} has no code")
    results = tuple(writer.result(o) for o in outputs)
    return Program(names, tuple(writer.instructions), results)


class _Writer:
    """Instructions under construction; equal ones are written once."""

    def __init__(self) -> None:
        self.instructions: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def write(self, *instruction: Any) -> int:
        place = self._known.get(instruction)
        if place is None:
            place = self._known[instruction] = len(self.instructions)
            self.instructions.append(instruction)
        return place

    def constant(self, value: float) -> int:
        return self.write("constant", float(value) + 0.0)  # -0.0 is 0.0

    def operation(self, name: str, operands: list[int]) -> int:
        if name == "assign":
            return operands[0]
        if name == "sq":
            return self.write("mul", operands[0], operands[0])
        if name == "twice":
            return self.write("add", operands[0], operands[0])
        if name in ("add", "mul"):
            operands = sorted(operands)
        return self.write(name, *operands)

    def result(self, place: int) -> int | float:
        instruction = self.instructions[place]
        return instruction[1] if instruction[0] == "constant" else place


_OPERATIONS = {
    "OP_ASSIGN": "assign",
    "OP_SQ": "sq",
    "OP_TWICE": "twice",
    "OP_CONSTPOW": "pow",
    "OP_IF_ELSE_ZERO": "where",
    "OP_FABS": "abs",
    "OP_FMIN": "min",
    "OP_FMAX": "max",
    **{
        f"OP_{name.upper()}": name
        for name in (
            *("add", "sub", "mul", "div", "neg", "inv", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
            *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "pow", "sqrt", "floor", "ceil"),
            *("fmod", "erf", "lt", "le", "eq", "ne", "not", "and", "or", "sign"),
        )
    },
}
