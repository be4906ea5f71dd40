"""Pieces of HTML: tables, pictures, animations, what is folded away.

Styles stand in the elements: notebooks drop others.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from screwgraph.ui.view import Scene

MOST_ROWS = 60
"""Rows of a table; longer ones say how many are left out."""
_CELL = "padding:2px 10px;text-align:{};vertical-align:top"


def wrap_titled(title: str, parts: Iterable[str]) -> str:
    """Return one element with a title."""
    head = f'<div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
    return f'<div class="screwgraph">{head}{"".join(parts)}</div>'


def make_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; numbers stand on the right. Nothing where there are no rows."""
    if not rows:
        return ""
    head = "".join(f'<th style="{_CELL.format("left")}">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST_ROWS])
    left = make_remark(f"and {len(rows) - MOST_ROWS} more") if len(rows) > MOST_ROWS else ""
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}'


def _cell(entry: object) -> str:
    if isinstance(entry, int | float):
        return f'<td style="{_CELL.format("right")}">{entry:.6g}</td>'
    return f'<td style="{_CELL.format("left")}">{escape(str(entry))}</td>'


def make_remark(text: str) -> str:
    """Return a line in small type."""
    return f'<div style="opacity:.7;font-size:90%">{escape(text)}</div>'


def fold_content(summary: str, content: str) -> str:
    """Return what a click unfolds."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def embed_figure(figure: Figure, alt: str) -> str:
    """Return a figure as an image of its own: names inside of one SVG do not meet those of another."""
    from screwgraph.ui.draw import encode

    data = base64.b64encode(encode(figure, ".svg")).decode("ascii")
    return f'<img alt="{escape(alt)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


def embed_scene(scene: Scene) -> str:
    """Return a scene that plays: a page in a frame, which asks for nothing else."""
    from screwgraph.ui.view import html

    style = "width:100%;max-width:720px;height:420px;border:1px solid #8884;border-radius:6px"
    page = escape(html(scene))
    return f'<iframe title="{escape(scene.title)}" style="{style}" sandbox="allow-scripts" srcdoc="{page}"></iframe>'
