"""Long programs in pieces compute what they compute as a whole, in machine code and in C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.passes import outlining
from screwgraph.compiler.passes.outlining import Outlines
from screwgraph.tape import Program


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut every program, into short pieces; code from the cache would know nothing of that."""

    def short(program: Program, first: Sequence[int] = (), whole: int = 0, *, loops: bool = False) -> Outlines:
        return outlining.outline_program(program, first, whole=0, length=50, loops=loops)

    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")
    monkeypatch.setattr("screwgraph.compiler.backends.llvm.sample_block.outline_program", short)
    monkeypatch.setattr("screwgraph.compiler.backends.c.function.outline_program", short)


def states(robot: sg.Robot, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [np.array([robot.random(rng) for _ in range(count)]), *rng.standard_normal((2, count, robot.nv))]


def test_machine_code_in_pieces_gives_the_same_numbers(in_pieces):
    robot = sg.load("puma560")
    f = sg.forward_dynamics(robot).jacobian("q", "tau")
    arguments = states(robot, 11)
    expected = f.program.evaluate(np.concatenate(arguments, axis=1).T)
    found = np.concatenate([x.reshape(11, -1) for x in f(*arguments)], axis=1)
    for column, numbers in zip(found.T, expected, strict=True):
        np.testing.assert_allclose(column, np.broadcast_to(numbers, 11), rtol=1e-10, atol=1e-10)


def test_a_value_is_kept_for_later_pieces_only_where_one_needs_it():
    code = sg.inverse_dynamics(sg.load("rrr")).program
    cut = outlining.outline_program(code, whole=0, length=20)
    for i, (operation, *operands) in enumerate(code.instructions):
        for o in () if operation in outlining.LEAVES else operands:
            leaf = code.instructions[o][0] in outlining.LEAVES
            assert leaf or o // 20 == i // 20 or o in cut.slots
    assert [i for part in cut.parts for i in part] == list(range(len(code.instructions)))
    assert cut.size < len(cut.slots) < len(code.instructions)


def test_a_value_has_the_place_of_one_that_no_piece_needs_any_more():
    code = sg.inverse_dynamics(sg.load("puma560")).program
    cut = outlining.outline_program(code, range(5), whole=0, length=20)
    pieces = {i: n for n, part in enumerate(cut.parts) for i in part}
    holder, last = dict[int, int](), dict[int, int]()
    for i, own in enumerate(code.instructions):
        last |= dict.fromkeys(own[1:] if own[0] not in outlining.LEAVES else (), pieces.get(i, -1))
    for i, place in sorted(cut.slots.items()):  # values begin in the order of their instructions
        if place in holder:
            assert last[holder[place]] < pieces.get(i, -1)
        holder[place] = i
    assert cut.size == len(holder) < len(cut.slots)


def test_a_short_rest_is_one_piece():
    code = sg.inverse_dynamics(sg.load("rrr")).program
    before = range(len(code.instructions) - 10)
    assert outlining.outline_program(code, before, whole=0, length=20) == Outlines(
        [list(range(before.stop, before.stop + 10))], {}
    )


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_c_source_in_pieces_gives_the_same_numbers(in_pieces, tmp_path):
    f = sg.forward_dynamics(sg.load("rrr")).jacobian("q")
    library = tmp_path / "code.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), "-lm"]
    subprocess.run(["cc", *flags], input=f.c_source(), text=True, check=True)
    arguments, out = states(sg.load("rrr"), 1), np.empty((3, 3))
    call = getattr(ctypes.CDLL(str(library)), f.name)
    call(*(ctypes.c_void_p(a.ctypes.data) for a in (*arguments, out)))
    np.testing.assert_allclose(out, f(*(a[0] for a in arguments)), rtol=1e-12, atol=1e-12)
