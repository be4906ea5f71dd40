"""Which file shows which class, and what is shown where drawing fails."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from screwgraph.ui.notebook.html_elements import make_remark, wrap_titled

SHOWN: Mapping[str, str] = {
    "Robot": "robots",
    "Mechanism": "mechanisms",
    "Function": "functions",
    "FactorGraph": "graphs",
    "Dag": "dags",
    "Trajectory": "trajectories",
    "Plan": "plans",
    "Estimate": "estimates",
    "Identified": "identifications",
}
"""Modules by class: each has `title`, `tables` and `pictures` of what is shown, and those that are one picture `svg`.

`pictures` are functions without arguments that return HTML, tried one after the other.
"""


def html(shown: Any) -> str | None:
    """Return tables, and pictures as far as they can be drawn; None where not even the tables can be made."""
    module = _module(shown)
    if module is None:
        return None
    try:
        parts = list(module.tables(shown))
        title = module.title(shown)
    except Exception:  # a notebook then shows the text
        return None
    for picture in module.pictures(shown):
        try:
            parts.append(picture())
        except Exception as error:
            parts.append(_not_drawn(error))
    return wrap_titled(title, parts)


def svg(shown: Any) -> str | None:
    """Return the picture of an object that is one; None where it cannot be drawn: a notebook then shows the HTML."""
    module = _module(shown)
    try:
        drawn = None if module is None else module.svg(shown)
    except Exception:
        return None
    return None if drawn is None else drawn.decode("utf-8")


def _not_drawn(error: Exception) -> str:
    return make_remark(f"not drawn: {' '.join(str(error).split()) or type(error).__name__}")


def _module(shown: Any) -> Any | None:
    """Return the file of an object's class, or of one that it is derived from."""
    names = (kind.__name__ for kind in type(shown).__mro__ if kind.__module__.startswith("screwgraph."))
    found = next((SHOWN[name] for name in names if name in SHOWN), None)
    return None if found is None else import_module(f"screwgraph.ui.notebook.{found}")
