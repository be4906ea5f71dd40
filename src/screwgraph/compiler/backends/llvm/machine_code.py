"""The processor at hand: its vector width, and machine code for it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding.ffi import ObjectRef

from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.backends.llvm.tiering import PREFIX, BaselineCode, emit_counters, tier_up_threshold
from screwgraph.compiler.cache import OBJECT, get_or_make, look_up
from screwgraph.compiler.passes.outlining import SHORT, WHOLE


@dataclass(frozen=True)
class Processor:
    """Target processor in LLVM's words: a model, and features such as `+avx2`, with commas between.

    Code for another architecture than this one, or another system, has a `triple`, such as "aarch64-linux-gnu".
    """

    model: str
    features: str
    triple: str = ""


LAST_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
"""Where Linux says how large the last cache is, as `32768K`."""
OWN_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
"""The same of a core's own largest cache."""
USUAL_CACHE, USUAL_OWN_CACHE = 32 * 2**20, 2**20
"""Bytes of these caches of a processor that does not tell."""
LEAST_PAST = 2 * 2**20
"""Bytes of results in blocks that stay in caches of any processor."""
GENERIC = Processor("generic", "")
"""What every processor of this architecture can do: SSE2 on x86-64."""


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The address of a function, and what keeps it alive; of a `draft`, fast code takes its place."""

    address: int
    engine: Any
    draft: BaselineCode | None = None

    def function(self, name: str) -> int:
        """Return the address of one of its functions; those of drafts count what they answer."""
        return self.engine.get_function_address(name if self.draft is None else PREFIX + name)


@cache
def host_processor() -> Processor:
    """Return the processor that this process runs on; where LLVM does not know it, what every one can do."""
    try:
        return Processor(llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    except RuntimeError:
        return GENERIC


def vector_width(processor: Processor | None = None) -> int:
    """Return how many doubles the widest vectors of a processor, by default this one, hold.

    Two wherever nothing wider is known: LLVM splits vectors where there are none.
    """
    features = (processor or host_processor()).features.split(",")
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


@cache
def cache_bytes() -> int:
    """Return how many bytes of results stay in this machine's caches: three quarters of the last one, if it is known.

    Arguments, and what other programs use, share it.
    """
    return _size(LAST_CACHE, USUAL_CACHE) * 3 // 4


@cache
def streaming_threshold() -> int:
    """Return how many bytes of results in blocks, which are whole lines, go to the caches.

    Beyond a core's own cache, lines that are stored are read from the last one first, which takes longer than to store
    them past it.
    """
    return max(LEAST_PAST, _size(OWN_CACHE, USUAL_OWN_CACHE))


def _size(file: Path, usual: int) -> int:
    """Return the bytes of a cache that a file of Linux tells."""
    try:
        size = file.read_text(encoding="ascii").strip()
        return int(size.removesuffix("K")) * 2**10
    except (OSError, ValueError):
        return usual


LOOPS, FAST, QUICK, DRAFT = 3, 2, 1, 0
"""Levels of LLVM's code generation: fast code, or code that is quickly made, or at once.

LOOPS makes vectors of loops, besides. QUICK takes 25 to 45 % less time of processors to compile. Kernels of plans run
as fast; batches of a humanoid's mass matrix take 9 % longer. DRAFT, without the middle end, takes a fifth to a tenth,
and runs half as fast.

