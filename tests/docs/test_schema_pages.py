"""Pages about files are those of the readers, and their examples, which have every key, are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import screwgraph as sg
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.robot_yaml.keys import SETTINGS, SHAPE_KEYS
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.mechanism.keys import SENSOR
from screwgraph.model.mechanism.sensors import FORMS
from screwgraph.model.robot import JOINT_TYPES
from screwgraph.model.robot.shapes import SHAPES
from screwgraph.motion.control import load_controller
from screwgraph.motion.control.predictive.horizon_files import load_horizon
from screwgraph.motion.planning import keys as task
from screwgraph.motion.planning.collision.shapes import SHAPES as OBSTACLES
from screwgraph.motion.planning.task_files import read_task
from screwgraph.motion.simulation.contacts import load_contacts
from tests.docs.schema_pages import EXAMPLES, FOLDER, SCHEMAS, page

READERS: dict[str, Callable[[str], Any]] = {
    "robot": sg.load,
    "mechanism": sg.load_mechanism,
    "world": lambda path: (sg.load(path), load_contacts(path)),
    "contacts": load_contacts,
    "task": read_task,
    "controller": load_controller,
    "mpc": load_horizon,
}
FILES = ("distance_grid", "height_map", "ground")
"""Sections that need a file of arrays."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[str], set[str]]]:
    """The keys that readers know, and those that a file has, section by section."""
    found: list[tuple[set[str], set[str]]] = []
    plain = Value.section

    def section(self: Value, known: Any, who: str = "") -> dict[str, Value]:
        entries = plain(self, known, who)
        found.append((set(known), set(entries)))
        return entries

    monkeypatch.setattr(Value, "section", section)
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_pages_are_made_from_the_readers(name):
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == page(name), "make pages"


@pytest.mark.parametrize("name", SCHEMAS)
def test_examples_are_read_and_have_every_key(name, asked):
    schema = SCHEMAS[name]
    for example in schema.examples:
        READERS[name](str(EXAMPLES / example))
    tables = {title: set(keys) for title, keys in schema.sections.items()}
    others = [
        set(keys) for other in SCHEMAS.values() for keys in other.sections.values()
    ]  # models of tasks and worlds have files
    for known, _ in asked:
        assert any(known <= table for table in (tables.values() if name not in ("task", "world") else others)), known
    used = set().union(*(has for known, has in asked if any(known <= table for table in tables.values())))
    kinds = {"costs", "limits", "obstacles", "contacts"}  # read by registries
    for title, table in tables.items():
        if title not in kinds and title not in FILES:
            assert table - used == set(), title


def test_kinds_are_those_of_the_registries():
    from screwgraph.motion.planning.task_files import REGISTRIES

    for name, registry in REGISTRIES.items():
        assert set(getattr(task, name.upper())) == set(registry)
    from screwgraph.motion.planning.goals import GOALS

    assert set(task.GOAL) == {"time", "sigma", *GOALS}
    assert set(SHAPE_KEYS) == set(SHAPES)
    assert set(SENSOR) == {"sensor", *FORMS, "at", "sigma", "delay", "bias", "walk", "huber"}
    assert {key for name in JOINT_TYPES for key in joint_types.settings_of(name)} == set(SETTINGS)
    assert {field.name for shape in OBSTACLES.values() for field in dataclasses.fields(shape)} == set(task.SIZES)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("type", "revolute"),
        ("at", "[0, 0, 0]"),
        ("com", "[0, 0, 0]"),
        ("damping", "0"),
        ("friction", "0"),
        ("axis", "z"),
    ],
)
def test_what_is_left_out_is_the_default(key, value, tmp_path):
    assert {**SCHEMAS["robot"].sections["An item of bodies"]}[key].default == value
    texts = [f"name: x\nbodies: [{{link: a, mass: 1, inertia: [1, 1, 1]{more}}}]" for more in ("", f", {key}: {value}")]
    made = []
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.yaml").write_text(text, encoding="utf-8")
        sg.save(sg.load(str(tmp_path / f"{i}.yaml")), str(tmp_path / f"{i}_saved.yaml"))
        made.append((tmp_path / f"{i}_saved.yaml").read_text(encoding="utf-8"))
    assert made[0] == made[1]
