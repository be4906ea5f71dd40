"""Entries in a folder, written as a whole or not at all; any process may write the same ones at any time."""

from __future__ import annotations

import contextlib
import os
import stat
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from screwgraph.compiler.cache.entry import decode_entry, encode_entry
from screwgraph.compiler.cache.eviction import evict_entries, is_time_to_tidy, temporary_name
from screwgraph.compiler.cache.folder import FOLDER, SWITCH, cache_folder, find_distrust

READING = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # a link could lead to anybody's file, a pipe would never answer
    READING |= getattr(os, _flag, 0)


@dataclass(frozen=True)
class Store:
    """A folder of entries that is the user's own."""

    folder: Path

    def read(self, kind: str, key: str) -> bytes | None:
        """Return the payload of an entry; None where there is none that can be believed."""
        path = self._path(kind, key)
        try:
            descriptor = os.open(path, READING)
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                suspicion = find_distrust(status) if stat.S_ISREG(status.st_mode) else "it is no file"
                entry = file.read() if not suspicion else b""
        except OSError:  # most often, there is none
            return None
        if suspicion:
            _warn(path, "an entry of the cache is not used", suspicion, "remove it")
            return None
        payload = decode_entry(key, entry)
        if payload is not None:
            with contextlib.suppress(OSError):  # when it was used last, for `evict_entries`; a folder may be read-only
                os.utime(path)
        return payload

    def write(self, kind: str, key: str, payload: bytes) -> None:
        """Keep a payload; warn where that is not possible."""
        path = self._path(kind, key)
        try:
            draft = self.folder / temporary_name()
            try:
                descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(encode_entry(key, payload))
                os.replace(draft, path)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(draft)
            if is_time_to_tidy(key):
                evict_entries(self.folder)
        except OSError as error:
            _warn(
                self.folder,
                "compiled code cannot be kept",
                error.strerror or str(error),
                "make room, or allow to write there",
            )

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / f"{key}.{kind}"


def open_store() -> Store | None:
    """Return the cache; None where it is switched off, or, with a warning, where its folder cannot be had."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        suspicion = find_distrust(os.stat(folder))
    except OSError as error:
        suspicion = error.strerror or str(error)
    if suspicion:
        _warn(folder, "the cache of compiled code is not used", suspicion, "remove it, or make it yours alone")
    return None if suspicion else Store(folder)


@cache
def _warn(path: Path, what: str, why: str, fix: str) -> None:
    """Warn once a process; Python's own memory of warnings is lost whenever somebody changes their filters."""
    fix = f"{fix}, name another folder by {FOLDER}, or set {SWITCH}=off"
    warnings.warn(f"{path}: {what}: {why} ({fix}); functions are compiled anew", RuntimeWarning, stacklevel=2)
