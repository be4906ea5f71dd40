"""Single-precision code for ARM Cortex-M: sines alone from outside, no memory but the stack, the right numbers."""

from __future__ import annotations

import shutil

import pytest

import screwgraph as sg
from screwgraph.deployment import asked_functions
from tests.deployment.tools import done, found, zig

TARGET = ("-target", "thumb-linux-musleabihf", "-mcpu=cortex_m7+fp_armv8d16")
"""Zig has headers of this target's C library; the code needs nothing of the system."""


@pytest.fixture
def library(tmp_path):
    made = asked_functions(sg.load("puma560"), ("forward", "inverse"))
    narrow = {name: f.astype("float32") for name, f in made.items()}
    sg.export_library(narrow, tmp_path, prefix="arm")
    done(*zig(), "cc", *TARGET, "-std=c99", "-O2", "-g0", "-c", "arm.c", cwd=tmp_path)
    return tmp_path


def test_an_object_needs_sines_alone_and_holds_no_data(library):
    readelf = found("readelf")
    symbols = done(readelf, "-Ws", "arm.o", cwd=library).splitlines()
    outside = {line.split()[7] for line in symbols if " UND " in line and len(line.split()) > 7}
    assert outside - {"__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1"} == {"sinf", "cosf"}
    sections = {
        line.split("]")[1].split()[0]: line
        for line in done(readelf, "-WS", "arm.o", cwd=library).splitlines()
        if "PROGBITS" in line
    }
    size = int(sections[".text"].split("]")[1].split()[4], 16)
    assert size < 16 * sum(
        f.operations.total for f in asked_functions(sg.load("puma560"), ("forward", "inverse")).values()
    )
    for name in (".data", ".bss"):
        assert int(sections.get(name, "] 0 0 0 0 0").split("]")[1].split()[4], 16) == 0


@pytest.mark.suite
def test_it_computes_what_python_does(library):
    emulator = next((name for name in ("qemu-arm", "qemu-arm-static") if shutil.which(name)), None)
    if emulator is None:
        pytest.skip("there is no qemu-arm here")
    linked = ("-static", "-I.", "arm.o", "test/arm_test.c", "-o", "t")
    done(*zig(), "cc", *TARGET, "-std=c99", "-O1", *linked, cwd=library)
    assert "0 numbers differ" in done(emulator, "./t", cwd=library)
