"""Which code makes code: entries of any other version of it are not found."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

import numpy as np

from screwgraph import IMPORTED_NS

PACKAGE = __name__.partition(".")[0]
ELSEWHERE = ("__pycache__", "formats", "ui", "zoo")
"""Packages that have no part in making code."""
CLOCK_TICK_NS = 20_000_000
"""By how much the times of files may lag behind the clock of processes: file systems use a coarser one."""
LOOK_NS = 100_000_000
"""For how long one look at the sources holds, where entries are read."""

State = tuple[tuple[str, int, int, int, int], ...]
"""Of each source: its path, when its text and its record were changed (ns), its size, its inode."""
_status = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino")


def digest_sources(*, look_again: bool = False) -> bytes | None:
    """Return a digest of this package's sources, and of the versions of Python and NumPy.

    None where they cannot be read, or changed at any time after this process imported the package: modules are
    imported when they are first needed, so nobody knows then which version of the sources the process runs. A change
    that is taken back, or a file that is replaced by one with older times, is a change: the times of the files'
    records (ctime) tell.

    Args:
        look_again: look at the sources now, as before an entry is written; else a look holds for `LOOK_NS`.
    """
    first = _first_look()
    if first is None:
        return None
    state, digest = first
    now = _state_of_sources() if look_again else _recent_state(_turn())
    return digest if now == state else None


@cache
def _first_look() -> tuple[State, bytes] | None:
    """Return the state and the digest of the sources that this process runs, if these are still what it imported."""
    state = _recent_state(_turn())
    if state is None or any(max(changed) > IMPORTED_NS - CLOCK_TICK_NS for _, *changed, _, _ in state):
        return None
    root = str(_root())
    digest = sha256(f"{sys.version_info[:3]} {np.__version__}".encode())
    try:
        for path, *_ in state:
            with open(path, "rb") as file:
                digest.update(path[len(root) :].encode() + sha256(file.read()).digest())
    except OSError:
        return None
    return state, digest.digest()


def _turn() -> int:
    return time.monotonic_ns() // LOOK_NS


@lru_cache(maxsize=1)
def _recent_state(_turn: int) -> State | None:
    return _state_of_sources()


def _state_of_sources() -> State | None:
    """Return the state of all sources; None where they cannot be looked at."""
    try:
        changed = tuple(os.stat(folder).st_mtime_ns for folder in _folders())
        lately = max(changed) > time.time_ns() - CLOCK_TICK_NS  # more may change, and the folder's time stay the same
        return tuple((path, *_status(os.stat(path))) for path in _files(changed, time.monotonic_ns() if lately else 0))
    except OSError:
        return None


@cache
def _folders() -> tuple[str, ...]:
    """Return all folders; whatever is added to them, or taken away, changes the time of one of these."""
    return tuple(folder for folder, _ in _walk(str(_root())))


@lru_cache(maxsize=1)
def _files(_changed: tuple[int, ...], _turn: int) -> tuple[str, ...]:
    """Return the paths of all sources: they are listed anew where folders have changed."""
    return tuple(sorted(path for _, sources in _walk(str(_root())) for path in sources))


def _root() -> Path:
    return Path(__file__).parents[2]


def _walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and the paths of its sources, then the same of the folders in it."""
    with os.scandir(folder) as found:
        files = list(found)
    yield folder, [file.path for file in files if file.name.endswith(".py")]
    for file in files:
        if file.name not in ELSEWHERE and file.is_dir():
            yield from _walk(file.path)
