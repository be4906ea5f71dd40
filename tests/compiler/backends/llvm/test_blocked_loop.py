"""Loops over blocks for vectors of every width, straight code, code in pieces and code with loops."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.assembly import make_operands
from screwgraph.compiler.backends.llvm.blocked_loop import STRIDED, emit_blocked_assembly
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import compile_assembly
from screwgraph.compiler.derivatives.analytic import tree_problem
from screwgraph.tape import Routine
from tests.random_trees import random_tree

BLOCKS = 5
WIDTHS = ((64, 2), (64, 4), (64, 8), (32, 4), (32, 16))


@pytest.fixture(scope="module")
def derivatives():
    """Derivatives of a chain's accelerations: their function, straight code, and the same with loops."""
    robot = sg.load(random_tree(4))
    f = sg.forward_dynamics(robot, ordering="articulated")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_problem, "LONG", -1.0)
        patch.setattr(tree_problem, "LONGER", -1.0)
        known = f.origin.analytic
        assert isinstance(known, tree_problem.TreeProblem)
        rolled = known.jacobian(f.program, f.arguments, ("q", "tau"))
    assert isinstance(rolled, Routine)
    g = f.jacobian("q", "tau")
    return g, g.body, rolled


def run(address, arguments, out, samples):
    """Call a loop as NumPy does; the core axes of all arrays are neighbours."""
    arrays = [*arguments, out]
    args = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    steps = (ctypes.c_ssize_t * (3 * len(arrays)))(
        *(a.strides[0] for a in arrays), *(s for a in arrays for s in a.strides[1:])
    )
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)(args, (ctypes.c_ssize_t * 1)(len(out)), steps, None)
    assert out.shape[-1] == samples


@pytest.mark.sampled(36)
@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("which", [1, 2], ids=["straight", "loops"])
@pytest.mark.parametrize(("bits", "width"), WIDTHS)
def test_every_width_reads_and_writes_blocks(derivatives, bits, width, which, past):
    """Some samples have angles that vectors do not reach; results begin at a line of the caches, or anywhere."""
    f, code, dtype, samples = derivatives[0], derivatives[which], np.dtype(f"f{bits // 8}"), 512 // bits
    x = np.random.default_rng(0).uniform(-2, 2, (3, BLOCKS, 4, samples)).astype(dtype)
    x[0, 2, 1, 3] = 1e6
    places = make_operands(code, [(a.shape, a.names) for a in f.arguments], [r.shape for r in f.results])
    text = emit_blocked_assembly(code, *places, Lanes(width, bits, samples, past), whole=100 if which == 1 else 10**6)
    machine = compile_assembly(text, "loop")
    counter = ctypes.c_int64()
    ctypes.c_void_p.from_address(machine.engine.get_global_value_address(STRIDED)).value = ctypes.addressof(counter)
    rows = np.moveaxis(x, -1, 2).reshape(3, -1, 4).astype(float)
    wanted = np.concatenate([a.reshape(len(a), -1) for a in f(*rows)], axis=1)
    size = BLOCKS * 32 * samples
    for start in (0, 1):
        memory = np.full(size + 2 * samples, 7.0, dtype)
        start += -memory.ctypes.data % 64 // dtype.itemsize
        out = memory[start : start + size].reshape(BLOCKS, 32, samples)
        run(machine.address, x, out, samples)
        found = np.moveaxis(out, -1, 1).reshape(-1, 32)
        bound = 1e-11 if bits == 64 else 2e-4
        np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * np.abs(wanted).max())
        assert (memory[:start] == 7.0).all()
        assert (memory[start + size :] == 7.0).all()
    assert counter.value == 0
    out = np.full((BLOCKS, 32, samples + 1), 7.0, dtype)[..., :samples]
    run(machine.address, x, out, samples)
    assert counter.value == 1
    assert (out == 7.0).all()
