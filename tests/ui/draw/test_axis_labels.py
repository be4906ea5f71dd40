"""Axes of every figure are labelled `name (unit)`, in the package, the examples and the pages."""

import re

import pytest

from tests.docs.pages import ROOT, pages

LABEL = re.compile(r"(?:\b[xyz]label=|set_[xyz]label\(|Panel\(|\.supylabel\()\s*[fr]*\"((?:[^\"\\]|\\.)*)\"")
UNIT = re.compile(r"(?:, ?|\[)(?:\{\w*unit\}|\{small\}|m|mm|µm|s|ms|us|ns|rad|deg|N|N m|J|W|kg|m/s|rad/s)\]?$")
SOURCES = sorted((*ROOT.glob("src/screwgraph/**/*.py"), *ROOT.glob("examples/*.py"), *pages()))


def test_the_rule_finds_labels_and_other_styles() -> None:
    found = LABEL.findall(
        'axes.set(xlabel="time (s)", ylabel="y, m"); axes.set_ylabel(f"x, {unit}"); b.set_xlabel("t [s]")'
    )
    assert [bool(UNIT.search(label)) for label in found] == [False, True, True, True]


@pytest.mark.parametrize("end", [".py", ".md"])
def test_units_stand_in_parentheses(end: str) -> None:
    labels = [(path.name, label) for path in SOURCES if path.suffix == end for label in LABEL.findall(path.read_text())]
    assert len(labels) > 20
    assert [found for found in labels if UNIT.search(found[1])] == []
