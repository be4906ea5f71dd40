"""The machine at hand: its vector width, and machine code for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The address of a function, and what keeps it alive."""

    address: int
    engine: Any


def vector_width() -> int:
    """Return how many doubles this machine's widest vectors hold."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    return 4 if features.get("avx") else 2


def machine_code(assembly: str, function: str) -> MachineCode:
    """Compile LLVM assembly for this machine and return one of its functions."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(assembly)
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    # Straight-line code without duplicates gains nothing from the middle end's higher levels.
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=1))
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return MachineCode(engine.get_function_address(function), engine)
