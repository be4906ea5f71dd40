"""Outputs that are the same value are one."""

from __future__ import annotations

from screwgraph.compiler.passes.output_deduplication import deduplicate_outputs
from screwgraph.tape import Program


def test_values_and_constants_are_told_apart():
    """Value 0 is not the constant 0, nor is -0."""
    program = Program(("x",), (("input", 0), ("sin", 0)), (0, 0.0, 1, -0.0, 1, 0.0, 0, 1.0))
    once = deduplicate_outputs(program)
    assert [repr(o) for o in once.program.outputs] == ["0", "0.0", "1", "-0.0", "1.0"]
    assert once.places == (0, 1, 2, 3, 2, 1, 0, 4)


def test_a_program_without_outputs():
    assert deduplicate_outputs(Program(("x",), (), ())).places == ()
