"""The timing loops of `native/calls.cpp`, loaded into this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.native import FLAGS, SHARED, Compiler, build

HERE = Path(__file__).parent / "native"


def timer(name: str, compiler: Compiler, say: Callable[[str], None]) -> Any:
    """Return a function of the file by its name: it takes the address of what is timed, and returns nanoseconds."""
    sources = [HERE / "calls.cpp", HERE / "timing.hpp"]
    library = ctypes.CDLL(str(build(compiler.cpp, ["-std=c++17", *FLAGS, *SHARED], sources, say=say)))
    found = getattr(library, name)
    found.restype = ctypes.c_double
    return found
