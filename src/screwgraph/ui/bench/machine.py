"""What measurements were made on."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from screwgraph.compiler.kernels import vector_width
from screwgraph.ui.bench.peers import NotMeasuredError, Peer


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