LOOPS makes vectors of loops, besides.
QUICK takes 25 to 45 % less time of processors to compile. Kernels of plans run as fast; batches of a humanoid's mass
matrix take 9 % longer. DRAFT, without the middle end, takes a fifth to a tenth, and runs half as fast.
"""


def get_machine_code(question: object, assembly: Callable[[], str], function: str, level: int = FAST) -> MachineCode:
    """Return a function of LLVM assembly as machine code, from the cache if it was compiled before.

    `question` is all that the assembly is made from.
    """
    made = get_or_make(
        OBJECT, _key(question, level), lambda: _object(assembly(), host_processor(), level), bytes, bytes
    )
    return _load_code(made, function, host_processor())


def compile_tiered(
    question: object,
    assembly: Callable[[int], str],
    entries: Sequence[str],
    level: int = FAST,
    weight: int = 1,
    begin: Callable[[Any], None] = lambda engine: None,
) -> MachineCode:
    """Return functions of LLVM assembly, from the cache if they were compiled before, else a draft of them.

    `assembly` takes how many instructions are in one piece, `weight` says what a state counts (0: there is no draft),
    `begin` prepares the engine of a draft and that of the fast code. The address of what is returned is the first one's
    of `entries`.
    """

    def fast() -> MachineCode:
        code = get_machine_code(question, lambda: assembly(WHOLE), entries[0], level)
        begin(code.engine)
        return code

    def draft() -> bytes:
        return _object(f"{assembly(SHORT)}\n{emit_counters(entries, weight)}", host_processor(), DRAFT)

    if not weight or not tier_up_threshold() or look_up(OBJECT, _key(question, level), bytes) is not None:
        return fast()
    engine = _engine(get_or_make(OBJECT, _key(question, DRAFT), draft, bytes, bytes), host_processor())
    begin(engine)
    return MachineCode(engine.get_function_address(PREFIX + entries[0]), engine, BaselineCode(engine, fast))


class Entry(ctypes.Structure):
    """Memory that holds the address of a function of machine code, and keeps it alive."""

    _fields_ = (("address", ctypes.c_void_p),)


def make_entry(code: MachineCode, name: str) -> Entry:
    """Return memory with the address of a function, which becomes that of fast code once this is made."""
    entry = Entry(code.function(name))
    entry.kept_alive = [code]
    if code.draft is not None:
        code.draft.serve(entry, ctypes.addressof(entry), name)
    return entry


def _key(question: object, level: int) -> object:
    llvm_version = (llvmlite.__version__, llvm.llvm_version_info)
    return (question, host_processor(), llvm.get_process_triple(), llvm_version, *(() if level == FAST else (level,)))


def compile_assembly(assembly: str, function: str, processor: Processor | None = None) -> MachineCode:
    """Compile LLVM assembly for a processor, by default this one, and return one of its functions."""
    target = processor or host_processor()
    return _load_code(_object(assembly, target), function, target)


def disassemble(assembly: str, processor: Processor | None = None) -> str:
    """Return LLVM assembly as the assembly of a processor, by default this one, optimised as fast code is."""
    target = _target(processor or host_processor())
    module = llvm.parse_assembly(assembly, llvm.create_context())
    module.triple = target.triple
    _optimise(module, target, FAST)
    return target.emit_assembly(module)


def _object(assembly: str, processor: Processor, level: int = FAST) -> bytes:
    """Compile LLVM assembly to an object file."""
    report_progress(f"compiling {len(assembly) // 1000} kB of LLVM assembly")
    target = _target(processor, level)
    module = llvm.parse_assembly(assembly, llvm.create_context())  # one of its own frees constants, too
    if level == DRAFT:
        return target.emit_object(module)
    _optimise(module, target, level)
    return target.emit_object(module)


def _optimise(module: Any, target: Any, level: int) -> None:
    """Run LLVM's middle end."""
    # Straight-line code without duplicates gains nothing from the middle end's higher levels. A builder serves one
    # module: callbacks that a run leaves in it point to what is gone. llvmlite (0.50) leaves 1.5 kB of each.
    loops = level == LOOPS
    # Loops are written as long as they should be: unrolling them made the text of structured linear algebra twice as
    # long, took two thirds of its time, and gained nothing.
    options = llvm.create_pipeline_tuning_options(speed_level=3 if loops else 1)
    options.loop_unrolling = options.loop_vectorization = loops
    builder = llvm.create_pass_builder(target, options)
    passes = builder.getModulePassManager()
    try:
        passes.run(module, builder)
    finally:
        _free(passes)


def _free(passes: Any) -> None:
    """Free a pass manager: llvmlite (0.50) does not, as the first `_dispose` of its base classes does nothing."""
    kinds = (kind for kind in type(passes).__mro__ if kind is not ObjectRef and "_dispose" in vars(kind))
    for kind in tuple(kinds)[:1]:
        kind._dispose(passes)
    passes.detach()


def _load_code(object_file: bytes, function: str, processor: Processor) -> MachineCode:
    engine = _engine(object_file, processor)
    return MachineCode(engine.get_function_address(function), engine)


def _engine(object_file: bytes, processor: Processor) -> Any:
    """Link an object file into this process."""
    target = _target(processor)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return engine


def _target(processor: Processor, level: int = FAST) -> Any:
    if processor.triple:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    else:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    kind = llvm.Target.from_triple(processor.triple) if processor.triple else llvm.Target.from_default_triple()
    return kind.create_target_machine(cpu=processor.model, features=processor.features, opt=min(level, FAST))
