"""A copy past the caches: what is larger than they are would only be read into them, and pushed out unread."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.allocation import LINE
from screwgraph.compiler.backends.llvm.ir_text import Lanes


def emit_streaming_copy(lanes: Lanes) -> str:
    """Return `@stream(to, from, bytes)`, for at least one line: the whole lines in it go past the caches."""
    lines = [
        f"define internal void @stream{lanes.tag}(ptr noalias %to, ptr noalias %from, i64 %bytes) noinline {{",
        "entry:",
        "  %address = ptrtoint ptr %to to i64",
        "  %negative = sub i64 0, %address",
        f"  %first = and i64 %negative, {LINE - 1}",
        "  %left = sub i64 %bytes, %first",
        f"  %whole = and i64 %left, {-LINE}",
        "  %last = add i64 %first, %whole",
        "  br label %head",
        *_emit_copy("head", ("0", "%first"), ("entry", "lines"), lanes, past=False),
        *_emit_copy("lines", ("%first", "%last"), ("head", "tail"), lanes, past=True),
        *_emit_copy("tail", ("%last", "%bytes"), ("lines", "end"), lanes, past=False),
        "end:",
        "  ret void",
        "}",
        "!1 = !{i32 1}",
    ]
    return "\n".join(lines)


def _emit_copy(name: str, within: tuple[str, str], blocks: tuple[str, str], lanes: Lanes, *, past: bool) -> list[str]:
    """Copy from byte to byte, a line past the caches or a number at once; it stands between two blocks of code."""
    D = lanes.real if past else lanes.scalar
    step = lanes.width * lanes.bytes if past else lanes.bytes
    count, mark = (LINE // step, ", !nontemporal !1") if past else (1, "")
    lines = [
        f"{name}:",
        f"  %{name}_k = phi i64 [{within[0]}, %{blocks[0]}], [%{name}_next, %{name}_step]",
        f"  %{name}_more = icmp slt i64 %{name}_k, {within[1]}",
        f"  br i1 %{name}_more, label %{name}_step, label %{blocks[1]}",
        f"{name}_step:",
    ]
    for part in range(count):
        here = f"{name}{part}"
        lines += [
            f"  %{here} = add i64 %{name}_k, {part * step}",
            f"  %{here}_from = getelementptr i8, ptr %from, i64 %{here}",
            f"  %{here}_to = getelementptr i8, ptr %to, i64 %{here}",
            f"  %{here}_value = load {D}, ptr %{here}_from, align {lanes.bytes}",
            f"  store {D} %{here}_value, ptr %{here}_to, align {step}{mark}",
        ]
    return [*lines, f"  %{name}_next = add i64 %{name}_k, {step * count}", f"  br label %{name}"]
