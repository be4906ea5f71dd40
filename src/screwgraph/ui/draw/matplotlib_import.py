"""The package matplotlib, imported when a figure is first drawn."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from screwgraph.base.errors import InputError

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing


def is_installed() -> bool:
    """Whether figures can be drawn."""
    return find_spec("matplotlib") is not None


def check_installed() -> None:
    """Raise an InputError where figures cannot be drawn."""
    if not is_installed():
        raise InputError("matplotlib is not installed", fix="pip install 'screwgraph[draw]'")


def new_figure(**options: Any) -> Drawing:
    """Return an empty figure, options as matplotlib's `Figure` has them. Raises as `check_installed`."""
    check_installed()
    from screwgraph.ui.draw.drawing import Drawing

    return Drawing(**options)
