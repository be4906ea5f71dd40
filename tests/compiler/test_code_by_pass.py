"""Code after each pass: well formed, and the same function as before it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.passes.output_deduplication import deduplicate_outputs
from screwgraph.compiler.passes.output_scheduling import schedule_by_output
from screwgraph.tape import Program, Routine, by_outputs, without_unused_inputs
from screwgraph.tape.verifier import list_faults
from tests.random_trees import random_tree

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
    if robot.is_closed:  # equations that passes derive hold for velocities that loops allow
        known["qd"] = robot.complete_velocity(q, known["qd"][: robot.mobility.freedom])
    inputs = dict(zip((n for a in f.arguments for n in a.names), np.concatenate([*known.values()]), strict=True))
    found = f.passes()
    assert next(iter(found)) == "as it is"
    expected = np.ravel(f(*known.values()))
    for step, program in found.items():
        assert list_faults(program) == [], step
        values = np.array(program.evaluate([inputs[n] for n in program.input_names]), dtype=float)
        np.testing.assert_allclose(values, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max(), err_msg=step)


def test_code_with_loops_is_well_formed_and_shown():
    """Of trees so deep that loops pay; the last pass makes them."""
    mass, forward = sg.mass_matrix(sg.load(random_tree(22))), sg.forward_dynamics(sg.load(random_tree(22)))
    last = [*mass.passes().values()][-1]
    assert last == mass.body
    for code in (last, forward.jacobian("q", "tau").body):
        assert isinstance(code, Routine)
        assert list_faults(code) == []
        assert "<Block name: 'straight', program: Program" in code.to_text()


def deduplicated(program: Program) -> Program:
    """Return the program with all of its outputs, each computed once."""
    once = deduplicate_outputs(program)
    return replace(once.program, outputs=tuple(once.program.outputs[place] for place in once.places))


@pytest.mark.parametrize("run", [by_outputs, without_unused_inputs, schedule_by_output, deduplicated])
@pytest.mark.parametrize("name", ["rr", "puma560"])
def test_passes_of_those_who_read_code_keep_its_answers(run, name):
    before = sg.mass_matrix(sg.load(name)).program
    after = run(before)
    assert list_faults(after) == []
    values = dict(zip(before.input_names, RNG.standard_normal(len(before.input_names)), strict=True))
    found = after.evaluate([values[n] for n in after.input_names])
    np.testing.assert_allclose(found, before.evaluate([*values.values()]), rtol=1e-12, atol=1e-12)
    assert run(before) == after


def test_code_is_listed_an_instruction_a_line():
    code = sg.inverse_dynamics(sg.load("rr")).passes()["common factors"]
    assert isinstance(code, Program)
    *lines, last = code.to_text().splitlines()
    assert len(lines) == len(code.instructions)
    assert lines[0].startswith("v0 = ")
    assert last.startswith("return v")
    read = {line.partition(" = ")[2] for line in lines}
    assert {*code.inputs_read} <= read
