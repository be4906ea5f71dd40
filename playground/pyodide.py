"""The npm package `pyodide`: CPython as WebAssembly."""

from __future__ import annotations

import tarfile
from pathlib import Path

from playground.node import run

VERSION = "314.0.7"


def present(folder: Path) -> Path | None:
    """Return the unpacked package below a folder, None where it is not there."""
    package = folder / f"pyodide-{VERSION}" / "package"
    return package if (package / "pyodide.asm.wasm").is_file() else None


def fetched(folder: Path) -> Path:
    """Return the unpacked package below a folder; npm downloads it where it is not there.

    Raises:
        RuntimeError: it is not there, and npm does not get it.
    """
    if found := present(folder):
        return found
    package = folder / f"pyodide-{VERSION}" / "package"
    package.parent.mkdir(parents=True, exist_ok=True)
    run("npm", "pack", "--silent", f"pyodide@{VERSION}", folder=package.parent)
    with tarfile.open(package.parent / f"pyodide-{VERSION}.tgz") as found:
        found.extractall(package.parent, filter="data")
    return package
