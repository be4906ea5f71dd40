"""Functions as a C++17 header over Eigen's fixed-size matrices and maps; the code behind it is C99."""

from __future__ import annotations

from screwgraph.compiler.backends import c
from screwgraph.compiler.backends.base import Backend, Library
from screwgraph.compiler.backends.c.interface import (
    Interface,
    make_interfaces,
    name_parameter_fields,
    name_parameter_type,
)
from screwgraph.compiler.backends.c.operations import SCALARS, C, make_identifiers
from screwgraph.compiler.backends.c.package import CMAKE, PKG_CONFIG, emit_comparison, emit_comparison_function
from screwgraph.compiler.backends.c.source_text import name_nominal_parameters
from screwgraph.compiler.backends.escapes import in_comment, in_value
from screwgraph.compiler.signature import PARAMETERS, Argument, Result

ON_STACK = 16_000
"""Numbers that are returned by value, or taken by reference: Eigen allows 128 kB of a matrix on the stack."""
HEADER = """// {about}: made by screwgraph. C++17 over Eigen: no memory is allocated, matrices stand row by row.
#pragma once

#include <Eigen/Core>

#include "{name}.h"

namespace {name} {{

using Scalar = {scalar};
template <int rows>
using Vector = Eigen::Matrix<Scalar, rows, 1>;
template <int rows, int columns>
using Matrix = Eigen::Matrix<Scalar, rows, columns, columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
{parameters}
{functions}
}}  // namespace {name}
"""
PARAMETERS_TEXT = """
using Parameters = {typed};

// Values of the model's file.
inline const Parameters &nominal() {{ return {nominal}; }}
"""
CMAKE_MORE = """
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
target_link_libraries({name} PUBLIC Eigen3::Eigen)
target_compile_features({name} INTERFACE cxx_std_17)
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/{name}Config.cmake
  "include(CMakeFindDependencyMacro)\\nfind_dependency(Eigen3 NO_MODULE)\\n"
  "include(\\${{CMAKE_CURRENT_LIST_DIR}}/{name}Targets.cmake)\\n")
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/{name}Config.cmake DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/cmake/{name})
"""


def emit_cpp_header(library: Library) -> str:
    """Return the header: in a namespace of the library's name, each function by value, and into maps of memory."""
    functions = "\n".join(_function(one) for one in make_interfaces(library))
    parameters = ""
    if name_parameter_fields(library):
        parameters = PARAMETERS_TEXT.format(
            typed=name_parameter_type(library), nominal=name_nominal_parameters(library)
        )
    return HEADER.format(
        about=in_comment(library.about or library.name),
        name=library.name,
        scalar=SCALARS[library.dtype][0],
        parameters=parameters,
        functions=functions,
    )


def own_name(one: Interface) -> str:
    """Return the name of a function within the namespace."""
    return make_identifiers([one.listing.name])[0]


def eigen_type(array: Argument | Result) -> str:
    """Return the type of an array: a vector, or a matrix whose rows are all but its last axis."""
    shape = array.shape or (1,)
    if len(shape) == 1:
        return f"Vector<{max(shape[0], 1)}>"
    size = 1
    for rows in shape[:-1]:
        size *= rows
    return f"Matrix<{size}, {shape[-1]}>"


def _function(one: Interface) -> str:
    """Return the two ways to call a function."""
    name, gives = own_name(one), one.gives
    takes = ", ".join(_declare_argument(own, a) for own, a in one.takes)
    maps = ", ".join(f"Eigen::Map<{eigen_type(r)}> {own}" for own, r in gives)
    given = [f"&{own}" if a.name == PARAMETERS else f"{own}.data()" for own, a in one.takes]
    call = f"::{one.function}({', '.join([*given, *(f'{own}.data()' for own, _ in gives)])});"
    both = ", ".join(part for part in (takes, maps) if part)
    text = [f"// {one.listing.counted}; see {one.library.name}.h for what the numbers are."]
    text += [f"inline void {name}({both}) {{", f"    {call}", "}", ""]
    if sum(r.size for _, r in gives) > ON_STACK:
        return "\n".join(text)
    if len(gives) == 1:
        ((own, result),) = gives
        text += [f"inline {eigen_type(result)} {name}({takes}) {{", f"    {eigen_type(result)} {own};", f"    {call}"]
        return "\n".join([*text, f"    return {own};", "}", ""])
    results = f"{name}_results"
    fields = [f"    {eigen_type(r)} {own};" for own, r in gives]
    places = f"::{one.function}({', '.join([*given, *(f'found.{own}.data()' for own, _ in gives)])});"
    text += [f"struct {results} {{", *fields, "};", "", f"inline {results} {name}({takes}) {{"]
    return "\n".join([*text, f"    {results} found;", f"    {places}", "    return found;", "}", ""])


