"""Code that is quickly made answers first; fast code takes its place after some thousand states.

LLVM takes five to ten times as long for fast code, which is worth it for who calls often. Both give the same digits.
A draft counts the states that it answers; when they are enough, it calls back, and a thread makes fast code while the
draft goes on. Every address that is called from then on is that of the fast code.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress

VARIABLE = "SCREWGRAPH_DRAFT_STATES"
"""The environment variable that says for how many states a draft answers; 0: there are no drafts."""
DEFAULT_STATES = 10_000
ENVIRONMENT = 64
"""Bytes of C's `fenv_t`, at least."""

_Signature = tuple[str, tuple[str, ...], str]
ENTRIES: Mapping[str, _Signature] = MappingProxyType(
    {
        "loop": ("void", ("ptr", "ptr", "ptr", "ptr"), "load i64, ptr %a1, align 8"),
        "call": ("ptr", ("ptr", "ptr", "i64"), "add i64 0, 1"),
        "whole": ("ptr", ("ptr", "ptr", "i64", "ptr"), "add i64 0, 1"),
        "step_loop": ("i64", ("ptr", "ptr", "i64"), "add i64 %a2, 0"),
        "factor": ("i64", (*["ptr"] * 8, "i64", "double"), "add i64 %a8, 0"),
        "forward": ("void", (*["ptr"] * 5, "i64"), "add i64 0, 0"),
        "backward": ("void", (*["ptr"] * 5, "i64"), "add i64 0, 0"),
    }
)
"""The functions of drafts that are called from outside: what they return, take, and how many states a call is."""
PREFIX = "draft_"


def tier_up_threshold() -> int:
    """Return for how many states drafts answer. Raises InputError where the environment says nonsense."""
    text = os.environ.get(VARIABLE, "")
    if text and not (text.isascii() and text.isdigit()):
        raise InputError(f"{VARIABLE} is {text!r}", why="it counts states", fix="set it to 10000, or 0 for no drafts")
    return int(text) if text else DEFAULT_STATES


def emit_counters(entries: Sequence[str], weight: int) -> str:
    """Return functions that count states, `weight` each, and do as `entries`, whose names they have with a prefix.

    NumPy looks at floating-point flags after a call; what calling back does to them is undone.
    """
    lines = [
        "@draft_left = global i64 0",
        "@draft_enough = global ptr null",
        "declare i32 @fegetenv(ptr)",
        "declare i32 @fesetenv(ptr)",
        "define internal void @draft_spend(i64 %states) noinline {",
        "  %left = load i64, ptr @draft_left, align 8",
        f"  %spent = mul i64 %states, {weight}",
        "  %now = sub i64 %left, %spent",
        "  store i64 %now, ptr @draft_left, align 8",
        "  %over = icmp slt i64 %now, 0",
        "  br i1 %over, label %enough, label %done",
        "enough:",
        f"  store i64 {2**62}, ptr @draft_left, align 8",
        f"  %flags = alloca [{ENVIRONMENT} x i8], align 16",
        "  %kept = call i32 @fegetenv(ptr %flags)",
        "  %call = load ptr, ptr @draft_enough, align 8",
        "  call void %call()",
        "  %back = call i32 @fesetenv(ptr %flags)",
        "  br label %done",
        "done:",
        "  ret void",
        "}",
    ]
    for name in entries:
        result, kinds, states = ENTRIES[name]
        given = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
        answer, back = ("", "void") if result == "void" else ("%answer = ", f"{result} %answer")
        lines += [
            f"define {result} @{PREFIX}{name}({given}) {{",
            f"  %states = {states}",
            "  call void @draft_spend(i64 %states)",
            f"  {answer}call {result} @{name}({given})",
            f"  ret {back}",
            "}",
        ]
    return "\n".join(lines)


class _Improvement(threading.Thread):
    """A thread that makes fast code; a process that ends waits for it, as for all threads."""


def is_tiering_up() -> bool:
    """Whether fast code is being made."""
    return any(isinstance(thread, _Improvement) for thread in threading.enumerate())


def wait_for_optimised() -> None:
    """Wait until all fast code that is being made is there."""
    waiting = [thread for thread in threading.enumerate() if isinstance(thread, _Improvement)]
    for number, thread in enumerate(waiting):
        report_progress("making fast code", number / len(waiting))
        thread.join()


# llvmlite keeps a lock while it compiles, which a forked process would find locked for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=wait_for_optimised)


class BaselineCode:
    """Baseline code of a function: the addresses that call it, and how optimised code is compiled."""

    def __init__(self, engine: Any, make: Callable[[], Any]) -> None:
        """Count in the draft of this engine; `make` returns fast code with the same functions."""
        self._make: Callable[[], Any] | None = make
        self._code: Any = None
        self._callers: list[tuple[weakref.ref[Any], int, str]] = []
        self._lock = threading.Lock()
        own = weakref.ref(self)  # what machine code calls must not keep itself

        def enough() -> None:
            draft = own()
            if draft is not None:
                draft.improve()

        self._call = ctypes.CFUNCTYPE(None)(enough)
        ctypes.c_int64.from_address(engine.get_global_value_address("draft_left")).value = tier_up_threshold()
        address = ctypes.cast(self._call, ctypes.c_void_p).value
        ctypes.c_void_p.from_address(engine.get_global_value_address("draft_enough")).value = address

    def serve(self, owner: Any, address: int, entry: str) -> None:
        """Let the pointer at an address, in memory that `owner` holds, point to fast code once that is made.

        What is in the owner's list `kept_alive` lives as long as it.
        """
        with self._lock:
            self._callers.append((weakref.ref(owner), address, entry))
            if self._code is not None:
                self._redirect(owner, address, entry)

    def improve(self) -> None:
        """Let a thread make fast code, which is called from then on; where no thread starts, the draft stays."""
        make, self._make = self._make, None
        if make is None:  # another thread was first
            return
        with suppress(RuntimeError):  # the interpreter ends
            _Improvement(target=self._improve, args=(make,), name="screwgraph: fast code").start()

    def _improve(self, make: Callable[[], Any]) -> None:
        """Make fast code, and redirect all who call the draft, which stays: threads may be in it."""
        code = make()
        with self._lock:
            self._code = code
            for reference, address, entry in self._callers:
                owner = reference()
                if owner is not None:
                    self._redirect(owner, address, entry)

    def _redirect(self, owner: Any, address: int, entry: str) -> None:
        owner.kept_alive.append(self._code)
        ctypes.c_void_p.from_address(address).value = self._code.function(entry)
