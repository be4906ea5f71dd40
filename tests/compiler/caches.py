"""What tests of the cache share: its entries, and processes that use it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from screwgraph.compiler.cache.store import decode_entry

SOURCE = Path(__file__).resolve().parents[2] / "src"

ANSWER = """
import numpy as np
import screwgraph as sg
robot = sg.load("rrr")
x = np.random.default_rng(0).normal(size=(3, 5, robot.nv))
print(sg.forward_dynamics(robot)(*x).tobytes().hex())
"""
"""A program that prints accelerations, bit for bit."""

NOTHING_IS_MADE = """
import screwgraph.compiler.backends.llvm.machine_code as machine
import screwgraph.compiler.compile as compiler
def refused(*_):
    raise AssertionError("this should have come from the cache")
machine._object = compiler.eliminate = refused
"""
"""What to put before a program that must find everything in the cache."""


def entries(folder: Path) -> list[Path]:
    """Return all entries of a cache."""
    return sorted(p for p in folder.iterdir() if p.suffix in (".program", ".object"))


def is_whole(entry: Path) -> bool:
    """Whether an entry would be believed."""
    return decode_entry(entry.stem, entry.read_bytes()) is not None


def start(program: str, folder: Path) -> subprocess.Popen[str]:
    """Start a program with the cache in a folder."""
    paths = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "SCREWGRAPH_CACHE_DIR": str(folder), "PYTHONPATH": paths}
    return subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def printed(process: subprocess.Popen[str], timeout: float = 600.0) -> str:
    """Return what a process prints; it must succeed and say nothing else."""
    out, err = process.communicate(timeout=timeout)
    assert (process.returncode, err) == (0, "")
    return out
