"""Colours and sizes of all figures; lengths in points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

RADIUS = 13.0
"""Half width of a variable's circle or square."""
DOT = 3.4
"""Radius of a factor."""
CLEARANCE = 4.0
"""What an edge keeps from nodes that it does not end at."""
MARGIN = 12.0
"""White border of a figure."""
LABEL_SIZE = 13.0
"""Type size of a variable's label."""
TEXT_SIZE = 10.0
"""Type size of titles, legends and names of factors."""

INK = "#222222"
FAINT = "#777777"
PAPER = "#ffffff"


@dataclass(frozen=True)
class Colours:
    """A light fill, a dark line and a shade between them that go together."""

    fill: str
    line: str
    shade: str = "#cccccc"


PLAIN = Colours(PAPER, INK)
KNOWN = Colours("#ececec", INK)
FRAME = Colours("none", INK)
FAINT_FRAME = Colours("none", "#dddddd")
GREEN = Colours("#d3ecd5", "#2a7d3b", "#8cc79a")
BLUE = Colours("#d5e4f7", "#2160a8", "#8db4e2")
ORANGE = Colours("#fde2c4", "#c05f00", "#f2b068")
CLOSING = Colours(PAPER, "#c2185b")
GREY = Colours("#e6e2ee", "#5d5279", "#b5abcc")

PATHS: Mapping[str, Colours] = {
    "twist": GREEN,
    "acceleration": GREEN,
    "wrench": BLUE,
    "external_wrenches": BLUE,
    "lambda": BLUE,
    "tau": ORANGE,
    "qdd": ORANGE,
}
"""Colours of Xie & Dellaert (2019): green forward path, blue and orange backward path."""


def colours(kind: str) -> Colours:
    """Return the colours of an eliminated variable of a kind."""
    return PATHS.get(kind, GREY)
