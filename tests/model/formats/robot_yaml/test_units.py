"""Tags of units in YAML files that xacro reads: numbers in SI units."""

import math

import pytest

from screwgraph.model.formats.xacro.files import UNITS, read_yaml

SI = {
    "!radians": 1.0, "!degrees": math.pi / 180.0, "!meters": 1.0, "!millimeters": 1e-3, "!foot": 0.3048,
    "!inches": 0.0254,
}  # fmt: skip


@pytest.mark.parametrize("tag", UNITS)
def test_numbers_with_units_are_in_si_units(tag):
    assert read_yaml(f"x: {tag} -2.5".encode(), float)["x"] == pytest.approx(-2.5 * SI[tag], rel=1e-15)
