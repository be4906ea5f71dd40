"""What notebooks show of objects; the text of `repr` stays one line.

A class says `_repr_html_ = displayed.html`. Who draws it is looked up when a notebook asks, so that no package below
`screwgraph.ui.notebook` imports drawing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def html(self: Any) -> str | None:
    """Return tables and pictures of an object as HTML; None where there are none, and its text is shown."""
    return import_module("screwgraph.ui.notebook").html(self)


def svg(self: Any) -> str | None:
    """Return the picture of an object as SVG; None where it is too large to be drawn."""
    return import_module("screwgraph.ui.notebook").svg(self)
