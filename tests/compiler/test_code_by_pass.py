"""Code after each pass: well formed, and the same function as before it."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.tape import Program
from screwgraph.tape.verifier import list_faults

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("forward_dynamics", "rr"),
        ("forward_dynamics", "puma560"),
        ("forward_dynamics", "five_bar"),
        ("inverse_dynamics", "iiwa14"),
        ("mass_matrix", "puma560"),
        ("bias_forces", "a1"),
    ],
)
@pytest.mark.sampled(4)
def test_every_pass_keeps_code_well_formed_and_its_answers(query, name):
    robot = sg.load(name)
    f = getattr(sg, query)(robot)
    q = sg.neutral(robot) if robot.is_closed else sg.random(robot, seed=RNG)
    known = {"q": q, **{a.name: 0.3 * RNG.standard_normal(a.shape) for a in f.arguments if a.name != "q"}}
    inputs = dict(zip((n for a in f.arguments for n in a.names), np.concatenate([*known.values()]), strict=True))
    found = f.passes()
    assert next(iter(found)) == "as it is"
    expected = np.ravel(f(*known.values()))
    for step, program in found.items():
        assert list_faults(program) == [], step
        values = np.array(program.evaluate([inputs[n] for n in program.input_names]), dtype=float)
        np.testing.assert_allclose(values, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max(), err_msg=step)


def test_code_is_listed_an_instruction_a_line():
    code = sg.inverse_dynamics(sg.load("rr")).passes()["common factors"]
    assert isinstance(code, Program)
    *lines, last = code.to_text().splitlines()
    assert len(lines) == len(code.instructions)
    assert lines[0].startswith("v0 = ")
    assert last.startswith("return v")
    read = {line.partition(" = ")[2] for line in lines}
    assert {*code.inputs_read} <= read
