"""Units of coordinates, against the definition of each joint type."""

from __future__ import annotations

import pytest

from screwgraph.model.robot import JOINT_TYPES, units

POSITION = {
    "revolute": ["rad"],
    "continuous": ["rad"],
    "prismatic": ["m"],
    "helical": ["rad"],
    "spherical": [""] * 4,
    "planar": ["m", "m", "rad"],
    "universal": ["rad", "rad"],
    "floating": ["m"] * 3 + [""] * 4,
    "fixed": [],
}
TURNS = {
    "revolute": [True],
    "continuous": [True],
    "prismatic": [False],
    "helical": [True],
    "spherical": [True] * 3,
    "planar": [False, False, True],
    "universal": [True, True],
    "floating": [True] * 3 + [False] * 3,
    "fixed": [],
}


@pytest.mark.parametrize("name", POSITION)
def test_units_follow_from_the_joint(name):
    found = units(JOINT_TYPES[name]())
    assert list(found.position) == POSITION[name]
    assert list(found.velocity) == ["rad/s" if turns else "m/s" for turns in TURNS[name]]
    assert list(found.acceleration) == ["rad/s²" if turns else "m/s²" for turns in TURNS[name]]
    assert list(found.effort) == ["N m" if turns else "N" for turns in TURNS[name]]


@pytest.mark.parametrize("kind", JOINT_TYPES.values())
def test_each_coordinate_has_an_entry(kind):
    joint = kind()
    found = units(joint)
    assert (len(found.position), len(found.velocity), len(found.effort)) == (joint.nq, joint.nv, joint.nv)
