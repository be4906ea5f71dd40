"""Reports: texts, tables, pictures and animations on one HTML page that needs nothing else."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.ui.view.page import html, save_page
from screwgraph.ui.view.scene import Scene

_PNG = b"\x89PNG"


@dataclass(frozen=True)
class Text:
    """Paragraphs, with empty lines between them."""

    title: str
    text: str


@dataclass(frozen=True)
class Table:
    """Rows of texts or numbers under the names of columns."""

    __repr__ = one_line

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Picture:
    """A picture, the content of an SVG or PNG file; `caption` says what it shows."""

    title: str
    data: bytes
    caption: str = ""


@dataclass(frozen=True)
class Pictures:
    """Pictures in one row where it is wide enough, below one another on narrow screens."""

    title: str
    pictures: Sequence[Picture]
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Animation:
    """A scene that plays within the report."""

    title: str
    scene: Scene
    caption: str = ""


Section = Text | Table | Picture | Pictures | Animation


def report(title: str, sections: Sequence[Section]) -> str:
    """Return a page with a title and sections; opened from a file, it asks for nothing else.

    Raises:
        InputError: a row of a table with too few or too many entries, or a picture that is neither SVG nor PNG.
    """
    page = (files("screwgraph.ui.view") / "page" / "report.html").read_text(encoding="utf-8")
    content = "\n".join(f"<section>\n<h2>{escape(s.title)}</h2>\n{_content(s)}\n</section>" for s in sections)
    before, _, after = page.partition("@content@")
    return before.replace("@title@", escape(title)) + content + after


def save_report(title: str, sections: Sequence[Section], path: str | os.PathLike[str]) -> None:
    """Write a report as HTML, as a whole or not at all. Raises InputError as `report` and `save_html`."""
    save_page(report(title, sections), path)


def _content(section: Section) -> str:
    match section:
        case Text():
            return "\n".join(f"<p>{escape(part)}</p>" for part in section.text.split("\n\n") if part.strip())
        case Table():
            return _table(section)
        case Picture():
            return _figure(_image(section), section.caption)
        case Pictures():
            images = "".join(_figure(_image(picture), picture.caption) for picture in section.pictures)
            caption = f'<p class="caption">{escape(section.caption)}</p>' if section.caption else ""
            return f'<div class="grid">{images}</div>{caption}'
        case Animation():
            frame = f'<iframe title="{escape(section.title)}" srcdoc="{escape(html(section.scene))}"></iframe>'
            return _figure(frame, section.caption)


def _image(picture: Picture) -> str:
    kind = "" if picture.data.startswith(_PNG) else ' class="drawn"'
    return f'<img{kind} alt="{escape(picture.caption or picture.title)}" src="{_address(picture)}">'


def _figure(content: str, caption: str) -> str:
    return f"<figure>{content}{f'<figcaption>{escape(caption)}</figcaption>' if caption else ''}</figure>"


def _table(table: Table) -> str:
    for row in table.rows:
        if len(row) != len(table.columns):
            raise InputError(f"a row of the table {table.title!r} has {len(row)} entries, not {len(table.columns)}")
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = ("".join(_cell(entry) for entry in row) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(entry: object) -> str:
    if isinstance(entry, float):
        return f'<td class="number">{entry:.6g}</td>'
    kind = ' class="number"' if isinstance(entry, int) else ""
    return f"<td{kind}>{escape(str(entry))}</td>"


def _address(picture: Picture) -> str:
    if picture.data.startswith(_PNG):
        kind = "png"
    elif b"<svg" in picture.data[:2000]:
        kind = "svg+xml"
    else:
        raise InputError(f"the picture {picture.title!r} is neither SVG nor PNG", fix="give the bytes of such a file")
    return f"data:image/{kind};base64,{base64.b64encode(picture.data).decode('ascii')}"
