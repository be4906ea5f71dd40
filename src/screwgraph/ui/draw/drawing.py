"""What drawing functions return: a figure of matplotlib that notebooks show, whatever its back end."""

from __future__ import annotations

from matplotlib.figure import Figure

from screwgraph.ui.draw.save import encode

MOST_VECTORS = 6000
"""Artists of a figure that a notebook shows as SVG, about 3 MB; browsers are slow with more."""


class Drawing(Figure):
    """A figure that notebooks show as SVG, large ones as PNG; pyplot does not know it, and nothing closes it."""

    def _repr_svg_(self) -> str | None:
        return encode(self, ".svg").decode("utf-8") if self._is_small else None

    def _repr_png_(self) -> bytes | None:
        return None if self._is_small else encode(self, ".png")

    @property
    def _is_small(self) -> bool:
        return len(self.findobj()) <= MOST_VECTORS
