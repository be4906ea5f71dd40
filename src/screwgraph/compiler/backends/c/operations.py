"""How C writes operations, numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

C: Mapping[str, str] = MappingProxyType(
    {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "neg": "-{0}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "inv": "1.0{f} / {0}",
        "abs": "fabs{f}({0})",
        "min": "{0} != {0} ? {0} : {0} < {1} ? {0} : {1}",
        "max": "{0} != {0} ? {0} : {0} > {1} ? {0} : {1}",
        "lt": "{0} < {1}",
        "le": "{0} <= {1}",
        "eq": "{0} == {1}",
        "ne": "{0} != {1}",
        "not": "{0} == 0.0{f}",
        "and": "{0} != 0.0{f} && {1} != 0.0{f}",
        "or": "{0} != 0.0{f} || {1} != 0.0{f}",
        "where": "{0} != 0.0{f} ? {1} : 0.0{f}",
        "guard": "fabs{f}({0}) > {1} ? {0} : ({scalar})NAN",
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
"""How C writes each operation on names or numbers; `f` is what functions end in, `scalar` the type of numbers."""
SCALARS = {"float64": ("double", ""), "float32": ("float", "f")}
"""Each type of numbers in C, and what its constants and functions end in."""
RESERVED = frozenset(
    {"auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float"}
    | {"for", "goto", "if", "inline", "int", "long", "main", "register", "restrict", "return", "short", "signed"}
    | {"sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"}
    | {"memory", "memory_found", "memory_given", "piece", "pieces"}
    | {"alignas", "alignof", "asm", "bool", "catch", "char16_t", "char32_t", "char8_t", "class", "concept", "consteval"}
    | {"constexpr", "constinit", "const_cast", "co_await", "co_return", "co_yield", "decltype", "delete"}
    | {"dynamic_cast", "explicit", "export", "false", "friend", "mutable", "namespace", "new", "noexcept", "nullptr"}
    | {"operator", "private", "protected", "public", "reinterpret_cast", "requires", "static_assert", "static_cast"}
    | {"template", "this", "thread_local", "throw", "true", "try", "typeid", "typename", "using", "virtual", "wchar_t"}
    | {"and_eq", "bitand", "bitor", "compl", "not_eq", "or_eq", "xor", "xor_eq", "and", "or", "not"}
    | {
        function
        for form in C.values()
        for f in ("", "f")
        for function in re.findall(r"(\w+)\(", form.replace("{f}", f))
    }
)
"""Words of C and C++, of `math.h`, and of the generated code."""
LONGEST = 120
"""Characters of an identifier that are taken from a name."""


def make_identifiers(names: Iterable[str]) -> list[str]:
    """Return names as identifiers of C, C++ and CasADi, that differ from each other and from the code's variables."""
    found: list[str] = []
    for name in names:
        text = re.sub(r"\W", "_", name[:LONGEST], flags=re.ASCII)
        if not text[:1].isalpha():
            text = f"x{text}"
        while text in RESERVED or text in found or re.fullmatch(r"v\d+", text):
            text += "_"
        found.append(text)
    return found


def format_number(value: float, dtype: str) -> str:
    """Write a number so that it is read back exactly, a float32 after rounding; negative ones in brackets."""
    with np.errstate(over="ignore"):
        rounded = np.dtype(dtype).type(value)
    scalar, suffix = SCALARS[dtype]
    if np.isnan(rounded):
        return f"(({scalar})NAN)"
    text = f"{rounded}{suffix}" if np.isfinite(rounded) else f"{'-' if value < 0 else ''}HUGE_VAL{suffix.upper()}"
    return f"({text})" if value < 0 else text
