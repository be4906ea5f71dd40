r"""Forms of a listing: text with combining accents, LaTeX, HTML whose accents need no font.

`θ̈3` is `\ddot{\theta}_{3}`, and a letter under two dots in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from screwgraph.graph import KINDS

if TYPE_CHECKING:
    from screwgraph.elimination.notation.listing import Line

ACCENTS = {"\u0307": ("dot", "\u02d9"), "\u0308": ("ddot", "\u00a8")}
"""Combining accents: LaTeX's command, and the sign that stands alone."""
LETTERS = {"θ": r"\theta", "τ": r"\tau", "λ": r"\lambda", "μ": r"\mu", "δ": r"\delta", "γ": r"\gamma", "ρ": r"\rho"}
SCRIPT = frozenset("VFAG")
"""Twists, wrenches, screw axes and inertias, which Lynch & Park (2017) write as script letters."""
SUPERSCRIPTS = {"ᵀ": r"^{\top}", "⁻¹": "^{-1}", "⁰": "^{0}"}

_LABEL = r"[A-Za-zθτλμδγρ][\u0307\u0308]?"
_TOKEN = re.compile(
    rf"(?P<sum>Σ)|(?P<adjoint>\[?(?:Ad|ad)_)|(?P<letter>{_LABEL})(?P<index>\d+(?:,(?:\d+|frame))?)?"
    r"|(?P<up>ᵀ|⁻¹|⁰)|(?P<space>\s+)|(?P<minus>−)|(?P<other>.)"
)


def to_latex(notation: str) -> str:
    """Return a formula of a listing in LaTeX, which matplotlib's mathtext reads, too."""
    found, closing = [], False
    for match in _TOKEN.finditer(notation):
        if match["adjoint"]:
            bracket = match["adjoint"].startswith("[")
            found.append(f"{'[' if bracket else ''}\\mathrm{{{match['adjoint'].strip('[_')}}}_{{")
            closing = True
        elif match["letter"]:
            index = f"_{{{match['index']}}}" if match["index"] else ""
            found.append(_letter(match["letter"]) + index)
        elif match["other"] == "]":
            found.append("}]" if closing else "]")
            closing = False
        else:
            found.append(_sign(match))
    return "".join(found)


def _letter(letter: str) -> str:
    base = letter[0]
    plain = rf"\mathcal{{{base}}}" if base in SCRIPT else LETTERS.get(base, base)
    return rf"\{ACCENTS[letter[1]][0]}{{{plain}}}" if len(letter) > 1 else plain


def _sign(match: re.Match[str]) -> str:
    if match["sum"]:
        return r"\Sigma"
    if match["up"]:
        return SUPERSCRIPTS[match["up"]]
    if match["space"]:
        return r"\,"
    return "-" if match["minus"] else match["other"]


def to_accented_html(text: str) -> str:
    """Return HTML of a text in which each combining dot is a sign of its own, laid over its letter.

    Monospaced fonts of browsers lack these marks: Chromium draws them beside the letter, or not at all.
    """
    parts = re.split("(.[\u0307\u0308])", text)
    return "".join(_format_accent(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def _format_accent(pair: str) -> str:
    sign = ACCENTS[pair[1]][1]
    where = "position:absolute;left:0;right:0;top:-.2em;text-align:center"
    inner = f'<span style="{where}" aria-hidden="true">{sign}</span>'
    return f'<span style="position:relative;display:inline-block">{escape(pair[0])}{inner}</span>'


MOST_COLUMNS = 100
"""Behind longer laws notes stand by themselves."""


def format_text(lines: Sequence[Line]) -> str:
    """Return lines of plain text, notes in one column; headings where there are definitions."""
    found, named = [], has_headings(lines)
    widths = (_columns(f"{line.left} = {line.right}") for line in lines if line.note)
    column = max((width for width in widths if width <= MOST_COLUMNS), default=0)
    last = ""
    for line in lines:
        if named and line.part != last:
            found.append(f"{line.part}:")
        last = line.part
        head = "    " if line.number is None else f"{line.number:>3} "
        law = f"{line.left} = {line.right}"
        note = f"{' ' * (column - _columns(law))}   {line.note}" if line.note else ""
        found.append(f"{head}{law}{note} ;")
    return "\n".join(found)


def has_headings(lines: Sequence[Line]) -> bool:
    """Whether parts have headings: where elimination made definitions; assignments alone need none."""
    return any(line.part == "elimination" for line in lines)


def _columns(text: str) -> int:
    """Return how wide a text is where letters have one width: accents have none."""
    return sum(letter not in "\u0307\u0308" for letter in text)


def format_latex(lines: Sequence[Line]) -> str:
    """Return an `align*` of the package amsmath; nothing where there are no lines, since it must have some."""
    rows = []
    for line in lines:
        number = "" if line.number is None else rf"\text{{{line.number}:}}\quad "
        note = rf" && \text{{{_words(line.note)}}}" if line.note else ""
        rows.append(f"  {number}{to_latex(line.left)} &= {to_latex(line.right)}{note}")
    return "\n".join([r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]) if rows else ""


def _words(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


def format_html(lines: Sequence[Line]) -> str:
    """Return preformatted HTML."""
    style = "line-height:1.6;overflow-x:auto"
    return f'<pre class="screwgraph-algorithm" style="{style}">{to_accented_html(format_text(lines))}</pre>'


FORMS: Mapping[str, Callable[[Sequence[Line]], str]] = {"text": format_text, "latex": format_latex, "html": format_html}
"""A new form is a function and a line here."""


def latex_symbol(kind: str) -> str | None:
    """Return the LaTeX symbol of a kind of variables; None for kinds that are people's own."""
    return to_latex(KINDS[kind].symbol) if kind in KINDS else None
