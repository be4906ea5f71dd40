"""A program as self-contained C99: no dependency but math.h, no memory beyond its variables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from screwgraph.tape import Program

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def c_source(name: str, program: Program, arguments: Sequence[tuple[str, int]], result: int) -> str:
    """Return C99 source of `void name(const double *argument..., double *result)`, with an example in its comment.

    `arguments` are (name, how many numbers), in the order of the program's inputs; matrices stand row by row.
    """
    function = _identifier(name)
    signature = _prototype(function, arguments, result).rstrip(";")
    inputs = [f"{_identifier(a)}[{i}]" for a, size in arguments for i in range(size)]
    return "\n".join([_header(function, program, arguments, result), signature, "{", *_body(program, inputs), "}", ""])


def c_header(name: str, arguments: Sequence[tuple[str, int]], result: int) -> str:
    """Return the header that goes with `c_source`, for C and C++."""
    function = _identifier(name)
    guard = f"{function.upper()}_H"
    prototype = _prototype(function, arguments, result)
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    closing = "#ifdef __cplusplus\n}\n#endif\n"
    return f"#ifndef {guard}\n#define {guard}\n\n{opening}\n{prototype}\n\n{closing}\n#endif\n"


def _header(function: str, program: Program, arguments: Sequence[tuple[str, int]], result: int) -> str:
    counted = program.operations
    zeros = "".join(f"\n *         double {_identifier(a)}[{max(size, 1)}] = {{0}};" for a, size in arguments)
    call = ", ".join([*(_identifier(a) for a, _ in arguments), "result"])
    return f"""/* {function}: {counted.total} operations ({counted}), made by screwgraph.
 *
 * SI units; floating bases: q = (x y z, qx qy qz qw, joints), qd = (omega, v, joints).
 * Compile with: cc -std=c99 -O2 -c {function}.c, and link with -lm. For example:
 *
 *     #include <stdio.h>
 *     {_prototype(function, arguments, result)}
 *     int main(void)
 *     {{{zeros}
 *         double result[{result}];
 *         {function}({call});
 *         printf("%g\\n", result[0]);
 *         return 0;
 *     }}
 */
#include <math.h>

{_prototype(function, arguments, result)}
"""


def _prototype(function: str, arguments: Sequence[tuple[str, int]], result: int) -> str:
    parameters = [f"const double {_identifier(a)}[{max(size, 1)}]" for a, size in arguments]
    return f"void {function}({', '.join([*parameters, f'double result[{result}]'])});"


def _body(program: Program, inputs: Sequence[str]) -> list[str]:
    used = {int(operands[0]) for operation, *operands in program.instructions if operation == "input"}
    array = [text.split("[")[0] for text in inputs]
    unused = set(array) - {array[i] for i in used}
    lines = [f"    (void){argument};" for argument in sorted(unused)]
    values: list[str] = []
    for i, (operation, *operands) in enumerate(program.instructions):
        if operation in ("constant", "input"):
            values.append(_number(operands[0]) if operation == "constant" else inputs[int(operands[0])])
            continue
        lines.append(f"    const double v{i} = {_expression(operation, [values[o] for o in operands])};")
        values.append(f"v{i}")
    for i, output in enumerate(program.outputs):
        lines.append(f"    result[{i}] = {values[output] if isinstance(output, int) else _number(output)};")
    return lines


def _expression(operation: str, operands: list[str]) -> str:
    if operation in INFIX:
        return f" {INFIX[operation]} ".join(operands)
    if operation == "neg":
        return f"-{operands[0]}"
    return f"1.0 / {operands[0]}" if operation == "inv" else f"{operation}({operands[0]})"


def _number(value: float) -> str:
    """Write a double exactly; negative ones in brackets."""
    text = repr(float(value))
    return f"({text})" if value < 0 else text


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if not text[:1].isdigit() else f"_{text}"
