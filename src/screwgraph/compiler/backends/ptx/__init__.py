"""Kernels for NVIDIA's GPUs, as PTX: the assembly that drivers compile for the GPU at hand."""

from __future__ import annotations

from screwgraph.compiler.backends.base import Backend, Listing, one_file_each
from screwgraph.compiler.backends.llvm.gufunc import Arguments
from screwgraph.compiler.backends.llvm.loop import Shape
from screwgraph.compiler.backends.llvm.machine import Processor, listing
from screwgraph.compiler.backends.ptx.kernel import kernel
from screwgraph.compiler.cache import OBJECT, pack_code, recall
from screwgraph.tape.rolled import Code

OLDEST = Processor("sm_70", "+ptx63", "nvptx64-nvidia-cuda")
"""What kernels are made for: Volta (2017) and all later GPUs, drivers from 418 on."""


def ptx_source(name: str, code: Code, arguments: Arguments, results: list[Shape], dtype: str) -> str:
    """Return a kernel as PTX, from the cache if it was made before; see `kernel` for what it takes."""
    question = ("ptx", name, pack_code(code), arguments, results, dtype, OLDEST)

    def made() -> bytes:
        return listing(kernel(name, code, arguments, results, dtype), OLDEST).encode()

    return recall(OBJECT, question, made, bytes, bytes).decode()
