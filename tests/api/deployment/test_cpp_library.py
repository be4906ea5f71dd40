"""The C++ header over Eigen compiles without warnings, takes any memory of Eigen's, and computes what Python does."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from screwgraph.compiler import compile_expression, make_numbered_argument
from tests.api.deployment.tools import WARNINGS, done, eigen, found

MAIN = """
#include <cstdio>
#include "arm.hpp"
#include "cart.hpp"
#define main arm_test
#include "arm/test/arm_test.cpp"
#undef main
namespace of_cart {
#define main cart_test
#include "cart/test/cart_test.cpp"
#undef main
}
int main() {
    if (arm_test() + of_cart::cart_test() > 0) return 1;
    arm::Scalar memory[9] = {0.1, -0.5, 0.3, 0.5, 0.4, 0.3, 0, 0, 0};
    const Eigen::Map<const arm::Vector<3>> q(memory), qd(memory + 3);
    arm::Parameters carried = arm::nominal();
    carried.payload_m = 2.0;
    const arm::Matrix<3, 3> M = arm::mass_matrix(q, carried);
    arm::inverse(q, qd, 2.0 * qd, carried, Eigen::Map<arm::Vector<3>>(memory + 6));
    const Eigen::Vector3d torque = M * (2.0 * qd) + arm::bias(q, qd, carried);
    const auto slopes = arm::derivatives(q, qd, Eigen::Vector3d::Ones(), carried);
    const Eigen::Matrix3d identity = slopes.result_by_tau * M;
    for (double x : memory) std::printf("%.17g ", x);
    for (int i = 0; i < 3; ++i) std::printf("%.17g ", torque[i]);
    for (int i = 0; i < 9; ++i) std::printf("%.17g ", identity.data()[i]);
}
"""
COLUMNS = ("inverse_derivatives", "potential_energy", "jacobian:link1", "step")
"""Of a robot of one joint: columns, rows and numbers, which Eigen wants in other orders than matrices."""


def test_eigen_in_and_out(tmp_path):
    include, compiler, plain = eigen(), found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    arm = sg.load("rrr")
    names = ("inverse", "mass_matrix", "bias", "derivatives", "kinetic_energy", "kinematics:tool")
    sg.export_library(
        asked_functions(arm, names, Choice(payload="tool")), tmp_path / "arm", prefix="arm", language="cpp"
    )
    slender = sg.load("rr", lock=["joint2"])
    sg.export_library(asked_functions(slender, COLUMNS), tmp_path / "cart", prefix="cart", language="cpp")
    (tmp_path / "main.cpp").write_text(MAIN)
    flags = ("-std=c++17", *WARNINGS, "-isystem", include, "-Iarm", "-Icart", "-Iarm/test", "-Icart/test", "-O0")
    done(plain, "-std=c99", *WARNINGS, "-O0", "-c", "arm/arm.c", "cart/cart.c", cwd=tmp_path)
    done(compiler, *flags, "main.cpp", "arm.o", "cart.o", "-o", "main", "-lm", cwd=tmp_path)
    *tested, printed = done("./main", cwd=tmp_path).splitlines()
    assert tested == ["0 numbers differ"] * 2
    numbers = np.array(printed.split(), float)
    carried = {"payload": np.array([2.0, *([0.0] * 9)])}
    q, qd = numbers[:3], numbers[3:6]
    expected = sg.inverse_dynamics(arm, payload="tool").with_parameters(carried)(q, qd, 2.0 * qd)
    np.testing.assert_allclose(numbers[6:9], expected, rtol=1e-12)
    np.testing.assert_allclose(numbers[9:12], expected, rtol=1e-12)
    np.testing.assert_allclose(numbers[12:].reshape(3, 3), np.eye(3), atol=1e-12)


def test_long_vectors_are_taken_as_maps(tmp_path):
    include, compiler = eigen(), found("g++", "clang++", "c++")
    long = [make_numbered_argument("x", 20_000)]
    f = compile_expression("last", ("the last of many numbers",), tuple(long), lambda x: [2.0 * x[-1]])
    sg.export_library({"last": f}, tmp_path, prefix="own", language="cpp")
    headers = ("-std=c++17", *WARNINGS, "-I.", "-isystem", include)
    done(compiler, *headers, "-fsyntax-only", *(tmp_path / "test").glob("*.cpp"), cwd=tmp_path)
