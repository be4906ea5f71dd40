"""<include> of SDF: local files only, not in a circle, not too many."""

from __future__ import annotations

import os
import re
from pathlib import Path

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, quote_text
from screwgraph.model.formats.drake import adopt_sdf
from screwgraph.model.formats.file_io import read_bytes
from screwgraph.model.formats.packages import GAZEBO, Packages
from screwgraph.model.formats.sdf.scope import Scope, SdfParts
from screwgraph.model.formats.sdf.values import required_text
from screwgraph.model.formats.xml import Element, children, locate_element, parse_xml

MOST_INCLUDES = 200
DEEPEST_INCLUDE = 10

IDLE = ("light", "actor")
"""What SDF files hold beside models."""


def sdf_version(root: Element, file: str) -> tuple[int, int]:
    """Return the version of an <sdf> element. Raises ModelError for another element or a version that is none."""
    if root.tag != "sdf":
        raise ModelError(
            f"the outermost element is {quote_text(f'<{root.tag}>')}",
            at=locate_element(root, file),
            why="SDF has <sdf> there",
        )
    found = re.fullmatch(r"\s*(\d{1,3})\.(\d{1,3})(\.\d+)?\s*", root.get("version", ""))
    if not found:
        raise ModelError(
            f"<sdf>: 'version' is {quote_text(root.get('version', ''))}",
            at=locate_element(root, file),
            why="it is like 1.9",
        )
    return int(found[1]), int(found[2])


def read_include(element: Element, scope: Scope, parts: SdfParts) -> tuple[Element, tuple[int, int], Path, str] | None:
    """Return the <model> that an <include> names, its SDF version, its file, and how messages call that.

    None, with a warning, where the file has a light or an actor in its place.

    Raises:
        ModelError: no local file, a file that includes itself, too many or too deep includes, or no single model.
    """
    at = locate_element(element, scope.file)
    file = model_file(required_text(element, "uri", "an include", scope.file), scope.file, parts.packages, at)
    path = _resolve_path(file)
    if path in scope.path:
        circle = " -> ".join(step.name for step in (*scope.path[scope.path.index(path) :], path))
        raise ModelError(f"the file includes itself: {circle}", at=at, fix="take out one include")
    if len(scope.path) > DEEPEST_INCLUDE or len(parts.included) >= MOST_INCLUDES:
        raise ModelError("the file includes too many files, or too deeply", at=at)
    parts.included.append(file)
    try:
        root = parse_xml(read_bytes(Path(file), file), file, parts.warnings)
    except ModelError as error:
        raise ModelError(error.what, at=error.at, why=error.why, fix=f"it is included at {at}") from error
    adopt_sdf(root, file, parts.warnings)
    version, models = sdf_version(root, file), list(children(root, "model"))
    others = [child.tag for child in root if child.tag in IDLE]
    if not models and others:
        parts.warnings.add(f"a <{others[0]}> is included", at=at, why="it is passed over, as it is no robot")
        return None
    if len(models) != 1:
        raise ModelError(
            f"the file has {len(models)} models",
            at=locate_element(root, file),
            why=f"{at} includes it, and that takes one",
        )
    return models[0], version, path, file


def _resolve_path(file: str) -> Path:
    try:
        return Path(file).resolve()
    except (OSError, ValueError, RuntimeError):
        return Path(file)


# Where the models are that SDF files include: beside the file, in packages, in folders with a model.config.

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
