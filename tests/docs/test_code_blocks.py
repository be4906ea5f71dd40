"""Every code block of README.md and docs/ runs, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, links, pages, pictures
from tests.docs.running import MissingToolError, run_page

PAGES = pages()
PICTURES_LIMIT = 5_000_000
FILMED = (
    "a1-trot.gif",
    "architecture.svg",
    "four_bar.gif",
    "humanoid.gif",
    "playground.png",
    "walking_quadruped.gif",
    "wiping.gif",
)
"""What `tests.docs.moving_picture`, `architecture_picture` and `playground_picture` make, not the page."""
LANGUAGES = {
    "{toctree}",
    "{eval-rst}",
    "{literalinclude}",
    "python",
    "console",
    "output",
    "sh",
    "yaml",
    "xml",
    "json",
    "c",
    "cpp",
    "cmake",
    "text",
}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=name)
@pytest.mark.sampled(30)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path):
    try:
        run_page(page, tmp_path)
    except MissingToolError as error:
        pytest.skip(str(error))
    shown = [picture.name for picture, _ in pictures(page) if picture.name not in FILMED]
    if not any(block.is_long for block in blocks(page)) and "papers" not in page.parts:
        assert [picture for picture in shown if not (tmp_path / picture).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_picture_is_there_and_what_makes_it_stands_under_it(page):
    for picture, below in pictures(page):
        assert picture.exists(), f"{picture} is missing: python -m tests.docs.pages {name(page)}"
        assert "papers" in page.parts or picture.name in FILMED or picture.name in below


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files_that_exist(page):
    inside = [target.split("#")[0] for target in links(page) if not re.match(r"[a-z]+:", target)]
    assert [target for target in inside if target and not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_languages_of_blocks_are_those_that_somebody_runs_or_reads(page):
    assert {block.language for block in blocks(page)} <= LANGUAGES


def test_make_knows_every_target_that_pages_name():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {target for page in PAGES for target in re.findall(r"`make ([a-z]+)", page.read_text())}
    assert named <= targets


def test_all_pictures_together_are_small():
    sizes = [
        p.stat().st_size
        for p in (ROOT / "docs").rglob("*")
        if p.suffix in (".svg", ".png", ".gif") and "_build" not in p.parts
    ]
    assert sum(sizes) < PICTURES_LIMIT
