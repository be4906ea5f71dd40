"""Memory of a function: on the stack, or from the heap where it is much."""

from __future__ import annotations

STACK = 2**17
"""Bytes that one array takes on the stack. More could reach past the page that guards a stack's end, unseen."""
LINE = 64
"""Bytes of a line of the caches, where arrays begin."""

ALLOCATIONS = f"""declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @abort() noreturn
define internal noalias ptr @taken(i64 %bytes) noinline {{
  %all = add i64 %bytes, {LINE}
  %memory = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %full, label %done
full:
  call void @abort()
  unreachable
done:
  ret ptr %memory
}}"""
"""What `emit_allocation`, and copies from it, need in a module, once."""


def emit_allocation(name: str, count: int, kind: str, size: int) -> tuple[list[str], list[str]]:
    """Return lines that take memory for `count` numbers of a type and size (bytes), and lines that give it back.

    The memory is called `%<name>`.
    """
    if count * size <= STACK:
        return [f"  %{name} = alloca [{count} x {kind}], align {LINE}"], []
    take = [
        f"  %{name}_all = call ptr @taken(i64 {count * size})",
        f"  %{name}_address = ptrtoint ptr %{name}_all to i64",
        f"  %{name}_before = sub i64 0, %{name}_address",
        f"  %{name}_offset = and i64 %{name}_before, {LINE - 1}",
        f"  %{name} = getelementptr i8, ptr %{name}_all, i64 %{name}_offset",
    ]
    return take, [f"  call void @free(ptr %{name}_all)"]
