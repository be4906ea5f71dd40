"""Code for ARM Cortex-M: math alone from outside, no memory but the stack; it runs where an emulator is here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import screwgraph as sg
from screwgraph.api.deployment import asked_functions
from tests.api.deployment.tools import done, found, zig

CORES = {"M4F": "cortex_m4+vfp4d16sp", "M7": "cortex_m7+fp_armv8d16"}
"""Zig's names of processors with their floating-point units."""
TARGETS = {
    "arm": ("qemu-arm", "thumb-linux-musleabihf"),
    "aarch64": ("qemu-aarch64", "aarch64-linux-musl"),
    "riscv64": ("qemu-riscv64", "riscv64-linux-musl"),
}
"""Processors that an emulator runs programs of Linux for. Zig has their C library; the code needs nothing of Linux."""
MATH = {"sinf", "cosf", "atan2f", "sqrtf", "fmodf", "floorf"}
LIBRARIES = {
    "dynamics": ("puma560", ("forward", "inverse"), 16),
    "inverse_kinematics": ("puma560", ("inverse_kinematics:link6",), 24),
    "floating": ("a1", ("center_of_mass", "kinematics:RL_foot"), 16),
}
"""Robots, functions, and bytes of code an operation at most."""


def narrow(folder: Path, robot: str, names: tuple[str, ...]) -> int:
    """Write functions in single precision; return how many operations they take together."""
    model = sg.load(robot, base="floating") if robot == "a1" else sg.load(robot)
    made = {name: f.astype("float32") for name, f in asked_functions(model, names).items()}
    sg.export_library(made, folder, prefix="arm")
    return sum(f.listing().code.operations.total for f in made.values())


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.sampled(3)
@pytest.mark.extra
def test_an_object_needs_math_alone_and_holds_no_data(tmp_path, library, core):
    robot, names, bytes_each = LIBRARIES[library]
    operations = narrow(tmp_path, robot, names)
    target = ("-target", "thumb-linux-musleabihf", f"-mcpu={CORES[core]}")
    done(*zig(), "cc", *target, "-std=c99", "-O2", "-g0", "-c", "arm.c", cwd=tmp_path)
    readelf = found("readelf")
    symbols = done(readelf, "-Ws", "arm.o", cwd=tmp_path).splitlines()
    outside = {line.split()[7] for line in symbols if " UND " in line and len(line.split()) > 7}
    assert outside - {"__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1"} <= MATH
    sections = {
        line.split("]")[1].split()[0]: line
        for line in done(readelf, "-WS", "arm.o", cwd=tmp_path).splitlines()
        if "PROGBITS" in line
    }
    size = int(sections[".text"].split("]")[1].split()[4], 16)
    assert size < bytes_each * operations
    for name in (".data", ".bss"):
        assert int(sections.get(name, "] 0 0 0 0 0").split("]")[1].split()[4], 16) == 0


@pytest.mark.suite
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("processor", TARGETS)
@pytest.mark.extra
def test_it_computes_what_python_does(tmp_path, processor, library):
    command, target = TARGETS[processor]
    emulator = next((name for name in (command, f"{command}-static") if shutil.which(name)), None)
    if emulator is None:
        pytest.skip(f"there is no {command} here")
    narrow(tmp_path, *LIBRARIES[library][:2])
    core = (f"-mcpu={CORES['M7']}",) if processor == "arm" else ()
    sources = ("-static", "-I.", "arm.c", "test/arm_test.c", "-o", "t")
    done(*zig(), "cc", "-target", target, *core, "-std=c99", "-O1", *sources, "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done(emulator, "./t", cwd=tmp_path)
