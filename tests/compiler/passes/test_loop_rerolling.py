"""What repeats itself in a program becomes loops, which compute the same numbers."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.gufunc import compile_gufunc
from screwgraph.compiler.passes import outlining
from screwgraph.compiler.passes.loop_rerolling import Repeat, find_repeats
from screwgraph.tape import LEAVES, Program
from tests.random_trees import random_tree


@pytest.fixture
def in_loops(monkeypatch):
    """Cut every program; code from the cache would know nothing of that."""
    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")

    def cut(program, first=(), whole=0, *, loops=False):
        return outlining.outline_program(program, first, whole=0, length=50, loops=loops)

    monkeypatch.setattr("screwgraph.compiler.backends.llvm.sample_block.outline_program", cut)


def test_joints_of_a_chain_repeat_what_others_take():
    code = sg.inverse_dynamics(sg.load(random_tree(14))).program
    every = range(len(code.instructions))
    parts = find_repeats(code, every)
    loops = [part for part in parts if isinstance(part, Repeat)]
    assert sum(part.period * len(part.rows) for part in loops) > 0.6 * code.operations.total
    for part in loops:
        for row in part.rows:
            assert [code.instructions[i][0] for i in row] == [code.instructions[i][0] for i in part.rows[0]]
    together = [i for part in parts for row in (part.rows if isinstance(part, Repeat) else [part]) for i in row]
    assert together == [i for i in every if code.instructions[i][0] not in LEAVES]


def test_machine_code_with_loops_gives_the_same_numbers(in_loops):
    f = sg.inverse_dynamics(sg.load(random_tree(14)))
    rng = np.random.default_rng(0)
    arguments = rng.normal(size=(3, 9, 14))
    expected = np.array(f.program.evaluate(list(np.concatenate(arguments, axis=-1).T))).T
    np.testing.assert_allclose(f(*arguments), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(f(*arguments[:, 0]), expected[0], rtol=1e-10, atol=1e-10)
    arguments[0, 2, 3] = 1e7  # an angle that vectors of sines do not reach
    np.testing.assert_allclose(f(*arguments)[2], f(*arguments[:, 2]), rtol=1e-10, atol=1e-10)


def test_operands_of_all_kinds_come_from_tables(in_loops):
    """Each repetition adds another input, its own constant, or a value of long ago, and some are results."""
    code, outputs = [("input", 0), ("input", 1), ("mul", 0, 1)], []
    last = 2
    for t in range(40):
        code += [("constant", 1.0 + t * t), ("input", t % 2)]
        first = len(code)
        code += [("add", last, first - 2 if t % 3 else first - 1), ("mul", first, first - 1)]
        code += [("sub", first + k, 2 if t % 5 == k else first) for k in range(1, 15)]
        last = len(code) - 1
        outputs += [first + 3] * (t % 4 == 0) + [first + 4]
    program = Program(("a", "b"), tuple(code), (*outputs, 0, 3, last, 2.5))
    f = compile_gufunc("f", program, [((2,), ("a", "b"))], [(len(program.outputs),)])
    x = np.random.default_rng(0).uniform(0.1, 0.3, (9, 2))
    expected = np.broadcast_arrays(*program.evaluate(list(x.T)))
    np.testing.assert_allclose(f(x), np.transpose(expected), rtol=1e-12)
    np.testing.assert_allclose(f(x[0]), np.transpose(expected)[0], rtol=1e-12)
