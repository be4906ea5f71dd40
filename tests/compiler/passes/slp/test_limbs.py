"""Equal limbs are found from what depends on what."""

from __future__ import annotations

import pytest

import screwgraph as sg
from screwgraph.compiler.passes.slp import pack_limbs
from screwgraph.compiler.passes.slp.limbs import find_equal_limbs
from tests.robots import robot_file


def joints(names, limb) -> set[str]:
    return {names[place].partition(":")[2].rpartition("[")[0] for place in limb}


@pytest.mark.parametrize("query", [sg.inverse_dynamics, sg.forward_dynamics, sg.mass_matrix])
def test_legs_of_a_quadruped_are_equal_limbs(query):
    program = query(sg.load("a1", base="floating")).program
    (legs,) = find_equal_limbs(program)
    found = [joints(program.input_names, leg) for leg in legs]
    assert found == [{f"{leg}_{joint}_joint" for joint in ("hip", "thigh", "calf")} for leg in ("FR", "FL", "RR", "RL")]


def test_legs_and_arms_of_a_humanoid_are_two_families():
    robot = sg.load(robot_file("simple_humanoid.urdf"), base="floating")
    program = sg.forward_dynamics(robot).program
    families = find_equal_limbs(program)
    found = {
        frozenset(name.split("_")[0] for limb in f for name in joints(program.input_names, limb)) for f in families
    }
    assert found == {frozenset({"LLEG", "RLEG"}), frozenset({"LARM", "RARM"})}


def test_fingers_of_a_hand_are_equal_and_the_thumb_is_not():
    program = sg.inverse_dynamics(sg.load(robot_file("allegro_left_hand.urdf"))).program
    (fingers,) = find_equal_limbs(program, 1.04)
    assert len(fingers) == 3
    found = pack_limbs(program, frozenset(), 4)
    assert found is not None
    assert {len(unit) for unit in found.units if isinstance(unit, tuple)} == {3}


def test_inputs_of_equal_limbs_are_in_the_same_order():
    program = sg.inverse_dynamics(sg.load("a1", base="floating")).program
    (legs,) = find_equal_limbs(program)
    rows = [
        [program.input_names[place].replace(leg, "") for place in limb]
        for limb, leg in zip(legs, ("FR", "FL", "RR", "RL"), strict=True)
    ]
    assert rows[0] == rows[1] == rows[2] == rows[3]
