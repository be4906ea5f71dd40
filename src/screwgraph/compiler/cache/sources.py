"""Which code makes code: entries of any other version of it are not found."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

IMPORTED = time.time_ns()
"""When this process took its code from the disk."""
PACKAGE = __name__.partition(".")[0]
ELSEWHERE = ("__pycache__", "bench", "cli", "draw", "formats", "zoo")
"""Packages that have no part in making code."""


@cache
def stamp() -> bytes | None:
    """Return a digest of this package's sources, and of the versions of Python and NumPy.

    None where they cannot be read, or changed after this process began: what it runs is not what they say.
    """
    root = str(Path(__file__).parents[2])
    digest = sha256(f"{sys.version_info[:3]} {np.__version__}".encode())
    try:
        for path, changed in sorted(_sources(root)):
            if changed > IMPORTED:
                return None
            with open(path, "rb") as file:
                digest.update(path[len(root) :].encode() + sha256(file.read()).digest())
    except OSError:
        return None
    return digest.digest()


def _sources(folder: str) -> Iterator[tuple[str, int]]:
    """Yield all sources in a folder and when they were changed (ns)."""
    with os.scandir(folder) as found:
        for file in found:
            if file.name.endswith(".py"):
                yield file.path, file.stat().st_mtime_ns
            elif file.name not in ELSEWHERE and file.is_dir():
                yield from _sources(file.path)
