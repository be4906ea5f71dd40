"""Packs hold each operation that outputs need, in an order in which they can be computed."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm import compile_program
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.packed_block import emit_limb_block
from screwgraph.compiler.passes.slp import pack_limbs, profitability
from screwgraph.compiler.passes.slp.pack_schedule import find_cycles
from screwgraph.tape import Tape, program


def step(kind, x, y, constant, turned):
    """Return a value of two others."""
    if kind < 2:
        return x * y if kind else x - y if turned else x + y
    return constant * x + y if kind == 2 else x / (3.0 + y * y)


def limbs_on_a_trunk(rng, limbs: int, mirrored: bool):
    """Write the same random code for each limb, with other numbers; constants of mirrored limbs have any signs.

    Limbs that are not mirrored, too, have sums in the place of differences at random.
    """
    tape, size = Tape(), 30
    trunk = [tape.input(f"q:trunk[{k}]") for k in range(2)]
    steps = [(int(rng.integers(4)), *rng.integers(-8, 0, 2)) for _ in range(size)]
    ends, names = [], [f"q:trunk[{k}]" for k in range(2)]
    for limb in range(limbs):
        own = [tape.input(f"q:limb{limb}_{k}[0]") for k in range(3)]
        names += [f"q:limb{limb}_{k}[0]" for k in range(3)]
        values = [*trunk, *own, own[0] * own[1], own[1] * own[2], own[2] * trunk[0]]
        for kind, a, b in steps:
            sign = rng.choice([-1.0, 1.0]) if mirrored else 1.0
            turned = not mirrored and rng.random() < 0.3
            values.append(step(kind, values[a], values[b], sign * rng.uniform(1, 2), turned))
        ends.append(values[-3:])
    outputs = [*chain.from_iterable(ends), *(sum(e[k] for e in ends) * trunk[1] for k in range(3))]
    return program(tape, outputs, names)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("limbs", [2, 3, 4, 6])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.sampled(2)
def test_answers_are_those_of_single_operations(limbs, mirrored, dtype, monkeypatch):
    monkeypatch.setattr(profitability, "GAIN", 0.0)
    rng = np.random.default_rng(limbs)
    used = 0
    for _ in range(4):
        code = limbs_on_a_trunk(rng, limbs, mirrored)
        used += emit_limb_block(code, Lanes(1, 8 * np.dtype(dtype).itemsize)) is not None
        n, m = len(code.input_names), len(code.outputs)
        f = compile_program("f", code, [((n,), code.input_names)], [(m,)], dtype, batches=False)
        for x in rng.uniform(0.5, 1.5, (3, n)).astype(dtype):
            wanted = np.array(code.evaluate(list(x.astype(float))))
            size = np.abs(wanted).max()
            np.testing.assert_allclose(f.ufunc(x), wanted, rtol=0, atol=2e3 * np.finfo(dtype).eps * size)
    assert used


@pytest.mark.parametrize("query", [sg.inverse_dynamics, sg.forward_dynamics, sg.mass_matrix])
def test_code_comes_after_what_it_needs(query):
    code = query(sg.load("a1", base="floating")).program
    found = pack_limbs(code, frozenset(), 4)
    assert found is not None
    ready = {i for i, computed in enumerate(found.normal.is_computed) if not computed}
    for unit in found.units:
        lanes = (unit,) if isinstance(unit, int) else unit
        assert all(o in ready for i in lanes for o, _ in found.normal.operands[i])
        ready |= set(lanes)
    assert all(output[0] in ready for output in found.normal.outputs if isinstance(output, tuple))


def test_most_operations_of_a_quadruped_are_in_packs_of_four():
    code = sg.inverse_dynamics(sg.load("a1", base="floating")).program
    found = pack_limbs(code, frozenset(), 4)
    assert found is not None
    packs = [unit for unit in found.units if isinstance(unit, tuple)]
    assert all(len(pack) == 4 for pack in packs)
    inside = sum(len(set(pack)) for pack in packs)
    alone = len(found.units) - len(packs)
    assert inside > 4 * alone


def test_arms_are_left_alone():
    for query in (sg.inverse_dynamics, sg.forward_dynamics, sg.mass_matrix):
        assert emit_limb_block(query(sg.load("panda")).program, Lanes(1)) is None


def test_circles_are_units_that_wait_for_each_other():
    before = {1: {2}, 2: {1}, 3: {2}, 4: {4}, 5: {6}, 6: {7}, 7: {5}, 8: set()}
    assert sorted(map(sorted, find_cycles(before))) == [[1, 2], [4], [5, 6, 7]]
