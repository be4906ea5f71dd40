"""Vectors of 128, 256 and 512 bits, and those of ARM: the same answers, and instructions of that width."""

from __future__ import annotations

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm import machine_code
from screwgraph.compiler.backends.llvm.assembly import emit_assembly, make_operands
from screwgraph.compiler.backends.llvm.blocked_loop import emit_blocked_assembly
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.compiler.backends.llvm.machine_code import Processor, disassemble, vector_width
from tests.oracle import oracle

N = 77
X86 = "x86_64-linux-gnu"
WIDE = {
    128: Processor("x86-64-v2", "-avx", X86),
    256: Processor("x86-64-v3", "+avx,+avx2,+fma,-avx512f", X86),
    512: Processor("x86-64-v4", "+avx,+avx2,+fma,+avx512f,+avx512vl,+avx512dq,+avx512bw,-prefer-256-bit", X86),
}
"""What code of that many bits is made for; of 128, without fused instructions."""
ARM = Processor("generic", "+neon", "aarch64-linux-gnu")
LIBRARY = {"sin", "cos", "memcpy", "malloc", "free", "abort"}
"""Functions of C that code may call: sines of angles that are too large for vectors, copies, memory for long code."""


def missing(bits: int) -> bool:
    """Tell whether this processor has not the instructions for vectors of so many bits."""
    has = set(machine_code.host_processor().features.split(","))
    return not {128: {"+sse4.2"}, 256: {"+avx2", "+fma"}, 512: {"+avx512f", "+avx512vl", "+avx512dq"}}[bits] <= has


def of_host(bits: int) -> Processor:
    """Return this processor without wider vectors."""
    return Processor(WIDE[bits].model, WIDE[bits].features)


def robots():
    return {"panda": sg.load("panda"), "a1": sg.load("a1", base="floating")}


def texts(f, width: int) -> list[str]:
    """Return the code of rows and of blocks."""
    places = make_operands(f.program, [(a.shape, a.names) for a in f.arguments], [r.shape for r in f.results])
    return [
        emit_assembly(f.program, *places, Lanes(width)),
        emit_blocked_assembly(f.program, *places, Lanes(width, samples=8)),
    ]


@pytest.mark.parametrize("name", ["panda", "a1"])
@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.sampled(6)
def test_answers_are_those_of_pinocchio_at_every_width(name, bits, monkeypatch, tmp_path):
    if missing(bits):
        pytest.skip(f"this processor has no vectors of {bits} bits")
    processor = of_host(bits)
    assert 64 * vector_width(processor) == bits
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("SCREWGRAPH_DRAFT_STATES", "0")
    monkeypatch.setattr(machine_code, "host_processor", lambda: processor)
    robot, rng = robots()[name], np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(N)])
    qd, tau = rng.normal(size=(2, N, robot.nv))
    M, qdd = sg.mass_matrix(robot), sg.forward_dynamics(robot)
    assert f"<{bits // 64} x double>" in M.llvm_source()
    wanted = (
        [oracle(robot).mass_matrix(x) for x in q],
        [oracle(robot).forward_dynamics(*x) for x in zip(q, qd, tau, strict=True)],
    )
    for f, x, expected in zip((M, qdd), ([q], [q, qd, tau]), wanted, strict=True):
        g = f.blocked()
        bound = 1e-9 * np.abs(expected).max()
        for found in (f(*x), f(*map(np.asfortranarray, x)), g.rows(g(*map(g.blocks, x)), N)):
            np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("name", ["panda", "a1"])
@pytest.mark.parametrize(("bits", "register"), [(128, "xmm"), (256, "ymm"), (512, "zmm")])
@pytest.mark.sampled(4)
def test_registers_are_as_wide_as_vectors(name, bits, register):
    f = sg.mass_matrix(robots()[name])
    for text in texts(f, bits // 64):
        found = disassemble(text, WIDE[bits])
        products = re.findall(r"\s(?:v?mulpd|vfn?m(?:add|sub)\d*pd)\s.*%([xyz]mm)\d+\s*$", found, re.MULTILINE)
        assert products.count(register) > f.operations.total / 4
        assert not {"zmm": set(), "ymm": {"zmm"}, "xmm": {"ymm", "zmm"}}[register] & set(products)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["panda", "a1"])
@pytest.mark.parametrize("query", [sg.inverse_dynamics, sg.forward_dynamics, sg.mass_matrix])
def test_code_for_arm_is_in_vectors_of_two(name, query):
    """NEON: fused products and sums of pairs, and no calls but those for sines of large angles."""
    f = query(robots()[name])
    for text in texts(f, vector_width(ARM)):
        found = disassemble(text, ARM)
        own = set(re.findall(r"^(\w+):", found, re.MULTILINE))
        called = set(re.findall(r"^\s+bl?\s+([A-Za-z_]\w*)\s*$", found, re.MULTILINE))
        assert called - own <= LIBRARY
        fused = len(re.findall(r"fml[as]\s+v\d+\.2d", found))
        others = len(re.findall(r"f(?:mul|add|sub)\s+v\d+\.2d", found))
        assert fused > 100
        assert 2 * fused + others > 0.7 * f.operations.total
