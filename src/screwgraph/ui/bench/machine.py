"""Machines on which measurements are made, and their rooflines: operations a second that a core can do at all."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from screwgraph.compiler.kernels import compile_assembly, vector_width
from screwgraph.ui.bench.peers import NotMeasuredError, Peer

CHAINS = 16
"""Independent chains of fused multiply-adds: more than latency times units, fewer than registers."""

TURNS = 2_000_000


@dataclass(frozen=True)
class Machine:
    """Processor, cores, how many doubles a vector holds, and versions of what took part."""

    processor: str
    cores: int
    width: int
    versions: tuple[str, ...]


def describe_machine(peers: Iterable[Peer] = ()) -> Machine:
    """Describe this machine, without its name or anything of its files."""
    own = [
        f"Python {platform.python_version()}",
        f"NumPy {np.__version__}",
        f"llvmlite {llvmlite.__version__} (LLVM {'.'.join(map(str, llvm.llvm_version_info))})",
    ]
    return Machine(processor(), os.cpu_count() or 1, vector_width(), (*own, *_versions(peers)))


def processor() -> str:
    """Name the processor: as Linux knows it, and the kind that LLVM makes code for."""
    kind = llvm.get_host_cpu_name()
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    name = found.group(1).strip() if found else platform.processor()
    return f"{name} ({kind})" if name else kind


def _versions(peers: Iterable[Peer]) -> list[str]:
    versions = []
    for peer in peers:
        with suppress(NotMeasuredError):  # tables say why
            versions.append(peer.version())
    return versions


@dataclass(frozen=True)
class Roofline:
    """Fused multiply-adds count as two operations; GFLOP/s of vectors of `width` doubles, and of single ones."""

    width: int
    vector: float
    scalar: float


def measure_roofline(rounds: int = 5) -> Roofline:
    """Measure one core."""
    width = vector_width()
    return Roofline(width, _gigaflops(width, rounds), _gigaflops(1, rounds))


def _gigaflops(width: int, rounds: int) -> float:
    code = compile_assembly(_kernel(width), "kernel")
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address)
    memory = (ctypes.c_double * (8 * width))()
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time_ns()
        kernel(TURNS, memory)
        best = min(best, time.thread_time_ns() - start)
    return 2 * CHAINS * width * TURNS / best


def _kernel(width: int) -> str:
    """Return assembly of `kernel(turns, memory)`: x <- x * a + a in each chain, turn after turn."""
    D = f"<{width} x double>" if width > 1 else "double"
    fma = f"@llvm.fma.v{width}f64" if width > 1 else "@llvm.fma.f64"
    chains = range(CHAINS)
    starts = [f"%x{i} = phi {D} [%a{i}, %entry], [%y{i}, %turn]" for i in chains]
    apart = [f"%a{i + 1} = fadd {D} %a{i}, %a" for i in chains]
    steps = [f"%y{i} = call {D} {fma}({D} %x{i}, {D} %a, {D} %a)" for i in chains]
    sums = [f"%s{i + 1} = fadd {D} %s{i}, %y{i}" for i in chains]
    lines = [
        f"declare {D} {fma}({D}, {D}, {D})",
        "define void @kernel(i64 %turns, ptr %memory) {",
        "entry:",
        f"%a = load {D}, ptr %memory, align 8",
        f"%a0 = fadd {D} %a, %a",
        *apart,
        "br label %turn",
        "turn:",
        "%k = phi i64 [0, %entry], [%next, %turn]",
        *starts,
        *steps,
        "%next = add i64 %k, 1",
        "%more = icmp slt i64 %next, %turns",
        "br i1 %more, label %turn, label %end",
        "end:",
        f"%s0 = fadd {D} %a, %a",
        *sums,
        f"store {D} %s{CHAINS}, ptr %memory, align 8",
        "ret void",
        "}",
    ]
    return "\n".join(lines)
