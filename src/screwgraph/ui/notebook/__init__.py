"""Objects as notebooks show them: tables, pictures, animations. To add one: a file, and a line in `SHOWN`."""

from screwgraph.ui.notebook.class_registry import SHOWN, html, svg

__all__ = ["SHOWN", "html", "svg"]