def _declare_argument(own: str, argument: Argument) -> str:
    """Declare an argument: vectors by reference to any memory of Eigen's, without a copy; maps of long ones."""
    if argument.name == PARAMETERS:
        return f"const Parameters &{own}"
    typed = eigen_type(argument)
    if len(argument.names) > ON_STACK:  # a reference could copy it there
        return f"const Eigen::Map<const {typed}> &{own}"
    return f"const Eigen::Ref<const {typed}> &{own}" if typed.startswith("V") else f"const {typed} &{own}"


def cpp_test(library: Library) -> str:
    """Return a program that compares all functions with what Python computed."""
    lines = ["// Compares the code with what Python computed: run it where the code will run.", "#include <cstdio>"]
    lines += [f'#include "{library.name}.hpp"', f'#include "{library.name}_examples.h"']
    lines += ["using std::printf;", emit_comparison_function(library), "int main() {"]
    lines += emit_checks(library)
    lines += ['    printf("%d numbers differ\\n", differences);', "    return differences != 0;", "}", ""]
    return "\n".join(lines)


def emit_checks(library: Library) -> list[str]:
    """Return the loop that calls every function, with maps of the examples, and compares."""
    space = library.name
    lines = [f"    for (int k = 0; k < {library.name}_example_count; ++k) {{"]
    for one in make_interfaces(library):
        given = ", ".join(_example(space, one, own, a) for own, a in one.takes)
        if sum(r.size for _, r in one.gives) > ON_STACK:
            arrays = [f"            static {one.scalar} {own}[{r.size}];" for own, r in one.gives]
            maps = [f"Eigen::Map<{space}::{eigen_type(r)}>({own})" for own, r in one.gives]
            lines += ["        {", *arrays, f"            {space}::{own_name(one)}({', '.join([given, *maps])});"]
            lines += [f"            {emit_comparison(one, own, r.size)}" for own, r in one.gives]
        else:
            lines += ["        {", f"            const auto found = {space}::{own_name(one)}({given});"]
            alone = len(one.gives) == 1
            lines += [
                f"            {emit_comparison(one, own, r.size, 'found.data()' if alone else f'found.{own}.data()')}"
                for own, r in one.gives
            ]
        lines.append("        }")
    return [*lines, "    }"]


def _example(space: str, one: Interface, own: str, argument: Argument) -> str:
    place = f"{one.function}_{own}[k]"
    return place if argument.name == PARAMETERS else f"Eigen::Map<const {space}::{eigen_type(argument)}>({place})"


def cpp_files(library: Library) -> dict[str, str]:
    """Return the files in C, the header over them, and their package."""
    name = library.name
    about = in_value(library.about or name)
    texts = {"name": name, "about": about, "requires": "Requires: eigen3\n", "languages": " CXX"}
    more = CMAKE_MORE.format(name=name)
    cmake = CMAKE.format(
        **texts, more=more, headers=f"{name}.h {name}.hpp", test=f"{name}_test.cpp", tested=name
    ).replace(f"FILE {name}Config.cmake", f"FILE {name}Targets.cmake")
    files = dict(c.BACKEND.files(library))
    del files[f"test/{name}_test.c"]
    files |= {"CMakeLists.txt": cmake, f"{name}.pc.in": PKG_CONFIG.format(**texts)}
    return {**files, f"{name}.hpp": emit_cpp_header(library), f"test/{name}_test.cpp": cpp_test(library)}


BACKEND = Backend("a C++17 header over Eigen, and the C99 source behind it, with CMake", C.keys(), cpp_files)
