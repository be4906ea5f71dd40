"""Pages show the figures of RESULTS.md."""

from __future__ import annotations

import pytest
from benchmarks.pages import PAGES, ROOT, ROW, written


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_measured_figures(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    assert len(ROW.findall(page)) >= 4
    assert page == written(name, page), "python -m benchmarks.pages writes them anew"
