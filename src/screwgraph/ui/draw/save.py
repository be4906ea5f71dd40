"""Figures as files."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.model.formats import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Mapping[str, Mapping[str, Any]] = {
    ".svg": {"format": "svg", "metadata": {"Date": None}},
    ".pdf": {"format": "pdf", "metadata": {"CreationDate": None}},
    ".png": {"format": "png", "dpi": 144},
}
"""What a suffix means to matplotlib."""


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as SVG, PDF or PNG, by the suffix of the path; equal figures give equal files.

    The file is written as a whole or not at all.

    Raises:
        InputError: another suffix, no such folder, or a path that cannot be written.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{path!r} is not a path", fix='draw.save(figure, "figure.svg")')
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(
            f"no picture format has the suffix {target.suffix!r}",
            at=str(path),
            fix=f"save as one of {', '.join(FORMATS)}",
        )
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}", at=str(path), fix="make the folder first")
    write_atomically(target, encode(figure, target.suffix), str(path))


def encode(figure: Figure, suffix: str) -> bytes:
    """Return what the file of a figure holds; `suffix` is one of `FORMATS`."""
    from matplotlib import rc_context

    report_progress(f"writing {suffix}")
    buffer = io.BytesIO()
    # The salt makes the names inside an SVG the same each time; outlines of glyphs need no fonts
    # where it is read; a PDF brings its fonts along.
    with rc_context({"svg.hashsalt": "screwgraph", "svg.fonttype": "path"}):
        figure.savefig(buffer, facecolor="white", **FORMATS[suffix.lower()])
    return buffer.getvalue()
