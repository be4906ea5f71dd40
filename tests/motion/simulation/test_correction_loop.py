"""Code that looks whether numbers are within bounds, and corrects them until they are."""

import numpy as np
import pytest

from screwgraph.compiler.backends.llvm import StepLoop, compile_step_loop
from screwgraph.compiler.backends.llvm.step_loop import assembly
from screwgraph.motion.simulation.projection_code import make_bound_test, make_correction_loop
from screwgraph.tape import Block, Memory, Program, Routine


def run(parts, memory: Memory, **vectors: np.ndarray) -> dict[str, np.ndarray]:
    """Run parts in a memory, and return its vectors."""
    size, names = memory.size, tuple(f"x{i}" for i in range(memory.size))
    found = np.array(
        Routine(names, tuple(range(size)), tuple(range(size)), size, tuple(parts)).evaluate(
            list(memory.fill(**vectors))
        )
    )
    return {name: found[memory.places(name).start : memory.places(name).stop] for name in memory.names}


@pytest.mark.parametrize(
    ("numbers", "holds"),
    [([1.0, -2.0], 1), ([1.1, 0.0], 0), ([0.0, -2.1], 0), ([np.nan, 0.0], 0), ([0.0, np.inf], 0)],
)
def test_numbers_are_within_their_bounds_and_nan_is_not(numbers, holds):
    memory = Memory()
    memory.add("x", 2)
    memory.add("met", 1)
    code = make_bound_test([(0, 1.0), (1, 2.0)], memory.places("met").start)
    assert run([code], memory, x=np.array(numbers))["met"] == holds


@pytest.mark.parametrize(("start", "looks", "is_open"), [(0.5, 1, 0), (4.0, 4, 0), (1e9, 6, 1), (np.nan, 6, 1)])
def test_corrections_end_when_what_is_seen_is_within_bounds_or_after_the_last_look(start, looks, is_open):
    memory = Memory()
    memory.add("x", 1)
    memory.add("seen", 1)
    look = memory.block("look", ["x"], ["seen"], lambda x: [x[0]])
    correct = memory.block("correct", ["x"], ["x"], lambda x: [0.5 * x[0]])
    parts = make_correction_loop(look, correct, [(memory.places("seen").start, 0.6)], 6, memory)
    found = run(parts, memory, x=np.array([start]))
    assert (found["looks"], found["open"]) == (looks, is_open)
    assert found["x"] == pytest.approx(start * 0.5 ** (looks - 1), nan_ok=True)


def test_a_million_steps_take_the_stack_of_one():
    """Of a step that adds x to y by copies of both, as they do not stand side by side."""
    add = Program(("y", "x"), (("input", 0), ("input", 1), ("add", 0, 1)), (2,))
    loop = StepLoop((Block("add", add, (2, 0), (2,)),), 0, range(2, 3))
    assert "alloca" not in assembly(loop).partition("next:")[2]
    memory, rows = np.array([1.0, 0.0, 0.0]), np.empty((1_000_000, 1))
    assert compile_step_loop(loop)(memory, rows) == len(rows)
    np.testing.assert_array_equal(rows[:, 0], np.arange(1.0, len(rows) + 1.0))
