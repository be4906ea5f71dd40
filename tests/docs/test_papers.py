"""The list of the papers' tables and figures, and the page that is made of it."""

from __future__ import annotations

import shlex

import pytest
from examples.papers import LIST, RESULTS, ROOT, TITLES, Entry, arguments, listed, make, page

from tests.docs.pages import pictures

VERDICTS = ("agrees", "differs", "cannot be")


@pytest.mark.parametrize("entry", listed(), ids=lambda e: f"{e.paper} {e.number}")
def test_an_entry_is_complete(entry):
    assert entry.paper in TITLES
    assert entry.verdict in VERDICTS
    assert bool(entry.command) is (entry.verdict != "cannot be")
    assert entry.why or entry.verdict == "agrees"
    program, first, *_ = [*shlex.split(entry.command), "", ""]
    assert program in ("", "python", "screwgraph")
    assert program != "python" or (ROOT / first).exists()


def test_the_page_is_that_of_the_list():
    assert (RESULTS / "index.md").read_text(encoding="utf-8") == page(listed()), f"make papers, after {LIST.name}"


def test_everything_that_the_page_shows_is_there():
    assert [picture for picture, _ in pictures(RESULTS / "index.md") if not picture.exists()] == []
    assert [e.printed for e in listed() if e.text and not (RESULTS / e.printed).exists()] == []


def test_a_command_leaves_its_picture_and_its_text(monkeypatch, tmp_path):
    monkeypatch.setattr("examples.papers.RESULTS", tmp_path)
    command = "screwgraph draw rr --problem inverse --what dag -o out/a.svg"
    make([Entry(0, "Fig. X", "a picture", "agrees", command=command, pictures=("a.svg",), text=True)])
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "paper0-fig--x.txt"}


def test_a_command_that_fails_ends_the_run():
    with pytest.raises(SystemExit, match="exit status 1"):
        make([Entry(0, "Fig. X", "nothing", "agrees", command="screwgraph info nosuch")])
    assert arguments("python examples/demo.py")[1] == str(ROOT / "examples" / "demo.py")
