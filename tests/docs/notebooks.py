"""Notebooks of the docs, run by a kernel of Jupyter; `python -m tests.docs.notebooks` writes what their cells show.

Names of notebooks after it: only these.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from examples.thin import thin

from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "notebooks"
SVG, PNG = "image/svg+xml", "image/png"
PICTURES = (SVG, PNG)
LANGUAGE = {"name": "python"}
"""What notebooks say of theirs: a version would change with each machine."""


def notebooks() -> list[Path]:
    """Return the notebooks of the docs."""
    return sorted(FOLDER.glob("*.ipynb"))


def read_notebook(path: Path) -> Any:
    """Return a notebook, texts of its cells in one piece."""
    import nbformat

    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def execute_notebook(notebook: Any, folder: Path) -> None:
    """Run all cells in a kernel of their own that works in a folder, and put what they show in the notebook."""
    from nbclient import NotebookClient
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as sockets:  # no ports: several tests run at once
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=600,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
        )
        client.execute()
    notebook.metadata["language_info"] = LANGUAGE
    for output in outputs(notebook):
        _make_small(output.get("data", {}))


def outputs(notebook: Any) -> list[Any]:
    """Return what the cells of a notebook show."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _make_small(data: Any) -> None:
    """Thin a drawing; pixels beside it are left out: matplotlib's back end adds them once pyplot is imported."""
    if SVG in data:
        data[SVG] = thin(data[SVG])
        data.pop(PNG, None)


def main() -> None:
    """Run all notebooks, or those that are named."""
    import nbformat

    asked = {Path(name).stem for name in sys.argv[1:]}
    for path in notebooks():
        if asked and path.stem not in asked:
            continue
        notebook = read_notebook(path)
        with tempfile.TemporaryDirectory() as folder:
            execute_notebook(notebook, Path(folder))
        nbformat.write(notebook, path)
        print(os.path.relpath(path, ROOT))


if __name__ == "__main__":
    main()
