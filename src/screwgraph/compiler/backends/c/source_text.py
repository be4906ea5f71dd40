"""Header and source of a library in C99."""

from __future__ import annotations

import numpy as np

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.function import emit_angle_reduction, emit_definition, needs_distinct_results
from screwgraph.compiler.backends.c.interface import (
    Interface,
    make_interfaces,
    name_parameter_fields,
    name_parameter_type,
)
from screwgraph.compiler.backends.c.operations import SCALARS, format_number, make_identifiers
from screwgraph.compiler.backends.c.routine import count_numbers, emit_hint, emit_routine
from screwgraph.compiler.backends.escapes import in_comment
from screwgraph.compiler.signature import PARAMETERS
from screwgraph.tape import Routine

UNITS = "SI units; floating bases: q = (x y z, qx qy qz qw of any length, joints), qd = (omega, v, joints)."


def emit_source(library: Library) -> str:
    """Return C99 source that needs nothing but math.h: the header's text, and all functions.

    Each is `void name(const double *argument..., double *result...)`; matrices stand row by row. A comment has an
    example.
    """
    return _source(library, emit_header(library).splitlines())


def emit_separate_source(library: Library) -> str:
    """Return the same source for a file that stands beside its header."""
    return _source(library, [f'#include "{library.name}.h"'])


def emit_header(library: Library) -> str:
    """Return the header, for C and C++."""
    guard = f"{make_identifiers([library.name])[0].upper()}_H"
    lines = [f"/* {_title(library)}", " *", f" * {UNITS}", " */", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    if library.nominal:
        lines += [*_structure(library), ""]
    for one in make_interfaces(library):
        lines += [_comment(one), one.prototype, ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def name_nominal_parameters(library: Library) -> str:
    """Return the identifier of the live parameters' values in the model's file."""
    return f"{make_identifiers([library.name])[0]}_nominal"


def _source(library: Library, declarations: list[str]) -> str:
    first = make_interfaces(library)[0]
    lines = [_preface(library, first), *declarations, "", "#include <math.h>", ""]
    if library.nominal:
        values = ", ".join(format_number(x, library.dtype) for x in library.nominal.values())
        lines += [f"const {name_parameter_type(library)} {name_nominal_parameters(library)} = {{{values}}};", ""]
    lines += [*emit_angle_reduction(library), *emit_hint(library)]
    for one in make_interfaces(library):
        lines += [f"/* {one.listing.counted}. */", *_definition(one)]
    return "\n".join(lines)


def _definition(one: Interface) -> list[str]:
    code = one.listing.code
    return emit_routine(one, code) if isinstance(code, Routine) else emit_definition(one)


def _title(library: Library) -> str:
    return f"{in_comment(library.about or library.name)}: made by screwgraph."


def _structure(library: Library) -> list[str]:
    fields, scalar = name_parameter_fields(library), SCALARS[library.dtype][0]
    typed = name_parameter_type(library)
    lines = [f"    {scalar} {field}; /* {in_comment(name)} */" for name, field in fields.items()]
    return [
        "/* Live parameters, in the order of the argument `parameters` in Python. */",
        f"typedef struct {typed} {{",
        *lines,
        f"}} {typed};",
        "",
        "/* Their values in the model's file. */",
        f"extern const {typed} {name_nominal_parameters(library)};",
    ]


def _comment(one: Interface) -> str:
    code = one.listing.code
    apart = "\n * Results must not overlap arguments." if needs_distinct_results(code) else ""
    if isinstance(code, Routine):
        size = count_numbers(one, code) * np.dtype(one.listing.dtype).itemsize
        apart += f"\n * Its numbers take {size} bytes of the stack."
    return f"/* {one.function}: {one.listing.counted} ({code.operations}).{apart}{one.description}\n */"


def _preface(library: Library, first: Interface) -> str:
    """Return the comment that begins the source: how to compile, and an example of the first function."""
    values = [f"{first.scalar} {n}[{len(a.names) or 1}] = {{0}};" for n, a in first.takes if a.name != PARAMETERS]
    values += [
        f"{name_parameter_type(library)} {n} = {name_nominal_parameters(library)};"
        for n, a in first.takes
        if a.name == PARAMETERS
    ]
    values += [f"{first.scalar} {n}[{r.size}];" for n, r in first.gives]
    given = [f"&{n}" if a.name == PARAMETERS else n for n, a in first.takes] + [n for n, _ in first.gives]
    listed = "".join(f"\n *         {line}" for line in values)
    return f"""/* {_title(library)}
 *
 * {UNITS}
 *
 * Compile with: cc -std=c99 -O2 -c {library.name}.c, and link with -lm. Faster with gcc and clang:
 * -O3 -march=native -ffp-contract=fast -fno-math-errno. For example:
 *
 *     #include <stdio.h>
 *     #include "{library.name}.h"
 *     int main(void)
 *     {{{listed}
 *         {first.function}({", ".join(given)});
 *         printf("%g\\n", {first.gives[0][0]}[0]);
 *         return 0;
 *     }}
 */"""
