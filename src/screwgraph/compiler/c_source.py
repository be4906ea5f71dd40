"""A program as self-contained C99: no dependency but math.h, no memory beyond its variables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.compiler.signature import Argument, Result
from screwgraph.tape import Program

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
SCALARS = {"float64": ("double", ""), "float32": ("float", "f")}
"""Each type of numbers in C, and what its constants and functions end in."""
RESERVED = frozenset(
    {"auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float"}
    | {"for", "goto", "if", "inline", "int", "long", "main", "register", "restrict", "return", "short", "signed"}
    | {"sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"}
    | {"sin", "cos", "sinf", "cosf"}
)


def c_source(
    name: str, program: Program, arguments: Sequence[Argument], results: Sequence[Result], dtype: str = "float64"
) -> str:
    """Return C99 source of `void name(const double *argument..., double *result...)`, with an example in its comment.

    The program's inputs are the arguments' numbers, in order; matrices stand row by row.
    """
    interface = _Interface(name, tuple(arguments), tuple(results), dtype)
    signature = interface.prototype.rstrip(";")
    return "\n".join([_header(interface, program), signature, "{", *_body(interface, program), "}", ""])


def c_header(name: str, arguments: Sequence[Argument], results: Sequence[Result], dtype: str = "float64") -> str:
    """Return the header that goes with `c_source`, for C and C++."""
    interface = _Interface(name, tuple(arguments), tuple(results), dtype)
    guard = f"{interface.function.upper()}_H"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    closing = "#ifdef __cplusplus\n}\n#endif\n"
    return f"#ifndef {guard}\n#define {guard}\n\n{opening}\n{interface.prototype}\n\n{closing}\n#endif\n"


def identifiers(names: Iterable[str]) -> list[str]:
    """Return names as identifiers of C, and of CasADi, that differ from each other and from the code's variables."""
    found: list[str] = []
    for name in names:
        text = re.sub(r"\W", "_", name, flags=re.ASCII)
        if not text[:1].isalpha():
            text = f"x{text}"
        while text in RESERVED or text in found or re.fullmatch(r"v\d+", text):
            text += "_"
        found.append(text)
    return found


@dataclass(frozen=True)
class _Interface:
    """The function as C sees it."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    dtype: str

    @cached_property
    def names(self) -> list[str]:
        """Identifiers of the function, its arguments, its results."""
        return identifiers([self.name, *(a.name for a in self.arguments), *(r.name for r in self.results)])

    @property
    def function(self) -> str:
        """Identifier of the function."""
        return self.names[0]

    @property
    def scalar(self) -> str:
        """Type of a number."""
        return SCALARS[self.dtype][0]

    @property
    def suffix(self) -> str:
        """What constants and functions of that type end in."""
        return SCALARS[self.dtype][1]

    @property
    def takes(self) -> list[tuple[str, Argument]]:
        """The arguments with their identifiers."""
        return list(zip(self.names[1:], self.arguments, strict=False))

    @property
    def gives(self) -> list[tuple[str, Result]]:
        """The results with their identifiers."""
        return list(zip(self.names[1 + len(self.arguments) :], self.results, strict=True))

    @property
    def prototype(self) -> str:
        """Its declaration."""
        inputs = [f"const {self.scalar} {name}[{len(a.names) or 1}]" for name, a in self.takes]
        outputs = [f"{self.scalar} {name}[{r.size}]" for name, r in self.gives]
        return f"void {self.function}({', '.join([*inputs, *outputs])});"


def _header(interface: _Interface, program: Program) -> str:
    counted, scalar, function = program.operations, interface.scalar, interface.function
    zeros = "".join(f"\n *         {scalar} {n}[{len(a.names) or 1}] = {{0}};" for n, a in interface.takes)
    places = "".join(f"\n *         {scalar} {n}[{r.size}];" for n, r in interface.gives)
    held = "".join(_held(n, array) for n, array in [*interface.takes, *interface.gives])
    return f"""/* {function}: {counted.total} operations ({counted}), made by screwgraph.
 *
 * SI units; floating bases: q = (x y z, qx qy qz qw, joints), qd = (omega, v, joints).{held}
 *
 * Compile with: cc -std=c99 -O2 -c {function}.c, and link with -lm. For example:
 *
 *     #include <stdio.h>
 *     {interface.prototype}
 *     int main(void)
 *     {{{zeros}{places}
 *         {function}({", ".join(interface.names[1:])});
 *         printf("%g\\n", {interface.gives[0][0]}[0]);
 *         return 0;
 *     }}
 */
#include <math.h>

{interface.prototype}
"""


def _held(identifier: str, array: Argument | Result) -> str:
    """Say what the numbers of an array are, in lines of a comment."""
    listed = ", ".join(array.names) or "row by row"
    text = f"{identifier} ({' x '.join(map(str, array.shape))}): {listed}"
    text = text.replace("*/", "* /").replace("/*", "/ *").replace("?", " ")  # no end, no new one, no trigraph
    lines = textwrap.wrap(text, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "".join(f"\n * {line}" for line in lines)


def _body(interface: _Interface, program: Program) -> list[str]:
    inputs = [(name, f"{name}[{i}]") for name, a in interface.takes for i in range(len(a.names))]
    outputs = [f"{name}[{i}]" for name, r in interface.gives for i in range(r.size)]
    used = {inputs[operands[0]][0] for operation, *operands in program.instructions if operation == "input"}
    lines = [f"    (void){name};" for name, _ in interface.takes if name not in used]
    values: list[str] = []
    for i, (operation, *operands) in enumerate(program.instructions):
        if operation == "constant":
            values.append(_number(operands[0], interface))
        elif operation == "input":
            values.append(inputs[operands[0]][1])
        else:
            expression = _expression(operation, [values[o] for o in operands], interface.suffix)
            lines.append(f"    const {interface.scalar} v{i} = {expression};")
            values.append(f"v{i}")
    for target, output in zip(outputs, program.outputs, strict=True):
        lines.append(f"    {target} = {values[output] if isinstance(output, int) else _number(output, interface)};")
    return lines


def _expression(operation: str, operands: list[str], suffix: str) -> str:
    if operation in INFIX:
        return f" {INFIX[operation]} ".join(operands)
    if operation == "neg":
        return f"-{operands[0]}"
    return f"1.0{suffix} / {operands[0]}" if operation == "inv" else f"{operation}{suffix}({operands[0]})"


def _number(value: float, interface: _Interface) -> str:
    """Write a number so that it is read back exactly, a float32 after rounding; negative ones in brackets."""
    with np.errstate(over="ignore"):
        rounded = np.dtype(interface.dtype).type(value)
    text = f"{rounded}{interface.suffix}" if np.isfinite(rounded) else f"{'-' if value < 0 else ''}HUGE_VAL"
    return f"({text})" if value < 0 else text
