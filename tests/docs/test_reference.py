"""The reference has every public name: of `screwgraph`, and of its public packages."""

from __future__ import annotations

import re

import pytest

import screwgraph as sg
from tests.docs.reference import FOLDER, MAIN, PACKAGES, modules, names, page, path_of, public


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_of_a_package_is_made_from_it(package):
    text = path_of(package).read_text(encoding="utf-8")
    assert text == page(package), "make pages"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_of_a_package_is_on_its_page(package):
    text = path_of(package).read_text(encoding="utf-8")
    for module in modules(package):
        missing = [n for n in names(module) if f" {module.__name__}.{n}\n" not in text and f"`{n}`" not in text]
        assert missing == []


def test_every_public_name_of_screwgraph_is_in_the_reference():
    words = set(re.findall(r"\w+", MAIN.read_text(encoding="utf-8")))
    assert set(public()) - words == set()


def test_classes_of_tasks_and_targets_are_there():
    everything = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    for name in ("Pose", "Effort", "Avoid", "PointContact", "CenterOfMass", "Huber", "Revolute"):
        assert re.search(rf"autoclass:: screwgraph\.[\w.]+\.{name}\n", everything), name


def test_every_package_that_screwgraph_offers_has_a_page_and_a_link():
    assert {sg.__getattr__(name).__name__.partition(".")[2] for name in sg._PACKAGES} <= PACKAGES.keys()
    main = MAIN.read_text(encoding="utf-8")
    assert [name for name in PACKAGES if f"reference/{path_of(name).stem}" not in main] == []
