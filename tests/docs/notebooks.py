"""Notebooks of the docs, run as a notebook runs them; `python -m tests.docs.notebooks` writes what their cells show.

Names of notebooks after it: only these.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from examples.thin import thin

from screwgraph.ui.draw import encode
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "notebooks"


def notebooks() -> list[Path]:
    """Return the notebooks of the docs."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with what its cells print and show, in a namespace of its own."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    _figures(None)  # what others left open is not this notebook's
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell = {**cell, "execution_count": number, "outputs": _run("".join(cell["source"]), namespace, number)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _run(source: str, namespace: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
    text, drawn = printed.getvalue(), _figures(value)
    outputs: list[dict[str, Any]] = [{"output_type": "stream", "name": "stdout", "text": _lines(text)}] if text else []
    if value is not None and not drawn:
        shown = {"execution_count": number, "metadata": {}, "data": _data(value)}
        outputs.append({"output_type": "execute_result", **shown})
    outputs += [{"output_type": "display_data", "metadata": {}, "data": _picture(figure)} for figure in drawn]
    return outputs


def _figures(value: Any) -> list[Any]:
    """Return the figures of a cell: those that pyplot has open, which it closes, or the cell's value."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    drawn = [] if pyplot is None else [pyplot.figure(number) for number in pyplot.get_fignums()]
    if pyplot is not None:
        pyplot.close("all")
    return [value] if not drawn and hasattr(value, "savefig") else drawn


def _picture(figure: Any) -> dict[str, list[str]]:
    """Return a figure of matplotlib, as Jupyter shows it with vectors."""
    drawn = thin(encode(figure, ".svg").decode("utf-8"))
    return {"text/plain": ["<Figure>"], "image/svg+xml": _lines(drawn)}


def _data(value: Any) -> dict[str, list[str]]:
    """Return what an object shows, by media type, as IPython asks for it."""
    data = {"text/plain": _lines(repr(value))}
    for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        shown = getattr(value, method)() if hasattr(value, method) else None
        if shown is not None:
            data[kind] = _lines(shown)
    return data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Run all notebooks, or those that are named."""
    asked = {Path(name).stem for name in sys.argv[1:]}
    for path in notebooks():
        if asked and path.stem not in asked:
            continue
        notebook = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            done = executed(notebook)
        path.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(os.path.relpath(path, ROOT))


if __name__ == "__main__":
    main()
