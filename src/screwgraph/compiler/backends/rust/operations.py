"""How Rust writes operations, numbers and names, without its standard library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from screwgraph.compiler.backends.c.operations import make_identifiers

MATH = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "log", "sqrt", "floor", "ceil", "erf", "fabs"),
)
"""Functions of one number of the C library, or of the crate `libm`."""
MATH_OF_TWO = ("atan2", "pow", "fmod")
"""Those of two."""
RUST: Mapping[str, str] = MappingProxyType(
    {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "neg": "-{0}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "inv": "1.0 / {0}",
        "abs": "math::fabs({0})",
        "min": "if {0} != {0} {{ {0} }} else if {0} < {1} {{ {0} }} else {{ {1} }}",
        "max": "if {0} != {0} {{ {0} }} else if {0} > {1} {{ {0} }} else {{ {1} }}",
        "lt": "if {0} < {1} {{ 1.0 }} else {{ 0.0 }}",
        "le": "if {0} <= {1} {{ 1.0 }} else {{ 0.0 }}",
        "eq": "if {0} == {1} {{ 1.0 }} else {{ 0.0 }}",
        "ne": "if {0} != {1} {{ 1.0 }} else {{ 0.0 }}",
        "not": "if {0} == 0.0 {{ 1.0 }} else {{ 0.0 }}",
        "and": "if {0} != 0.0 && {1} != 0.0 {{ 1.0 }} else {{ 0.0 }}",
        "or": "if {0} != 0.0 || {1} != 0.0 {{ 1.0 }} else {{ 0.0 }}",
        "where": "if {0} != 0.0 {{ {1} }} else {{ 0.0 }}",
        "guard": "if math::fabs({0}) > {1} {{ {0} }} else {{ {scalar}::NAN }}",
        "sign": "if {0} > 0.0 {{ 1.0 }} else if {0} < 0.0 {{ -1.0 }} else {{ {0} }}",
        **{name: f"math::{name}({{0}})" for name in MATH if name != "fabs"},
        **{name: f"math::{name}({{0}}, {{1}})" for name in MATH_OF_TWO},
    }
)
"""How Rust writes each operation on names or numbers of the type `scalar`."""
SCALARS = {"float64": "f64", "float32": "f32"}
KEYWORDS = frozenset(
    {"abstract", "as", "async", "await", "become", "box", "crate", "dyn", "final", "fn", "gen", "impl", "in", "let"}
    | {"loop", "macro", "match", "math", "mod", "move", "mut", "override", "priv", "pub", "ref", "self", "static"}
    | {"super", "trait", "type", "unsafe", "unsized", "use", "where", "yield", "f32", "f64", "wrapped", "core", "std"}
)
"""Words of Rust, and of the generated code, that C does not have."""


def make_rust_identifiers(names: Iterable[str]) -> list[str]:
    """Return names as identifiers of Rust that differ from each other."""
    return make_identifiers(f"{name}_" if name in KEYWORDS else name for name in names)


def format_rust_number(value: float, dtype: str) -> str:
    """Write a number so that it is read back exactly, a float32 after rounding; negative ones in brackets."""
    with np.errstate(over="ignore"):
        rounded = np.dtype(dtype).type(value)
    if np.isnan(rounded):
        return f"{SCALARS[dtype]}::NAN"
    if np.isinf(rounded):
        return f"{SCALARS[dtype]}::{'NEG_' if value < 0 else ''}INFINITY"
    return f"({rounded}_{SCALARS[dtype]})" if value < 0 else f"{rounded}_{SCALARS[dtype]}"


def format_array_type(shape: tuple[int, ...], dtype: str) -> str:
    """Return the type of an array, row by row; of shape () a number."""
    typed = SCALARS[dtype]
    for size in reversed(shape):
        typed = f"[{typed}; {size}]"
    return typed


def format_zeros(shape: tuple[int, ...], dtype: str) -> str:
    """Return an array of zeros."""
    text = f"0.0_{SCALARS[dtype]}"
    for size in reversed(shape):
        text = f"[{text}; {size}]"
    return text


def format_places(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return the places of all numbers of an array, row by row."""
    return [name + "".join(f"[{i}]" for i in index) for index in np.ndindex(shape)]
