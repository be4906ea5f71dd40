"""What notebooks show of objects; the text of `repr` stays one line.

A class says `_repr_html_ = html_display.html`. Who draws is named by the package at the top (`screwgraph.RENDERER`) and
looked up when a notebook asks, so that no package below imports drawing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def html(self: Any) -> str | None:
    """Return tables and pictures of an object as HTML; None where there are none, and its text is shown."""
    return _renderer().html(self)


def svg(self: Any) -> str | None:
    """Return the picture of an object as SVG; None where it is too large to be drawn."""
    return _renderer().svg(self)


def _renderer() -> Any:
    return import_module(import_module("screwgraph").RENDERER)
