"""C source compiles without a warning and computes what machine code does."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.c import make_identifiers

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wdouble-promotion", "-Werror")


def functions() -> dict[str, sg.Function]:
    arm, dog = sg.load("panda"), sg.load("a1", base="floating")
    return {
        "inverse": sg.inverse_dynamics(arm, external_wrenches=("panda_hand_tcp",)),
        "forward": sg.forward_dynamics(dog),
        "hybrid": sg.hybrid_dynamics(arm, arm.joint_names[:3]),
        "mass": sg.mass_matrix(sg.load("rr")),
        "several": several(),
        "narrow": sg.forward_dynamics(arm).astype("float32"),
    }


def several() -> sg.Function:
    """Two results, a name that is an argument's too, and one argument that nothing needs."""
    names = sg.load("rrr").joint_names
    graph = sg.dynamics_graph(sg.load("rrr")).given("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
    return sg.compile(graph, ("tau", f"qdd:{names[1]}", "twist:link3"), ordering="aba")


def state_of(f: sg.Function) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    state = [rng.normal(size=argument.shape) for argument in f.arguments]
    if len(state[0]) == 19:
        state[0][3:7] /= np.linalg.norm(state[0][3:7])
    return state


@pytest.mark.skipif(not COMPILERS, reason="there is no C compiler here")
@pytest.mark.parametrize("problem", ["inverse", "forward", "hybrid", "mass", "several", "narrow"])
def test_c_compiles_without_warnings_and_agrees(problem, tmp_path):
    f = functions()[problem]
    source = tmp_path / "code.c"
    source.write_text(f.c_source())
    state = [np.ascontiguousarray(a, dtype=f.dtype) for a in state_of(f)]
    expected = f(*state) if len(f.results) > 1 else [f(*state)]
    tolerance = 1e-12 if f.dtype == "float64" else 1e-4
    for compiler in COMPILERS:
        library = tmp_path / f"{compiler}.so"
        command = [compiler, *STRICT, "-O1", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        function = getattr(ctypes.CDLL(str(library)), f.name)
        found = [np.empty(r.shape, f.dtype) for r in f.results]
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in [*state, *found]))
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max())


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
    (tmp_path / "bias_forces.h").write_text(f.c_header())
    files = [str(tmp_path / name) for name in ("main.c", "code.c")]
    program = str(tmp_path / "program")
    subprocess.run([COMPILERS[0], *STRICT, *files, "-o", program, "-lm"], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert float(printed) == pytest.approx(f(np.zeros(2), np.zeros(2))[0], rel=1e-5)


def test_the_comment_says_what_each_number_is_and_no_name_ends_it():
    f = several()
    comment = f.c_source().partition("#include <math.h>")[0]
    assert "tau_ (1): tau:joint1[0]" in comment
    assert "twist_link3 (6): twist:link3[0], twist:link3[1]" in comment
    strange = replace(f.results[0], names=("tau:*/ int main; /*",))
    other = replace(f, results=(strange, *f.results[1:])).c_source().partition("#include <math.h>")[0]
    assert "int main; / *" in other
    assert other.count("*/") == other.count("/*") == comment.count("/*")


def test_names_become_identifiers_that_differ():
    names = ["q", "wrench:link-5", "wrench:link.5", "for", "v12", "7", "_x", "θ"]
    assert make_identifiers(names) == ["q", "wrench_link_5", "wrench_link_5_", "for_", "v12_", "x7", "x_x", "x_"]
