"""What a folder of entries need not keep: drafts of killed processes, and what was not used for longest."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from screwgraph.compiler.cache.entry_kinds import KINDS

DRAFT = ".screwgraph-"
DRAFT_SUFFIX = ".draft"
LARGEST = 512_000_000
"""Bytes of all entries together."""
KEPT = 0.75
"""What part of that stays when it was exceeded, lest every new entry has to make room."""
ABANDONED = 3600.0
"""Seconds after which a draft's process is taken for dead."""
WRITES = 64
"""One of so many entries that are written has its folder tidied: of thousands, a look takes longer than a write."""


def temporary_name() -> str:
    """Return the name of a file to write before it becomes an entry."""
    return f"{DRAFT}{os.urandom(8).hex()}{DRAFT_SUFFIX}"


def is_time_to_tidy(key: str) -> bool:
    """Tell whether the folder is tidied after the entry of a key, a hash: one of `WRITES` in any process."""
    return int(key[:8], 16) % WRITES == 0


def evict_entries(folder: Path, largest: int = LARGEST) -> None:
    """Remove abandoned drafts and, beyond `largest` bytes, the entries used longest ago; other files stay."""
    old = time.time() - ABANDONED
    entries: list[tuple[float, int, str]] = []
    with os.scandir(folder) as found:
        for file in found:
            with contextlib.suppress(OSError):  # another process was quicker, or holds it
                status = file.stat(follow_symlinks=False)
                if _is_draft(file.name) and status.st_mtime < old:
                    os.unlink(file.path)
                elif _is_entry(file.name):
                    entries.append((status.st_mtime, status.st_size, file.path))
    total = sum(size for _, size, _ in entries)
    if total > largest:
        _remove_oldest(entries, total - int(KEPT * largest))


def _remove_oldest(entries: list[tuple[float, int, str]], surplus: int) -> None:
    for _, size, path in sorted(entries):
        if surplus <= 0:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        surplus -= size


def _is_draft(name: str) -> bool:
    return name.startswith(DRAFT) and name.endswith(DRAFT_SUFFIX)


def _is_entry(name: str) -> bool:
    key, _, kind = name.partition(".")
    return len(key) == 64 and kind in KINDS
