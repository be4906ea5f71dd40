"""Files, folders, registries and names on pages for maintainers exist."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.docs.architecture_picture import PICTURE, draw_packages

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs").glob("architecture/*.md"))]
PAGES += sorted((ROOT / "docs").glob("extend/*.md"))
TOPS = ("src", "tests", "benchmarks", "examples", "playground")


@cache
def list_places() -> set[str]:
    """Return the paths of all files and folders, and every end of these paths."""
    paths = (path.relative_to(ROOT) for top in TOPS for path in (ROOT / top, *(ROOT / top).rglob("*")))
    return {"/".join(path.parts[i:]) for path in paths if path.suffix != ".pyc" for i in range(len(path.parts))}


@cache
def list_words() -> set[str]:
    """Return the words of all sources and tests."""
    files = (path for top in ("src", "tests") for path in (ROOT / top).rglob("*.py"))
    return {word for path in files for word in re.findall(r"\w+", path.read_text())}


def missing(page: Path) -> Iterator[str]:
    """Yield what a page names in backticks as a file, a folder, a registry or an attribute, and what is none."""
    text = page.read_text()
    for name in dict.fromkeys(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))):
        if re.fullmatch(r"[\w./]+\.py|\w+(/\w+)*/", name):
            is_there = Path(name).stem == "mine" or name.rstrip("/") in list_places()
        elif re.fullmatch(r"[A-Z_]{4,}|[A-Za-z]\w*(\.[A-Za-z]\w*)+", name):
            is_there = name.split(".")[-1] in list_words()
        else:
            continue
        if not is_there:
            yield name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_what_a_page_names_exists(page):
    assert not list(missing(page))


def test_the_picture_shows_the_imports_as_they_are():
    assert PICTURE.read_text(encoding="utf-8") == draw_packages(), "python -m tests.docs.architecture_picture"
