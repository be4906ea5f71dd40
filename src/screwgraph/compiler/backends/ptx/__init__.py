"""Kernels for NVIDIA's GPUs, as PTX: the assembly that drivers compile for the GPU at hand."""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvm

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.base import Backend, ExportedFunction, write_one_file_each
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.compiler.backends.llvm.assembly import Arguments
from screwgraph.compiler.backends.llvm.inner_loop import Shape
from screwgraph.compiler.backends.llvm.machine_code import Processor, disassemble
from screwgraph.compiler.backends.llvm.operations import LLVM, TOGETHER
from screwgraph.compiler.backends.ptx.kernel import emit_kernel
from screwgraph.compiler.cache import OBJECT, get_or_make, pack_code
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.tape import Code

OLDEST = Processor("sm_70", "+ptx63", "nvptx64-nvidia-cuda")
"""What kernels are made for: Volta (2017) and all later GPUs, drivers from 418 on."""


def compile_ptx(name: str, code: Code, arguments: Arguments, results: Sequence[Shape], dtype: str) -> str:
    """Return a kernel as PTX, from the cache if it was made before; see `emit_kernel` for what it takes.

    Raises:
        InputError: a thread has less memory than loops need; LLVM makes no kernels.
    """
    question = ("ptx", name, pack_code(code), arguments, results, dtype, OLDEST)

    def compile_cached() -> bytes:
        _check_target()
        return disassemble(emit_kernel(name, code, arguments, results, dtype), OLDEST).encode()

    return get_or_make(OBJECT, question, compile_cached, bytes, bytes).decode()


def _check_target() -> None:
    """Raise InputError where LLVM was built without its back end for GPUs."""
    llvm.initialize_all_targets()
    try:
        llvm.Target.from_triple(OLDEST.triple)
    except RuntimeError:
        why = "its LLVM was built without the target NVPTX"
        raise InputError("this llvmlite makes no kernels", why=why, fix="install the wheel of PyPI") from None


def kernel_name(name: str) -> str:
    """Return what the kernel of a function is called."""
    return make_identifiers([name])[0]


def kernel_source(f: AmbientFunction) -> str:
    """Return the kernel of a function as PTX; code with loops keeps these."""
    arguments, results = f.operands
    return compile_ptx(kernel_name(f.name), f.program, arguments, results, f.dtype)


def _text(f: ExportedFunction) -> str:
    arguments = [(a.shape, a.names) for a in f.arguments]
    return compile_ptx(kernel_name(f.name), f.code, arguments, [r.shape for r in f.results], f.dtype)


BACKEND = Backend(
    "kernels for NVIDIA's GPUs, one thread a sample", LLVM.keys() | set(TOGETHER), write_one_file_each(".ptx", _text)
)

__all__ = ["BACKEND", "compile_ptx", "kernel_name", "kernel_source"]
