"""Functions as a crate of Rust without the standard library: no memory is allocated."""

from __future__ import annotations

import re

import numpy as np

from screwgraph.compiler.backends.base import Backend, Library
from screwgraph.compiler.backends.c.interface import name_parameter_fields
from screwgraph.compiler.backends.escapes import in_doc_comment, in_value
from screwgraph.compiler.backends.reference_results import COUNT, make_reference
from screwgraph.compiler.backends.rust.function import Signature, emit_definition, make_signature
from screwgraph.compiler.backends.rust.operations import (
    MATH_OF_TWO,
    RUST,
    SCALARS,
    format_array_type,
    format_rust_number,
    make_rust_identifiers,
)
from screwgraph.compiler.backends.rust.routine import emit_routine
from screwgraph.compiler.passes.angle_reduction import LARGE, TURN, find_large_terms
from screwgraph.compiler.signature import PARAMETERS
from screwgraph.tape import Routine

CARGO = """# {about}: made by screwgraph.
[package]
name = "{name}"
version = "1.0.0"
edition = "2021"
description = "{about}"
publish = false

# Its tests are those in tests/: summaries of others, which have none, would be the last line.
[lib]
test = false
doctest = false

[features]
# Mathematical functions of the crate libm, for targets without a C library; it needs the line below.
libm = []

[dependencies]
# libm = "0.2"
"""
PREFACE = """//! {about}: made by screwgraph. No standard library, no memory allocated.
//!
//! SI units; floating bases: q = (x y z, qx qy qz qw of any length, joints), qd = (omega, v, joints).
//! Mathematical functions are those of the C library, or with the feature `libm` of the crate of this name.
#![no_std]
#![allow(non_snake_case, unused_assignments, unused_mut, unused_parens, unused_variables, clippy::all)]
"""
WRAPPED = """/// x less whole turns, where it is large: rounding the sum of large angles would cost digits.
fn wrapped(x: {scalar}) -> {scalar} {{
    if math::fabs(x) <= {large} {{
        return x;
    }}
    let rest = math::fmod(x, {turn});
    rest - {more} * math::floor((x - rest) / {turn} + 0.5)
}}
"""
COMPARE = """/// The numbers are what Python computed, but for what rounding explains.
fn compare(what: &str, found: {scalar}, expected: {scalar}, tolerance: {scalar}) {{
    let equal = found == expected || (found.is_nan() && expected.is_nan());
    assert!(equal || (found - expected).abs() <= tolerance, "{{what}} is {{found}}, expected {{expected}}");
}}
"""


def rust_source(library: Library) -> str:
    """Return the source of the crate."""
    dtype, scalar = library.dtype, SCALARS[library.dtype]
    lines = [PREFACE.format(about=in_value(library.about or library.name))]
    if library.nominal:
        fields = name_parameter_fields(library)
        own = [f"    /// {in_doc_comment(name)}\n    pub {field}: {scalar}," for name, field in fields.items()]
        values = [f"    {fields[name]}: {format_rust_number(x, dtype)}," for name, x in library.nominal.items()]
        lines += [
            "/// Live parameters.",
            "#[derive(Clone, Copy, Debug, PartialEq)]",
            "pub struct Parameters {",
            *own,
            "}",
        ]
        lines += [
            "",
            "/// Values of the model's file.",
            "pub const NOMINAL: Parameters = Parameters {",
            *values,
            "};",
            "",
        ]
    code = [line for f in library.functions for line in _definition(make_signature(library, f))]
    if any(find_large_terms(program) for f in library.functions for program in f.code.programs):
        turn, more = (format_rust_number(x, dtype) for x in TURN[dtype])
        code.append(WRAPPED.format(scalar=scalar, large=format_rust_number(LARGE, dtype), turn=turn, more=more))
    return "\n".join([*lines, *code, *_math("\n".join(code), library.dtype)])


def _definition(one: Signature) -> list[str]:
    code = one.listing.code
    return emit_routine(one, code) if isinstance(code, Routine) else emit_definition(one)


