"""Objects that are called without a frame of Python: for one state of 100 operations, that is half of the time."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any


class NativeCallable:
    """Callable whose `__call__` slot holds machine code, or a function of Python, that is called in its place.

    Python looks for `__call__` in an object's class, and finds there the slot that each object fills for itself.
    """

    if TYPE_CHECKING:

        def __call__(self, *values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any: ...
    else:
        __slots__ = ("__call__",)


def set_call_target(called: NativeCallable, function: Any) -> None:
    """Let an object be called by a function, which must not refer to the object."""
    _SLOT.__set__(called, function)


def _as_called(*values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any: ...


_SLOT: Any = NativeCallable.__dict__["__call__"]
SIGNATURE = signature(_as_called)
"""What `inspect.signature` says of an object whose call has no frame of Python's."""
