"""Where the models are that SDF files include: beside the file, in packages, in folders with a model.config."""

from __future__ import annotations

import os
import re
from pathlib import Path

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, quote_text
from screwgraph.model.formats.file_io import read_bytes
from screwgraph.model.formats.packages import GAZEBO, Packages
from screwgraph.model.formats.xml import children, parse_xml

LOCAL = ("", "file", "model", "package")
"""Schemes of files on this machine; the last two name the folder of a model or of a package."""
CONFIG, DEFAULT = "model.config", "model.sdf"

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
_VERSION = re.compile(r"\s*(\d{1,3})\.(\d{1,3})(?:\.\d+)?\s*", re.ASCII)


def model_file(uri: str, file: str, packages: Packages, at: Place) -> str:
    """Return the file that a URI in another file names; of a folder, that of the highest version of SDF.

    Raises:
        ModelError: no local file, or no folder of that name.
    """
    found = _SCHEME.match(uri)
    scheme, rest = (found[1].lower(), uri[found.end() :]) if found else ("", uri)
    if scheme not in LOCAL:
        raise ModelError(
            f"the file includes {quote_text(uri)}",
            at=at,
            why="only local files are included",
            fix="download it and name its path, relative to this file",
        )
    path = os.path.join(os.path.dirname(file), rest)
    if scheme in ("model", "package") or not _exists(path):
        name, _, inside = rest.partition("/")
        folder = packages.find(name, Path(file).parent if _exists(file) else None)
        if folder is not None:
            path = str(folder / inside) if inside else str(folder)
        elif scheme in ("model", "package"):
            raise ModelError(
                f"the file includes {quote_text(uri)}",
                at=at,
                why=f"no folder is called {quote_text(name)} near it, in packages= or {', '.join(GAZEBO)}",
                fix=f"packages={{{name!r}: 'its folder'}}",
            )
    return _within(path) if os.path.isdir(path) else path


def _within(folder: str) -> str:
    """Return the SDF file of a model's folder: the one of the highest version in its model.config, else model.sdf."""
    config = os.path.join(folder, CONFIG)
    if not os.path.isfile(config):
        return os.path.join(folder, DEFAULT)
    root = parse_xml(read_bytes(Path(config), config), config)
    named = [(_version(sdf.get("version", "")), (sdf.text or "").strip()) for sdf in children(root, "sdf")]
    return os.path.join(folder, max(((v, name) for v, name in named if name), default=((), DEFAULT))[1])


def _version(text: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else ()


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except (OSError, ValueError):
        return False
