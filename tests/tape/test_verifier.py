"""What is malformed in code is found: each fault that is put into sound code, and none in sound code."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.tape import Block, Lookup, Loop, Program, Routine, StageLoop, When, Window
from screwgraph.tape.parts import Copies, Fill
from screwgraph.tape.verifier import list_faults

SUM = Program(("a", "b"), (("input", 0), ("input", 1), ("add", 0, 1)), (2, 1.0))


def routine(*parts) -> Routine:
    """Return code of two inputs, at 0 and 1, whose result stands at 2."""
    return Routine(("x", "y"), (0, 1), (2,), 5, parts)


def test_sound_code_has_no_faults():
    add = Block("add", SUM, (0, 1), (2, 3))
    assert list_faults(SUM) == []
    assert list_faults(routine(add, Loop(3, (When(3, (Fill(3, 1),)), add)), Copies((2,), (4,)))) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"instructions": (("input", 0), ("add", 0, 2), ("input", 1))}, "v1: v2 is not there yet"),
        ({"instructions": (("input", 0), ("input", 2), ("add", 0, 1))}, "v1: there is no input 2"),
        ({"instructions": (("input", 0), ("sum", 0, 0))}, "v1: there is no operation sum"),
        ({"instructions": (("input", 0), ("input", 1), ("add", 0))}, "v2: add of 1 operands"),
        ({"outputs": (3, 1.0)}, "output v3 is never computed"),
    ],
)
def test_faults_of_straight_line_code(changes, fault):
    program = replace(SUM, **changes)
    assert fault in list_faults(program)
    assert any(fault in found for found in list_faults(routine(Block("add", program, (0, 1), (2, 3)))))


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ((), "the end: reads 2, which nobody wrote"),
        ((Block("add", SUM, (0, 4), (2, 3)),), "part 0 (Block): reads 4, which nobody wrote"),
        ((Block("add", SUM, (0, 5), (2, 3)),), "part 0 (Block): reads 5, which is beyond the memory"),
        ((Block("add", SUM, (0, 1), (2,)),), "part 0 (Block): 2 and 1 places"),
        ((Fill(2, 4),), "part 0 (Fill): writes to 5 of 5 places"),
        ((When(0, (Fill(2, 1),)),), "the end: reads 2, which nobody wrote"),
        ((Loop(3, (Fill(2, 1),)),), "part 0 (Loop): reads 3, which nobody wrote"),
        (
            (StageLoop(3, (Fill(2, 1),), (Window(2, 1, 2),)),),
            "part 0 (StageLoop), passage 2: part 0 (Fill): writes to 6 of 5 places",
        ),
        (
            (Fill(3, 1), StageLoop(2, (Copies((3,), (2,)),), (Window(3, 1, 1),))),
            "part 1 (StageLoop), passage 1: part 0 (Copies): reads 4, which nobody wrote",
        ),
        (
            (Fill(2, 1), StageLoop(2, (Copies((2,), (3,)),), (Window(2, 1, 1),))),
            "part 1 (StageLoop), passage 1: two places are one",
        ),
        ((Fill(2, 1), Loop(0, (Lookup(np.zeros((1, 1)), 4, 3),))), "part 0 (Lookup): reads 4, which nobody wrote"),
    ],
)
def test_faults_of_code_with_loops(parts, fault):
    assert fault in list_faults(routine(*parts))


def test_inputs_have_places_of_their_own_in_the_memory():
    sound = routine(Block("add", SUM, (0, 1), (2, 3)))
    assert list_faults(replace(sound, inputs=(0, 7)))[0] == "an input stands at 7 of 5 places"
    assert list_faults(replace(sound, inputs=(1, 1)))[0] == "two inputs stand at one place"
