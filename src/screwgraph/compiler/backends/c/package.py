"""What stands beside a library's source: CMake, pkg-config, and a test against numbers computed in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.compiler.backends.base import Library
from screwgraph.compiler.backends.c.interface import Interface, make_interfaces, name_parameter_type
from screwgraph.compiler.backends.c.operations import SCALARS, format_number
from screwgraph.compiler.backends.escapes import in_value
from screwgraph.compiler.backends.reference_results import COUNT, make_reference
from screwgraph.compiler.signature import PARAMETERS

CMAKE = """# {name}: made by screwgraph.
cmake_minimum_required(VERSION 3.16)
project({name} VERSION 1.0.0 LANGUAGES C{languages})
include(GNUInstallDirs)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library({name} {name}.c)
add_library({name}::{name} ALIAS {name})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
target_include_directories({name} PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}> $<INSTALL_INTERFACE:${{CMAKE_INSTALL_INCLUDEDIR}}>)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options({name} PRIVATE -fno-math-errno)
endif()
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()
{more}
install(TARGETS {name} EXPORT {name}Targets)
install(FILES {headers} DESTINATION ${{CMAKE_INSTALL_INCLUDEDIR}})
install(EXPORT {name}Targets FILE {name}Config.cmake NAMESPACE {name}::
  DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/cmake/{name})
configure_file({name}.pc.in {name}.pc @ONLY)
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/{name}.pc DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/pkgconfig)

if(CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR)
  enable_testing()
  add_executable({name}_test test/{test})
  target_link_libraries({name}_test PRIVATE {tested})
  add_test(NAME {name} COMMAND {name}_test)
endif()
"""
PKG_CONFIG = """prefix=@CMAKE_INSTALL_PREFIX@
libdir=${{prefix}}/@CMAKE_INSTALL_LIBDIR@
includedir=${{prefix}}/@CMAKE_INSTALL_INCLUDEDIR@

Name: {name}
Description: {about}, made by screwgraph
Version: @PROJECT_VERSION@
{requires}Libs: -L${{libdir}} -l{name} -lm
Cflags: -I${{includedir}}
"""
COMPARE = """
static int differences = 0;

/* Count numbers that are further from what Python computed than rounding explains. */
static void compare(const char *what, const {scalar} *found, const {scalar} *expected, int size, {scalar} tolerance)
{{
    for (int i = 0; i < size; ++i) {{
        const int both_nan = found[i] != found[i] && expected[i] != expected[i];
        if (both_nan || found[i] == expected[i] || fabs{f}(found[i] - expected[i]) <= tolerance) continue;
        ++differences;
        printf("%s[%d] is %.17g, expected %.17g\\n", what, i, (double)found[i], (double)expected[i]);
    }}
}}
"""


def emit_package(library: Library) -> dict[str, str]:
    """Return the files of CMake and pkg-config, and of the test."""
    name = library.name
    texts = {"name": name, "about": in_value(library.about or name), "requires": "", "languages": ""}
    cmake = CMAKE.format(**texts, more="", headers=f"{name}.h", test=f"{name}_test.c", tested=name)
    files = {"CMakeLists.txt": cmake, f"{name}.pc.in": PKG_CONFIG.format(**texts)}
    return {**files, f"test/{name}_examples.h": emit_examples(library), f"test/{name}_test.c": _test(library)}


def emit_examples(library: Library) -> str:
    """Return a header of states of all functions, and their results."""
    name, scalar = library.name, SCALARS[library.dtype][0]
    guard = f"{name.upper()}_EXAMPLES_H"
    lines = [f"/* {COUNT} random states of each function, and what Python computes there. */"]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", "#include <math.h>", f'#include "{name}.h"', ""]
    lines += [f"enum {{ {name}_example_count = {COUNT} }};", ""]
    for one in make_interfaces(library):
        found = make_reference(one.listing)
        for (own, a), values in zip(one.takes, found.inputs, strict=True):
            if a.name == PARAMETERS:
                lines.append(_structures(library, one, own, values, a.names))
            else:
                lines.append(_array(f"{scalar} {one.function}_{own}", values, library.dtype))
        for (own, _), values, most in zip(one.gives, found.outputs, found.tolerances, strict=True):
            lines.append(_array(f"{scalar} {one.function}_{own}", values, library.dtype))
            lines.append(_array(f"{scalar} {one.function}_{own}_tolerance", most, library.dtype))
        lines.append("")
    return "\n".join([*lines, "#endif", ""])


def emit_comparison_function(library: Library) -> str:
    """Return the function that compares results."""
    scalar, f = SCALARS[library.dtype]
    return COMPARE.format(scalar=scalar, f=f)


def _test(library: Library) -> str:
    """Return a program that compares all functions, and fails where one differs."""
    lines = ["/* Compares the code with what Python computed: run it where the code will run. */", "#include <stdio.h>"]
    lines += [f'#include "{library.name}_examples.h"', emit_comparison_function(library), "int main(void)", "{"]
    lines.append(f"    for (int k = 0; k < {library.name}_example_count; ++k) {{")
    for one in make_interfaces(library):
        given = [f"{'&' if a.name == PARAMETERS else ''}{one.function}_{own}[k]" for own, a in one.takes]
        lines.append("        {")
        lines += [f"            {one.scalar} {own}[{r.size or 1}];" for own, r in one.gives]
        lines.append(f"            {one.function}({', '.join([*given, *(own for own, _ in one.gives)])});")
        lines += [f"            {emit_comparison(one, own, r.size)}" for own, r in one.gives]
        lines.append("        }")
    lines += ["    }", '    printf("%d numbers differ\\n", differences);', "    return differences != 0;", "}", ""]
    return "\n".join(lines)


def emit_comparison(one: Interface, own: str, size: int, found: str = "") -> str:
    """Return the statement that compares a result."""
    place = f"{one.function}_{own}"
    return f'compare("{one.listing.name}: {own}", {found or own}, {place}[k], {size}, {place}_tolerance[k]);'


def _array(declared: str, values: np.ndarray, dtype: str) -> str:
    """Return a constant array, one state a row."""
    if values.ndim == 1:
        return f"static const {declared}[{len(values)}] = {{{', '.join(format_number(x, dtype) for x in values)}}};"
    rows = [", ".join(format_number(x, dtype) for x in row) or format_number(0.0, dtype) for row in values]
    listed = ",\n".join(f"    {{{row}}}" for row in rows)
    return f"static const {declared}[{len(values)}][{values.shape[1] or 1}] = {{\n{listed}}};"


def _structures(library: Library, one: Interface, own: str, values: np.ndarray, names: Sequence[str]) -> str:
    """Return constant structures of live parameters; those that this function does not take have their values."""
    rows = [{**library.nominal, **dict(zip(names, row, strict=True))}.values() for row in values]
    listed = ",\n".join(f"    {{{', '.join(format_number(x, library.dtype) for x in row)}}}" for row in rows)
    return f"static const {name_parameter_type(library)} {one.function}_{own}[{len(values)}] = {{\n{listed}}};"
