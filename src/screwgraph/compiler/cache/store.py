"""Entries in a folder, written as a whole or not at all; any process may write the same ones at any time."""

from __future__ import annotations

import contextlib
import os
import stat
import time
import warnings
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

READING = os.O_RDONLY

PROGRAM = "program"

OBJECT = "object"

KINDS = (PROGRAM, OBJECT)


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
                "free disk space, or allow writing there",
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


# An entry of the cache as bytes: what is damaged, cut short, renamed or not ours is not believed.

MAGIC = b"screwgraph cache 1\n"

DIGEST = sha256().digest_size


def encode_entry(key: str, payload: bytes) -> bytes:
    """Return the bytes of an entry: magic and version, checksum of key and payload, payload."""
    return MAGIC + _checksum(key, payload) + payload


def decode_entry(key: str, entry: bytes) -> bytes | None:
    """Return the payload of an entry; None where it is not, bit for bit, what was sealed under that key."""
    start = len(MAGIC) + DIGEST
    payload = entry[start:]
    return payload if entry[:start] == MAGIC + _checksum(key, payload) else None


def _checksum(key: str, payload: bytes) -> bytes:
    return sha256(key.encode() + payload).digest()


# Where the cache is, and whether the folder is trustworthy: machine code from it will be run.

SWITCH = "SCREWGRAPH_CACHE"

FOLDER = "SCREWGRAPH_CACHE_DIR"

OFF = ("0", "off", "no", "false")

WRITABLE_BY_OTHERS = 0o022


def cache_folder() -> Path | None:
    """Return the folder that the environment, else the platform, names; None where the cache is switched off."""
    if os.environ.get(SWITCH, "").strip().lower() in OFF:
        return None
    chosen = os.environ.get(FOLDER)
    if chosen:
        return Path(os.path.expanduser(chosen))
    from platformdirs import user_cache_path  # here, because most of the 10 ms of a cached function would be its import

    folder = user_cache_path("screwgraph", appauthor=False)
    return folder if folder.is_absolute() else None  # a user without a home


def find_distrust(status: os.stat_result) -> str:
    """Return why a file or folder is not trustworthy; empty if it is.

    On Windows, a user's folders are closed to others by where they are.
    """
    if os.name == "nt":
        return ""
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users may write to it" if status.st_mode & WRITABLE_BY_OTHERS else ""


# What a folder of entries need not keep: drafts of killed processes, and what was not used for longest.

DRAFT = ".screwgraph-"

DRAFT_SUFFIX = ".draft"

LARGEST = 512_000_000
"""Bytes of all entries together."""

KEPT = 0.75
"""Part of that to which entries are evicted once it is exceeded: not each new entry then evicts another."""

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
