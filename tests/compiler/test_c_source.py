"""C source compiles without a warning and computes what machine code does."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import screwgraph as sg

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def functions() -> dict[str, sg.Function]:
    arm, dog = sg.load("panda"), sg.load("a1", base="floating")
    return {
        "inverse": sg.inverse_dynamics(arm, external_wrenches=("panda_hand_tcp",)),
        "forward": sg.forward_dynamics(dog),
        "hybrid": sg.hybrid_dynamics(arm, arm.joint_names[:3]),
        "mass": sg.mass_matrix(sg.load("rr")),
    }


def state_of(f: sg.Function) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    state = [rng.normal(size=argument.shape) for argument in f.arguments]
    if len(state[0]) == 19:
        state[0][3:7] /= np.linalg.norm(state[0][3:7])
    return state


@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler here")
@pytest.mark.parametrize("name", ["inverse", "forward", "hybrid", "mass"])
def test_c_compiles_without_warnings_and_agrees(name, tmp_path):
    f = functions()[name]
    source = tmp_path / "code.c"
    source.write_text(f.c_source())
    expected = f(*state_of(f))
    for compiler in COMPILERS:
        library = tmp_path / f"{compiler}.so"
        command = [compiler, *STRICT, "-O1", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        function = getattr(ctypes.CDLL(str(library)), f.name)
        arrays = [np.ascontiguousarray(a) for a in state_of(f)]
        found = np.empty(f.result_shape)
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in [*arrays, found]))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler here")
def test_the_header_goes_with_the_source(tmp_path):
    f = sg.mass_matrix(sg.load("rr"))
    (tmp_path / "code.h").write_text(f.c_header())
    (tmp_path / "code.c").write_text('#include "code.h"\n#include "code.h"\n' + f.c_source())
    subprocess.run([COMPILERS[0], *STRICT, "-c", "code.c"], check=True, cwd=tmp_path)


@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler here")
def test_the_example_in_the_comment_runs(tmp_path):
    f = sg.bias_forces(sg.load("rr"))
    text = f.c_source()
    comment = text[: text.index("*/")].splitlines()
    start = next(i for i, line in enumerate(comment) if "#include <stdio.h>" in line)
    example = "\n".join(line.removeprefix(" *") for line in comment[start:])
    (tmp_path / "code.c").write_text(text)
    (tmp_path / "main.c").write_text(example)
    files = [str(tmp_path / name) for name in ("main.c", "code.c")]
    program = str(tmp_path / "program")
    subprocess.run([COMPILERS[0], *STRICT, *files, "-o", program, "-lm"], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert float(printed) == pytest.approx(f(np.zeros(2), np.zeros(2))[0], rel=1e-5)
