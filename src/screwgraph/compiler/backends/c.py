"""A program as self-contained C99: no dependency but math.h, no memory beyond its variables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from screwgraph.compiler.angles import LARGE, TURN, large_terms
from screwgraph.compiler.backends.base import Backend, Listing
from screwgraph.compiler.pieces import LEAVES, Pieces, pieces
from screwgraph.compiler.signature import Argument, Result
from screwgraph.tape import Program

C: Mapping[str, str] = MappingProxyType(
    {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "neg": "-{0}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "inv": "1.0{f} / {0}",
        "abs": "fabs{f}({0})",
        "min": "{0} < {1} || {0} != {0} ? {0} : {1}",
        "max": "{0} > {1} || {0} != {0} ? {0} : {1}",
        "lt": "{0} < {1}",
        "le": "{0} <= {1}",
        "eq": "{0} == {1}",
        "ne": "{0} != {1}",
        "not": "{0} == 0.0{f}",
        "and": "{0} != 0.0{f} && {1} != 0.0{f}",
        "or": "{0} != 0.0{f} || {1} != 0.0{f}",
        "where": "{0} != 0.0{f} ? {1} : 0.0{f}",
        "guard": 'fabs{f}({0}) > {1} ? {0} : nan{f}("")',
        "sign": "{0} > 0.0{f} ? 1.0{f} : {0} < 0.0{f} ? -1.0{f} : {0}",
        **{
            name: f"{name}{{f}}({{0}})"
            for name in (
                *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
                *("exp", "log", "sqrt", "floor", "ceil", "erf"),
            )
        },
        **{name: f"{name}{{f}}({{0}}, {{1}})" for name in ("atan2", "pow", "fmod")},
    }
)
"""How C writes each operation on operands that are names or numbers; `f` is what functions end in."""
SCALARS = {"float64": ("double", ""), "float32": ("float", "f")}
"""Each type of numbers in C, and what its constants and functions end in."""
Terms = Mapping[int, tuple[int, ...]]
"""By the places of sums of angles, the terms that are reduced by whole turns."""
RESERVED = frozenset(
    {"auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float"}
    | {"for", "goto", "if", "inline", "int", "long", "main", "register", "restrict", "return", "short", "signed"}
    | {"sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"}
    | {"memory", "piece", "pieces"}
    | {
        function
        for form in C.values()
        for f in ("", "f")
        for function in re.findall(r"(\w+)\(", form.replace("{f}", f))
    }
)


WRAPPED = """/* x less whole turns, where it is large: rounding the sum of large angles would cost digits. */
static {scalar} {function}_wrapped({scalar} x)
{{
    if (fabs{f}(x) <= {large}) return x;
    const {scalar} rest = fmod{f}(x, {turn});
    return rest - {more} * floor{f}((x - rest) / {turn} + 0.5{f});
}}
"""


def c_source(
    name: str, program: Program, arguments: Sequence[Argument], results: Sequence[Result], dtype: str = "float64"
) -> str:
    """Return C99 source of `void name(const double *argument..., double *result...)`, with an example in its comment.

    The program's inputs are the arguments' numbers, in order; matrices stand row by row.
    """
    interface = _Interface(name, tuple(arguments), tuple(results), dtype)
    signature = interface.prototype.rstrip(";")
    cut, large = pieces(program), large_terms(program)
    if cut.whole:
        before, body = [], _unused(interface, program) + _lines(interface, program, cut, cut.parts[0], large)
    else:
        before, body = _in_pieces(interface, program, cut, large)
    body += _constants(interface, program)
    wrapped = [_wrapped(interface)] if large else []
    return "\n".join([_header(interface, program), *wrapped, *before, signature, "{", *body, "}", ""])


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
    def targets(self) -> list[str]:
        """The places of all results, row by row."""
        return [f"{name}[{i}]" for name, r in self.gives for i in range(r.size)]

    @property
    def parameters(self) -> str:
        """What it takes and gives."""
        inputs = [f"const {self.scalar} {name}[{len(a.names) or 1}]" for name, a in self.takes]
        return ", ".join([*inputs, *(f"{self.scalar} {name}[{r.size}]" for name, r in self.gives)])

    @property
    def prototype(self) -> str:
        """Its declaration."""
        return f"void {self.function}({self.parameters});"


def _header(interface: _Interface, program: Program) -> str:
    counted, scalar, function = program.operations, interface.scalar, interface.function
    apart = "" if pieces(program).whole else " Results must not overlap arguments."
    zeros = "".join(f"\n *         {scalar} {n}[{len(a.names) or 1}] = {{0}};" for n, a in interface.takes)
    places = "".join(f"\n *         {scalar} {n}[{r.size}];" for n, r in interface.gives)
    held = "".join(_held(n, array) for n, array in [*interface.takes, *interface.gives])
    return f"""/* {function}: {counted.total} operations ({counted}), made by screwgraph.
 *
 * SI units; floating bases: q = (x y z, qx qy qz qw of any length, joints), qd = (omega, v, joints).{apart}{held}
 *
 * Compile with: cc -std=c99 -O2 -c {function}.c, and link with -lm. Faster with gcc and clang:
 * -O3 -march=native -ffp-contract=fast -fno-math-errno. For example:
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


def _wrapped(interface: _Interface) -> str:
    """Return the function that reduces angles."""
    turn, more = (_number(part, interface) for part in TURN[interface.dtype])
    names = {"scalar": interface.scalar, "function": interface.function, "f": interface.suffix}
    return WRAPPED.format(**names, large=_number(LARGE, interface), turn=turn, more=more)


def _in_pieces(interface: _Interface, program: Program, cut: Pieces, large: Terms) -> tuple[list[str], list[str]]:
    """Return functions that do the work one after the other, and the lines that call them.

    They are called by their addresses, lest compilers put them together again. What the function takes and what it
    gives must not overlap: the first pieces write results that later ones do not expect among their arguments.
    """
    names = interface.names[1:]
    parameters = f"{interface.parameters}, {interface.scalar} *memory"
    ignored = "    " + " ".join(f"(void){name};" for name in (*names, "memory"))
    before = []
    for n, places in enumerate(cut.parts):
        name = f"{interface.function}_piece{n}"
        lines = _lines(interface, program, cut, places, large)
        before += [f"static void {name}({parameters})", "{", ignored, *lines, "}", ""]
    table = ", ".join(f"{interface.function}_piece{n}" for n in range(len(cut.parts)))
    before += [f"static void (*const {interface.function}_pieces[])({parameters}) = {{{table}}};", ""]
    call = f"{interface.function}_pieces[piece]({', '.join([*names, 'memory'])});"
    return before, [
        f"    {interface.scalar} memory[{len(cut.slots) or 1}];",
        f"    for (int piece = 0; piece < {len(cut.parts)}; ++piece) {call}",
    ]


def _unused(interface: _Interface, program: Program) -> list[str]:
    inputs = [name for name, a in interface.takes for _ in a.names]
    used = {inputs[operands[0]] for operation, *operands in program.instructions if operation == "input"}
    return [f"    (void){name};" for name, _ in interface.takes if name not in used]


def _lines(interface: _Interface, program: Program, cut: Pieces, places: Sequence[int], large: Terms) -> list[str]:
    """Return the assignments of the instructions at these places, and of the results that they are."""
    own = set(places)
    inputs = [f"{name}[{i}]" for name, a in interface.takes for i in range(len(a.names))]
    results: dict[int, list[str]] = {}
    for target, output in zip(interface.targets, program.outputs, strict=True):
        if isinstance(output, int):
            results.setdefault(output, []).append(target)

    def written(i: int) -> str:
        operation, *operands = program.instructions[i]
        if operation == "constant":
            return _number(operands[0], interface)
        if operation == "input":
            return inputs[operands[0]]
        return f"v{i}" if i in own else f"memory[{cut.slots[i]}]"

    def term(i: int, of: int) -> str:
        return f"{interface.function}_wrapped({written(i)})" if i in large.get(of, ()) else written(i)

    lines = []
    for i in places:
        operation, *operands = program.instructions[i]
        if operation not in LEAVES:
            expression = C[operation].format(*(term(o, i) for o in operands), f=interface.suffix)
            lines.append(f"    const {interface.scalar} v{i} = {expression};")
            if i in cut.slots:
                lines.append(f"    memory[{cut.slots[i]}] = v{i};")
    return lines + [f"    {target} = {written(i)};" for i in places for target in results.get(i, ())]


def _constants(interface: _Interface, program: Program) -> list[str]:
    """Return the assignments of results that are constants."""
    pairs = zip(interface.targets, program.outputs, strict=True)
    return [f"    {target} = {_number(output, interface)};" for target, output in pairs if not isinstance(output, int)]


def _number(value: float, interface: _Interface) -> str:
    """Write a number so that it is read back exactly, a float32 after rounding; negative ones in brackets."""
    with np.errstate(over="ignore"):
        rounded = np.dtype(interface.dtype).type(value)
    text = f"{rounded}{interface.suffix}" if np.isfinite(rounded) else f"{'-' if value < 0 else ''}HUGE_VAL"
    return f"({text})" if value < 0 else text


def _files(f: Listing) -> dict[str, str]:
    source = c_source(f.name, f.program, f.arguments, f.results, f.dtype)
    return {".c": source, ".h": c_header(f.name, f.arguments, f.results, f.dtype)}


BACKEND = Backend("C99 source and a header; needs nothing but math.h", C.keys(), _files)
