"""Writing a library to a folder without a loss: only files of an earlier export are replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.model.formats import write_atomically

RECORD = "screwgraph.json"
"""The file that says what was written, with a checksum of each file."""


def write_library(folder: Path, files: Mapping[str, str], what: Mapping[str, Any], overwrite: bool) -> list[Path]:
    """Write the files of a library, and a record of them; files of an earlier export that are no longer made go.

    Raises:
        InputError: the folder cannot be written to; it holds other files of these names, or another library.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = _read_record(folder)
        earlier = known.get("files", {})
        if not overwrite:
            _check_same(folder, known, what)
            _check_untouched(folder, files, earlier)
        data = {path: text.encode() for path, text in files.items()}
        for path in data:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError("the folder cannot be written to", at=str(folder), why=why, fix="choose another") from error
    record = {"made by": "screwgraph", **what, "files": {path: _sum(content) for path, content in data.items()}}
    for path, content in data.items():
        write_atomically(folder / path, content, str(folder / path))
    for path in set(earlier) - set(data):
        if _is_as_written(folder / path, earlier[path]):
            (folder / path).unlink(missing_ok=True)
    write_atomically(folder / RECORD, json.dumps(record, indent=1).encode(), str(folder / RECORD))
    return [folder / path for path in data]


def _read_record(folder: Path) -> dict[str, Any]:
    """Return the record of an earlier export; empty where there is none, or one that nobody can read."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    is_record = isinstance(found, dict) and isinstance(found.get("files"), dict)
    inside = is_record and all(_is_inside(path) for path in found["files"])
    return found if inside else {}


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _check_same(folder: Path, known: Mapping[str, Any], what: Mapping[str, Any]) -> None:
    for key in ("prefix", "language"):
        if known and known.get(key) != what[key]:
            raise InputError(
                f"the folder holds a library of the {key} {known.get(key)!r}",
                at=str(folder),
                fix="choose another folder, or overwrite=True (--overwrite)",
            )


def _check_untouched(folder: Path, files: Mapping[str, str], earlier: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        if not target.exists() or (target.is_file() and target.read_bytes() == text.encode()):
            continue
        if path not in earlier:
            why = "it is no file of an earlier export"
        elif not _is_as_written(target, earlier[path]):
            why = "it was changed since it was written"
        else:
            continue
        raise InputError(
            "the file would be lost",
            at=str(target),
            why=why,
            fix="choose another folder, or overwrite=True (--overwrite)",
        )


def _is_as_written(path: Path, checksum: str) -> bool:
    return path.is_file() and _sum(path.read_bytes()) == checksum


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()
