"""Forces as arrows: lines from where they act, with heads, that bodies do not hide."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.ui.view.scene import Line

HEAD, WIDE = 0.25, 0.08
"""Length and half the width of a head, in lengths of its arrow."""
WIDTH = 3.0
"""Of lines, in pixels."""
COLOUR = "#c0392b"


def make_arrows(name: str, starts: Float[np.ndarray, "N k 3"], tips: Float[np.ndarray, "N k 3"]) -> list[Line]:
    """Return arrows over time as two lines, shafts and heads; NaN where there is none."""
    gap = np.full_like(starts, np.nan)
    shafts = np.stack([starts, tips, gap], axis=2)
    along = tips - starts
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=-1)])
    with np.errstate(invalid="ignore"):  # arrows of no length have no head
        size = np.linalg.norm(along, axis=-1, keepdims=True)
        across *= size / np.linalg.norm(across, axis=-1, keepdims=True)
        other = np.cross(along, across) / size
    back = tips - HEAD * along
    sides = [back + WIDE * side for side in (across, -across, other, -other)]
    heads = np.stack([sides[0], tips, sides[1], gap, sides[2], tips, sides[3], gap], axis=2)
    return [
        Line(title, points.reshape(len(points), -1, 3), COLOUR, WIDTH, through=True)
        for title, points in ((name, shafts), ("", heads))
    ]
