"""What notebooks show of objects; the text of `repr` stays one line.

A class says `_repr_html_ = html_display.html`. Who draws is registered by the package that is above all others, and
called when a notebook asks, so that no package below imports drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_RENDERERS: list[Callable[[], Any]] = []


def register_renderer(get: Callable[[], Any]) -> None:
    """Let notebooks show objects by `html` and `svg` of what `get` returns, in place of an earlier one."""
    _RENDERERS[:] = [get]


def html(self: Any) -> str | None:
    """Return tables and pictures of an object as HTML; None where there are none, and its text is shown."""
    return _RENDERERS[0]().html(self) if _RENDERERS else None


def svg(self: Any) -> str | None:
    """Return the picture of an object as SVG; None where it is too large to be drawn."""
    return _RENDERERS[0]().svg(self) if _RENDERERS else None
