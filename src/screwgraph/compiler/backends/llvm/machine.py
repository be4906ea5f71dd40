"""The processor at hand: its vector width, and machine code for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding.ffi import ObjectRef

from screwgraph.compiler.cache import OBJECT, recall


@dataclass(frozen=True)
class Processor:
    """What code is made for, in LLVM's words: a model, and features such as `+avx2`, with commas between."""

    model: str
    features: str


LAST_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
"""Where Linux says how large the last cache is, as `32768K`."""
USUAL_CACHE = 32 * 2**20
"""Bytes of the last cache of a processor that does not tell."""
GENERIC = Processor("generic", "")
"""What every processor of this architecture can do: SSE2 on x86-64."""


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The address of a function, and what keeps it alive."""

    address: int
    engine: Any


@cache
def host() -> Processor:
    """Return the processor that this process runs on; where LLVM does not know it, what every one can do."""
    try:
        return Processor(llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    except RuntimeError:
        return GENERIC


def vector_width(processor: Processor | None = None) -> int:
    """Return how many doubles the widest vectors of a processor, by default this one, hold.

    Two wherever nothing wider is known: LLVM splits vectors where there are none.
    """
    features = (processor or host()).features.split(",")
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


@cache
def cache_bytes() -> int:
    """Return how many bytes of results stay in this machine's caches: three quarters of the last one, if it is known.

    Arguments, and what other programs use, share it.
    """
    try:
        size = LAST_CACHE.read_text(encoding="ascii").strip()
        last = int(size.removesuffix("K")) * 2**10
    except (OSError, ValueError):
        last = USUAL_CACHE
    return last * 3 // 4


FAST, QUICK = 2, 1
"""Levels of LLVM's code generation: fast code, or code that is quickly made.

QUICK takes 25 to 45 % less time of processors to compile. Kernels of plans run as fast; batches of a humanoid's mass
matrix take 9 % longer.
"""


def remembered_code(question: object, assembly: Callable[[], str], function: str, level: int = FAST) -> MachineCode:
    """Return a function of LLVM assembly as machine code, from the cache if it was compiled before.

    `question` is all that the assembly is made from.
    """
    llvm_version = (llvmlite.__version__, llvm.llvm_version_info)
    key = (question, host(), llvm.get_process_triple(), llvm_version, *(() if level == FAST else (level,)))
    made = recall(OBJECT, key, lambda: _object(assembly(), host(), level), bytes, bytes)
    return _loaded(made, function, host())


def machine_code(assembly: str, function: str, processor: Processor | None = None) -> MachineCode:
    """Compile LLVM assembly for a processor, by default this one, and return one of its functions."""
    target = processor or host()
    return _loaded(_object(assembly, target), function, target)


def _object(assembly: str, processor: Processor, level: int = FAST) -> bytes:
    """Compile LLVM assembly to an object file."""
    target = _target(processor, level)
    module = llvm.parse_assembly(assembly, llvm.create_context())  # one of its own frees constants, too
    # Straight-line code without duplicates gains nothing from the middle end's higher levels. A builder serves one
    # module: callbacks that a run leaves in it point to what is gone. llvmlite (0.50) leaves 1.5 kB of each.
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=1))
    passes = builder.getModulePassManager()
    try:
        passes.run(module, builder)
    finally:
        _free(passes)
    return target.emit_object(module)


def _free(passes: Any) -> None:
    """Free a pass manager: llvmlite (0.50) does not, as the first `_dispose` of its base classes does nothing."""
    kinds = (kind for kind in type(passes).__mro__ if kind is not ObjectRef and "_dispose" in vars(kind))
    for kind in tuple(kinds)[:1]:
        kind._dispose(passes)
    passes.detach()


def _loaded(object_file: bytes, function: str, processor: Processor) -> MachineCode:
    """Link an object file into this process."""
    target = _target(processor)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return MachineCode(engine.get_function_address(function), engine)


def _target(processor: Processor, level: int = FAST) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=processor.model, features=processor.features, opt=level
    )
