"""The recipes of docs/extend pass the package's conformance tests once their file and their line are added."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.docs.recipes import recipes
from tests.docs.running import run_alone

EXTEND = ROOT / "docs" / "extend"
CONFORMANCE = {
    "index.md": (
        "tests/model/robot/test_joints.py",
        "tests/elimination/test_orderings.py",
        "tests/spatial",
        "tests/compiler/backends/test_operations.py",
        "-k",
        "cam or shaft or backwards or circle or (micropython and has_a_form)",
    ),
    "unusual.md": (
        "tests/model/robot/test_joints.py",
        "tests/compiler/backends/test_operations.py",
        "-k",
        "ellipsoidal or (matlab and has_a_form)",
    ),
    "motions.md": ("tests/optimize/losses", "-k", "pseudo_huber"),
    "sensor.md": ("tests/motion/estimation/readings/test_sensor_kinds.py", "-k", "beacon or strain_gauge"),
}
"""By page, the tests over registries and the new entries among these."""


@pytest.mark.parametrize("name", CONFORMANCE)
@pytest.mark.suite
def test_conformance_tests_pick_up_what_a_page_adds(name, tmp_path: Path):
    run_alone(EXTEND / name, tmp_path, tests=CONFORMANCE[name])


def test_every_registry_that_the_pages_list_has_a_recipe():
    registries = {recipe.registry for page in EXTEND.glob("*.md") for recipe in recipes(page)}
    wanted = {
        "SENSORS",
        "JOINT_TYPES",
        "ACTUATORS",
        "ORDERINGS",
        "TEMPLATES",
        "RULES",
        "COSTS",
        "CONTACTS",
        "METHODS",
        "BACKENDS",
        "READERS",
        "TASKS",
        "LIMITS",
        "BARRIERS",
        "HORIZON_COSTS",
        "TERMINAL_COSTS",
    }
    assert registries >= wanted