def _math(code: str, dtype: str) -> list[str]:
    """Return the module of those mathematical functions that the code needs."""
    scalar, f = SCALARS[dtype], "f" if dtype == "float32" else ""
    needed = sorted(set(re.findall(r"math::(\w+)\(", code)))
    declared, own, crate = [], [], []
    for name in needed:
        operands = ("x", "y") if name in MATH_OF_TWO else ("x",)
        typed = ", ".join(f"{x}: {scalar}" for x in operands)
        declared.append(f"        pub fn {name}{f}({typed}) -> {scalar};")
        own += ['    #[cfg(not(feature = "libm"))]', f"    pub fn {name}({typed}) -> {scalar} {{"]
        own += [f"        unsafe {{ c::{name}{f}({', '.join(operands)}) }}", "    }"]
        crate += ['    #[cfg(feature = "libm")]', f"    pub use libm::{name}{f} as {name};"]
    if not needed:
        return []
    block = ['    #[cfg(not(feature = "libm"))]', "    mod c {", '        #[cfg_attr(unix, link(name = "m"))]']
    block += ['        extern "C" {', *(f"    {line}" for line in declared), "        }", "    }"]
    return ["mod math {", *block, *own, *crate, "}", ""]


def rust_test(library: Library) -> str:
    """Return tests that compare all functions with numbers of Python."""
    dtype, scalar = library.dtype, SCALARS[library.dtype]
    lines = ["//! Compares the code with what Python computed.", "#![allow(clippy::all)]"]
    lines += [f"use {make_rust_identifiers([library.name])[0]} as code;", "", COMPARE.format(scalar=scalar)]
    for f in library.functions:
        one, found = make_signature(library, f), make_reference(f)
        lines += ["#[test]", f"fn {one.function}_is_what_python_computes() {{"]
        for k in range(COUNT):
            given = []
            for (_, a), values in zip(one.takes, found.inputs, strict=True):
                given.append(
                    _structure(library, a.names, values[k])
                    if a.name == PARAMETERS
                    else "&" + _format_nested(values[k], a.shape, dtype)
                )
            lines.append(f"    let found = code::{one.function}({', '.join(given)});")
            for (name, r), values, most in zip(one.gives, found.outputs, found.tolerances, strict=True):
                own = f"found.{name}" if len(one.gives) > 1 else "found"
                expected = _format_nested(values[k], r.shape, dtype)
                lines.append(f"    let expected: {format_array_type(r.shape, dtype)} = {expected};")
                pairs = f"{own}{_flat(r.shape)}.zip(expected{_flat(r.shape)})"
                tolerance = format_rust_number(most[k], dtype)
                if r.shape:
                    lines.append(f"    for (a, b) in {pairs} {{")
                    lines += [f'        compare("{name}", *a, *b, {tolerance});', "    }"]
                else:
                    lines.append(f'    compare("{name}", {own}, expected, {tolerance});')
        lines += ["}", ""]
    return "\n".join(lines)


def _flat(shape: tuple[int, ...]) -> str:
    return ".iter()" + ".flatten()" * (len(shape) - 1)


def _format_nested(values: np.ndarray, shape: tuple[int, ...], dtype: str) -> str:
    if not shape:
        return format_rust_number(values[0], dtype)
    rows = values.reshape(shape[0], values.size // max(shape[0], 1))
    return f"[{', '.join(_format_nested(row, shape[1:], dtype) for row in rows)}]"


def _structure(library: Library, names: tuple[str, ...], values: np.ndarray) -> str:
    fields = name_parameter_fields(library)
    given = ", ".join(
        f"{fields[n]}: {format_rust_number(x, library.dtype)}" for n, x in zip(names, values, strict=True)
    )
    return f"&code::Parameters {{ {given}, ..code::NOMINAL }}"


def _files(library: Library) -> dict[str, str]:
    about = in_value(library.about or library.name)
    return {
        "Cargo.toml": CARGO.format(name=library.name, about=about),
        "src/lib.rs": rust_source(library),
        "tests/examples.rs": rust_test(library),
    }


BACKEND = Backend("a no_std crate of Rust, with tests", RUST.keys(), _files)
