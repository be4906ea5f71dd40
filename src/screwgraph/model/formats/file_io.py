"""Bytes from and to the disk, with one clear line for what goes wrong there."""

from __future__ import annotations

import os
import shutil
from difflib import get_close_matches
from pathlib import Path

from screwgraph.base.errors import InputError, ModelError

LARGEST_FILE = 20_000_000
"""Bytes; the largest robot files are a hundredth of that."""


def read_bytes(path: Path, file: str) -> bytes:
    """Read a file of reasonable size; `file` is its name in messages.

    Raises:
        ModelError: missing, a directory, not an ordinary file, too large, unreadable or empty.
    """
    try:
        _check(path, file)
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelError(
                f"the file has {size / 1e6:.0f} MB", at=file, why=f"more than {LARGEST_FILE / 1e6:.0f} MB are refused"
            )
        data = path.read_bytes() if size else b""  # devices that pose as empty files may never end
    except (OSError, ValueError) as error:
        raise ModelError("the file cannot be read", at=file, why=_reason(error)) from error
    if not data.strip():
        raise ModelError("the file is empty", at=file, fix="name another file")
    return data


def find_file(path: Path, file: str) -> Path:
    """Return the path of an ordinary file of any size. Raises InputError where there is none."""
    try:
        _check(path, file)
    except ModelError as error:
        fix = error.fix if error.fix.startswith("did you mean") else ""
        raise InputError(error.what, at=error.at, why=error.why, fix=fix) from error
    except (OSError, ValueError) as error:
        raise InputError("the file cannot be read", at=file, why=_reason(error)) from error
    return path


def _check(path: Path, file: str) -> None:
    if not path.exists():
        raise ModelError("there is no such file", at=file, fix=_similar(path))
    if path.is_dir():
        raise ModelError("this is a directory", at=file, fix="name a file in it")
    if not path.is_file():
        raise ModelError("this is not an ordinary file", at=file, fix="name another file")


def write_atomically(path: Path, data: bytes, file: str) -> None:
    """Write a file as a whole or not at all: what was there stays, also where the disk is full or power fails.

    Links are followed: the file that they lead to is replaced. Raises InputError where it cannot be written.
    """
    try:
        target = path.resolve()
        draft = target.with_name(f".screwgraph-{os.urandom(8).hex()}.draft")  # of no other process or thread
        try:
            with draft.open("wb") as output:
                output.write(data)
                output.flush()
                os.fsync(output.fileno())
            if target.exists():
                shutil.copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InputError("the file cannot be written", at=file, why=_reason(error)) from error


def _similar(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no directory {str(folder)!r} either"
    if path.is_symlink():
        return "it is a link that leads nowhere"
    near = get_close_matches(path.name, [p.name for p in folder.iterdir()], n=1, cutoff=0.7)
    return f"did you mean {str(folder / near[0])!r}?" if near else "check the path"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
