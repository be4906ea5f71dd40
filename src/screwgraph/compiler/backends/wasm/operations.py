"""Each operation as WebAssembly's instructions, or as the JavaScript of a function that the module imports."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import MappingProxyType

A, B = object(), object()
"""The operands in `WASM`: instructions that put their values on the stack."""
F64_CONST, SELECT, TRUTH = b"\x44", b"\x1b", b"\xb8"
ADD, SUB, MUL, DIV, MIN, MAX = (bytes([code]) for code in range(0xA0, 0xA6))
ABS, NEG, CEIL, FLOOR, SQRT = b"\x99", b"\x9a", b"\x9b", b"\x9c", b"\x9f"
EQ, NE, LT, GT, LE = (bytes([code]) for code in range(0x61, 0x66))
AND, OR = b"\x71", b"\x72"


def emit_constant(value: float) -> bytes:
    """Return the instruction that puts a number on the stack."""
    return F64_CONST + struct.pack("<d", value)


ZERO, ONE = emit_constant(0.0), emit_constant(1.0)
IMPORTED: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: f"Math.{name}"
            for name in (
                *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
                *("exp", "log", "atan2"),
            )
        },
        "fmod": "(a, b) => a % b",
        # ECMAScript has NaN where IEEE 754 has 1: powers of one, and infinite powers of minus one.
        "pow": "(a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b)",
        "erf": "erf",
        "wrapped": "wrapped",
    }
)
"""Functions that a module may import, as JavaScript writes them; `wrapped` takes whole turns off large angles."""
WASM: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "add": (A, B, ADD),
        "sub": (A, B, SUB),
        "neg": (A, NEG),
        "mul": (A, B, MUL),
        "div": (A, B, DIV),
        "inv": (ONE, A, DIV),
        "abs": (A, ABS),
        "sqrt": (A, SQRT),
        "floor": (A, FLOOR),
        "ceil": (A, CEIL),
        "min": (A, B, MIN),
        "max": (A, B, MAX),
        "lt": (A, B, LT, TRUTH),
        "le": (A, B, LE, TRUTH),
        "eq": (A, B, EQ, TRUTH),
        "ne": (A, B, NE, TRUTH),
        "not": (A, ZERO, EQ, TRUTH),
        "and": (A, ZERO, NE, B, ZERO, NE, AND, TRUTH),
        "or": (A, ZERO, NE, B, ZERO, NE, OR, TRUTH),
        "where": (B, ZERO, A, ZERO, NE, SELECT),
        "guard": (A, emit_constant(float("nan")), A, ABS, B, GT, SELECT),
        "sign": (ONE, emit_constant(-1.0), A, A, ZERO, LT, SELECT, A, ZERO, GT, SELECT),
        **{name: (A, name) for name in IMPORTED if name not in ("atan2", "fmod", "pow", "wrapped")},
        **{name: (A, B, name) for name in ("atan2", "fmod", "pow")},
    }
)
"""How each operation is computed: its operands, instructions, and names of imported functions, in order."""
