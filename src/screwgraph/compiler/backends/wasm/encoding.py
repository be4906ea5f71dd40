"""Bytes of functions of WebAssembly: numbers of memory, calls, loops (Core Specification 1.0, ch. 5)."""

from __future__ import annotations

F64 = b"\x7c"
CALL, END, GET, SET, LOAD, STORE, I32_ZERO = b"\x10", b"\x0b", b"\x20", b"\x21", b"\x2b", b"\x39", b"\x41\x00"


def emit_load(place: int) -> bytes:
    """Put a number of the memory on the stack."""
    return I32_ZERO + LOAD + b"\x03" + encode_leb128(8 * place)


def emit_store(place: int, value: bytes) -> bytes:
    """Write what instructions put on the stack into the memory."""
    return I32_ZERO + value + STORE + b"\x03" + encode_leb128(8 * place)


def emit_body(count: int, code: bytes) -> bytes:
    """Return a function with so many local numbers."""
    return prefix_size((b"\x01" + encode_leb128(count) + F64 if count else b"\x00") + code + END)


def encode_leb128(value: int) -> bytes:
    """Write a whole number, seven bits a byte, the lowest first (LEB128)."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def prefix_size(content: bytes) -> bytes:
    """Write how many bytes follow, and these."""
    return encode_leb128(len(content)) + content
