"""Executed notebooks as pages: Markdown cells, code, and the HTML that objects gave when the notebook was run."""

from __future__ import annotations

import base64
import json
from typing import Any

from myst_parser.parsers.sphinx_ import MystParser


class NotebookParser(MystParser):
    """Reads .ipynb files; nothing in them is run."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: Any) -> None:
        """Write the cells as MyST, and parse that."""
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(as_myst(cell) for cell in cells), document)


def as_myst(cell: dict[str, Any]) -> str:
    """Return a cell with its outputs in MyST."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "text/html" in data:
        return _raw("".join(data["text/html"]))
    if "image/svg+xml" in data:  # as an image: names inside of a drawing are its own
        return _image("image/svg+xml", base64.b64encode("".join(data["image/svg+xml"]).encode()).decode())
    if "image/png" in data:
        return _image("image/png", "".join("".join(data["image/png"]).split()))
    return f"```text\n{''.join(data['text/plain'])}\n```"


def _image(kind: str, coded: str) -> str:
    return _raw(f'<img alt="what the cell draws" src="data:{kind};base64,{coded}">')


def _raw(html: str) -> str:
    return f"`````{{raw}} html\n{html}\n`````"


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx read notebooks."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
