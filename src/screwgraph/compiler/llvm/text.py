"""Small pieces of LLVM assembly text, for one number or for a vector of `width` numbers."""

from __future__ import annotations

import struct


def real(width: int) -> str:
    """Return the type of `width` doubles."""
    return "double" if width == 1 else f"<{width} x double>"


def integer(width: int) -> str:
    """Return the type of `width` 64-bit integers."""
    return "i64" if width == 1 else f"<{width} x i64>"


def boolean(width: int) -> str:
    """Return the type of `width` truth values."""
    return "i1" if width == 1 else f"<{width} x i1>"


def number(value: float, width: int) -> str:
    """Return a double constant, exactly, in every lane."""
    text = "0x" + struct.pack(">d", value).hex().upper()
    return text if width == 1 else f"<{', '.join([f'double {text}'] * width)}>"


def whole(value: int, width: int) -> str:
    """Return an integer constant in every lane."""
    return str(value) if width == 1 else f"<{', '.join([f'i64 {value}'] * width)}>"


def intrinsic(name: str, width: int) -> str:
    """Return the name of an intrinsic on doubles."""
    return f"@llvm.{name}.f64" if width == 1 else f"@llvm.{name}.v{width}f64"


def declarations(width: int) -> str:
    """Declare the intrinsics that generated code calls."""
    D = real(width)
    lines = [f"declare {D} {intrinsic('fma', width)}({D}, {D}, {D})"]
    if width > 1:
        lines.append(f"declare i1 @llvm.vector.reduce.or.v{width}i1({boolean(width)})")
    return "\n".join(lines)
