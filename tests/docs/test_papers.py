"""The list of the papers' tables and figures, and the page that is made of it."""

from __future__ import annotations

import io
import re
import shlex
from xml.etree import ElementTree

import numpy as np
import pytest
from examples.papers import LIST, RESULTS, ROOT, TITLES, Entry, arguments, listed, make, page
from examples.thin import thin
from matplotlib.figure import Figure

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


NUMBERED = {
    "xie_2019": {"Fig": 12, "Table": 3, "Algorithm": 1},
    "blanco_2021": {"Fig": 12, "Table": 3},
    "xie_2020": {"Fig": 9},
    "chignoli_2023": {"Fig": 13, "Algorithm": 1},
}
"""How many figures, tables and algorithms each paper has; those of the slides have no numbers."""
ROMAN = {"I": 1, "II": 2, "III": 3}


def test_no_figure_table_or_algorithm_is_left_out():
    for paper, counts in NUMBERED.items():
        found: dict[str, set[int]] = {kind: set() for kind in counts}
        for text in (e.number for e in listed() if e.paper == paper):
            for kind, numbers in re.findall(r"(Fig|Table|Algorithm)s?\.? ([IVX\d][IVX\da-d, -]*)", text):
                for first, last in re.findall(r"([IVX]+|\d+)[a-d]?(?:-(\d+))?", numbers):
                    begin = ROMAN.get(first) or int(first)
                    found[kind] |= set(range(begin, int(last or begin) + 1))
        assert found == {kind: set(range(1, count + 1)) for kind, count in counts.items()}, paper


def test_the_page_is_that_of_the_list():
    assert (RESULTS / "index.md").read_text(encoding="utf-8") == page(listed()), f"make papers, after {LIST.name}"


def test_everything_that_the_page_shows_is_there():
    assert [picture for picture, _ in pictures(RESULTS / "index.md") if not picture.exists()] == []
    assert [e.printed for e in listed() if e.text and not (RESULTS / e.printed).exists()] == []


@pytest.mark.suite
def test_a_command_leaves_its_picture_and_its_text(monkeypatch, tmp_path):
    monkeypatch.setattr("examples.papers.RESULTS", tmp_path)
    command = "screwgraph draw rr --problem inverse --what dag -o out/a.svg"
    make([Entry("xie_2019", "Fig. X", "a picture", "agrees", command=command, pictures=("a.svg",), text=True)])
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "xie-2019-fig--x.txt"}


def test_a_command_that_fails_ends_the_run():
    with pytest.raises(SystemExit, match="exit status 1"):
        make([Entry("xie_2019", "Fig. X", "nothing", "agrees", command="screwgraph info nosuch")])
    assert arguments("python examples/demo.py")[1] == str(ROOT / "examples" / "demo.py")


def test_a_thin_drawing_is_smaller_and_has_the_same_elements_in_the_same_places():
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.plot(np.linspace(0.0, 1.0, 100), np.sin(np.linspace(-3.0, 3.0, 100)), marker="o")
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    slim = thin(drawn.getvalue())
    before, after = (list(ElementTree.fromstring(svg).iter()) for svg in (drawn.getvalue(), slim))
    before = [e for e in before if "/svg}" in e.tag and not e.tag.endswith("metadata")]
    assert len(slim) < 0.9 * len(drawn.getvalue())
    assert thin(slim) == slim
    classes = dict(re.findall(r"\.(\w+)\{([^}]*)\}", slim))
    styles = [e.get("style") or classes.get(e.get("class", "")) for e in after]
    assert [(e.tag, e.get("style")) for e in before] == [(e.tag, style) for e, style in zip(after, styles, strict=True)]
    assert all(f'id="{name}"' in slim for name in re.findall(r"[\"(]#([^\")]+)", slim))
    for old, new in zip(before, after, strict=True):
        for name in ("d", "x", "y", "transform"):
            here, there = (re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", e.get(name, "")) for e in (old, new))
            np.testing.assert_allclose(np.array(there, float), np.array(here, float), atol=0.00501)
