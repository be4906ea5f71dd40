"""The notebooks of the docs run, show what they are said to show, and are pages that Sphinx can read."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from tests.docs.notebooks import PICTURES, execute_notebook, notebooks, read_notebook
from tests.docs.pages import LINK, ROOT

NOTEBOOKS = notebooks()
DRAWS, ADDRESS = re.compile(r"sg\.draw\.draw_|plt\.subplots"), re.compile(r"0x[0-9a-f]{6}")
LONG = ("code", "contacts", "identification", "loops", "planning", "search", "smoothing", "three_orders")
"""Lessons that take more than some seconds, and whose library calls have tests of their own."""
RUN = [pytest.param(p, id=p.stem, marks=[pytest.mark.suite] if p.stem in LONG else []) for p in NOTEBOOKS]


@pytest.mark.parametrize("path", RUN)
@pytest.mark.sampled(4)
def test_a_kernel_shows_the_pictures_and_prints_the_text_that_are_stored(path, tmp_path):
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    stored, found = read_notebook(path), read_notebook(path)
    execute_notebook(found, tmp_path)
    for cell, again in zip(stored.cells, found.cells, strict=True):
        shown, expected = ([set(o.get("data", [o.get("name")])) for o in c.get("outputs", [])] for c in (again, cell))
        assert shown == expected, cell.source
        printed, said = ([o.text for o in c.get("outputs", []) if "text" in o] for c in (again, cell))
        assert printed == said, cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_cell_that_draws_has_a_picture_and_none_an_address_of_memory(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source, shown = "".join(cell["source"]), cell.get("outputs", [])
        pictures = sum(bool(set(PICTURES) & set(output.get("data", []))) for output in shown)
        if cell["cell_type"] == "code" and DRAWS.search(source):
            assert pictures == 1, source
        for output in shown:
            text = "".join(output.get("data", {}).get("text/plain", []))
            assert not ADDRESS.search(text), source
            assert not text.startswith("<Figure") or pictures, source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_form_that_jupyter_reads(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids))
    assert path.stat().st_size < 1_500_000
    for cell in notebook["cells"]:
        assert {"cell_type", "id", "metadata", "source"} <= cell.keys()
        assert cell["cell_type"] == "markdown" or {"outputs", "execution_count"} <= cell.keys()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pages_of_notebooks_have_code_and_what_it_shows(path):
    pytest.importorskip("myst_parser")
    spec = importlib.util.spec_from_file_location("notebook_pages", ROOT / "docs" / "_extensions" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    cells = [pages.as_myst(cell) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    assert cells[0].startswith("# ")
    assert any("{raw} html" in cell and ("<table" in cell or "<img" in cell) for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_to_files_that_exist_and_the_index_lists_it(path):
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "markdown"]
    targets = [match["target"].split("#")[0] for cell in cells for match in LINK.finditer("".join(cell["source"]))]
    assert [target for target in targets if not (path.parent / target).exists()] == []
    assert f"notebooks/{path.stem}\n" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
