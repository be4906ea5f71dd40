"""Several functions of two robots in C: built by CMake and pkg-config, linked into one program, held against Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from tests.api.deployment.tools import WARNINGS, done, found

LIVE = Choice(parameters=("panda_joint3.friction", "panda_link5.mass"), payload="panda_hand_tcp")
NAMES = (
    "forward",
    "inverse",
    "control=mass_matrix+bias+jacobian:panda_hand_tcp",
    "kinematics:panda_hand_tcp",
)
MAIN = """
#include <stdio.h>
#include "arm.h"
#include "dog.h"
int main(void)
{
    const double q[7] = {0.1, -0.5, 0.3, -1.8, 0.2, 1.9, 0.4}, qd[7] = {0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1};
    const double at[19] = {0, 0, 0.3, 0, 0, 0.6, 0.8, 0.1, 0.8, -1.5, -0.1, 0.8, -1.5, 0.1, 0.8, -1.5, -0.1, 0.8, -1.5};
    arm_parameters carried = arm_nominal;
    double M[49], h[7], J[42], own[324];
    carried.payload_m = 2.0;
    arm_control(q, qd, &carried, M, h, J);
    dog_mass_matrix(at, own);
    for (int i = 0; i < 49; ++i) printf("%.17g ", M[i]);
    for (int i = 0; i < 7; ++i) printf("%.17g ", h[i]);
    for (int i = 0; i < 42; ++i) printf("%.17g ", J[i]);
    for (int i = 0; i < 324; ++i) printf("%.17g ", own[i]);
    return 0;
}
"""
Q, QD = np.array([0.1, -0.5, 0.3, -1.8, 0.2, 1.9, 0.4]), np.array([0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1])
AT = np.array([0, 0, 0.3, 0, 0, 0.6, 0.8, *([0.1, 0.8, -1.5, -0.1, 0.8, -1.5] * 2)])


@pytest.fixture(scope="module")
def libraries(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("libraries")
    sg.export_library(asked_functions(sg.load("panda"), NAMES, LIVE), folder / "arm", prefix="arm")
    dog = asked_functions(sg.load("a1", base="floating"), ("mass_matrix",))
    sg.export_library(dog, folder / "dog", prefix="dog")
    (folder / "main.c").write_text(MAIN)
    return folder


def check(printed: str) -> None:
    """Compare what the program prints with functions that know nothing of each other."""
    arm, dog = sg.load("panda"), sg.load("a1", base="floating")
    carried = {"payload": np.array([2.0, *([0.0] * 9)])}
    M = sg.mass_matrix(arm, payload="panda_hand_tcp").with_parameters(carried)(Q)
    h = sg.bias_forces(arm, payload="panda_hand_tcp").with_parameters(carried)(Q, QD)
    J = sg.frame_jacobian(arm, "panda_hand_tcp")(Q)
    expected = [M.ravel(), h, J.ravel(), sg.mass_matrix(dog)(AT).ravel()]
    parts = np.split(np.array(printed.split(), float), np.cumsum([a.size for a in expected])[:-1])
    for part, wanted in zip(parts, expected, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_two_robots_are_linked_into_one_program(libraries):
    compiler = found("gcc", "clang", "cc")
    sources = ["arm/arm.c", "dog/dog.c"]
    done(compiler, "-std=c99", *WARNINGS, "-O0", "-c", *sources, cwd=libraries)
    done(
        compiler,
        "-std=c99",
        *WARNINGS,
        "-Iarm",
        "-Idog",
        "main.c",
        "arm.o",
        "dog.o",
        "-o",
        "main",
        "-lm",
        cwd=libraries,
    )
    check(done("./main", cwd=libraries))


def test_the_library_tests_itself_and_is_found_by_pkg_config(libraries, tmp_path):
    prefix, call = "dog", "dog_mass_matrix"
    cmake, compiler, build = found("cmake"), found("gcc", "clang", "cc"), libraries / f"built_{prefix}"
    place = f"-DCMAKE_INSTALL_PREFIX={tmp_path}"
    done(
        cmake,
        "-S",
        prefix,
        "-B",
        build,
        place,
        "-DCMAKE_C_FLAGS_RELEASE=-O0",
        "-DCMAKE_INSTALL_LIBDIR=lib",
        cwd=libraries,
    )
    done(cmake, "--build", build, cwd=libraries)
    assert "100% tests passed" in done("ctest", cwd=build)
    done(cmake, "--install", build, cwd=libraries)
    known = {"PKG_CONFIG_PATH": str(tmp_path / "lib" / "pkgconfig")}
    flags = done(found("pkg-config"), "--cflags", "--libs", prefix, cwd=libraries, **known).split()
    (tmp_path / "use.c").write_text(f"#include <{prefix}.h>\nint main(void) {{ return {call} == 0; }}\n")
    done(compiler, "use.c", *flags, "-o", "use", cwd=tmp_path)
    done("./use", cwd=tmp_path)


def test_cmake_finds_the_library_installed_or_as_a_part(libraries, tmp_path):
    cmake = found("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(use C)\n"
        f"add_subdirectory({libraries}/arm arm)\nadd_subdirectory({libraries}/dog dog)\n"
        f"add_executable(main {libraries}/main.c)\ntarget_link_libraries(main arm::arm dog::dog)\n"
    )
    done(cmake, "-S", ".", "-B", "b", "-DCMAKE_C_FLAGS_RELEASE=-O0", cwd=tmp_path)
    done(cmake, "--build", "b", cwd=tmp_path)
    check(done("b/main", cwd=tmp_path))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_wrong_code_fails_its_own_test(tmp_path, dtype):
    compiler = found("gcc", "clang", "cc")
    f = sg.mass_matrix(sg.load("rrr")).astype(dtype)
    sg.export_library({"mass_matrix": f}, tmp_path, prefix="rrr")
    command = (compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "test/rrr_test.c", "rrr.c", "-o", "t", "-lm")
    done(*command, cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
    source = (tmp_path / "rrr.c").read_text()
    assert "cos" in source
    (tmp_path / "rrr.c").write_text(
        source.replace(" = cos", " = 1.001 * cos" if dtype == "float64" else " = 1.001f * cos")
    )
    done(*command, cwd=tmp_path)
    with pytest.raises(AssertionError, match="expected"):
        done("./t", cwd=tmp_path)
