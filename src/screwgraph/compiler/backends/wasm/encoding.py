"""Bytes of functions of WebAssembly: numbers of memory, calls, loops (Core Specification 1.0, ch. 5)."""

from __future__ import annotations

from collections.abc import Iterable

F64, I32 = b"\x7c", b"\x7f"
CALL, END, GET, SET, LOAD, STORE, I32_ZERO = b"\x10", b"\x0b", b"\x20", b"\x21", b"\x2b", b"\x39", b"\x41\x00"
I32_CONST, I32_ADD, I32_MUL, I32_LESS = b"\x41", b"\x6a", b"\x6c", b"\x48"
BYTES = 8
"""Bytes of a number."""


def emit_load(place: int, strides: Iterable[tuple[int, int]] = ()) -> bytes:
    """Put a number of the memory on the stack; integers among the locals move it, each by a stride."""
    return _emit_address(place, strides) + LOAD + b"\x03" + encode_leb128(0 if strides else BYTES * place)


def emit_store(place: int, value: bytes, strides: Iterable[tuple[int, int]] = ()) -> bytes:
    """Write what instructions put on the stack into the memory."""
    address = _emit_address(place, strides)
    return address + value + STORE + b"\x03" + encode_leb128(0 if strides else BYTES * place)


def _emit_address(place: int, strides: Iterable[tuple[int, int]]) -> bytes:
    """Put what is added to an instruction's own offset on the stack: all, where strides may lead backwards."""
    if not strides:
        return I32_ZERO
    found = emit_integer(BYTES * place)
    for local, stride in strides:
        found += GET + encode_leb128(local) + emit_integer(BYTES * stride) + I32_MUL + I32_ADD
    return found


def emit_integer(value: int) -> bytes:
    """Put an integer of either sign on the stack."""
    found = bytearray(I32_CONST)
    while not -64 <= value < 64:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value & 127])


def emit_body(count: int, code: bytes, kind: bytes = F64) -> bytes:
    """Return a function with so many local numbers, all of one kind."""
    return prefix_size((b"\x01" + encode_leb128(count) + kind if count else b"\x00") + code + END)


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
