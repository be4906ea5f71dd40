"""The step of an A1 on its feet in C, C++, ROS 2 and Rust, beside the simulator over a fall and its rebounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from tests.api.deployment.tools import WARNINGS, done, eigen, found

STAND_IN = Path(__file__).parents[2] / "docs" / "ros_stand_in"
FEET = (
    "contacts:\n"
    + "".join(
        f"- {{frame: {leg}_foot, radius: 0.02, friction: 0.6, restitution: 0.6}}\n" for leg in ("FR", "FL", "RR", "RL")
    )
    + "ground: {normal: [0.05, 0, 1], height: -0.01}\nparameters: [trunk.mass]\n"
)
STEPS = 400
SPRINGS = {
    f"{leg}_{joint}_joint": (60.0, rest)
    for leg in ("FR", "FL", "RR", "RL")
    for joint, rest in (("hip", 0.0), ("thigh", 0.8), ("calf", -1.6))
}
CPP = """
#include <cstdio>
#include "dog.hpp"
#define main dog_examples
#include "test/dog_test.cpp"
#undef main
#include "numbers.h"
int main() {
    if (dog_examples() > 0) return 1;
    dog::Vector<19> q = Eigen::Map<const dog::Vector<19>>(Q0);
    dog::Vector<18> qd = dog::Vector<18>::Zero(), tau = dog::Vector<18>::Zero();
    dog::Vector<16> laws = Eigen::Map<const dog::Vector<16>>(LAWS);
    dog::Matrix<4, 3> forces = dog::Matrix<4, 3>::Zero();
    dog::Vector<1> dt = dog::Vector<1>::Constant(1e-3);
    dog::Parameters parameters = dog::nominal();
    parameters.trunk_mass = 6.0;
    for (int k = 0; k < COUNT; ++k) {
        const auto next = dog::step(q, qd, tau, dt, laws, forces, parameters);
        q = next.q_, qd = next.qd_, forces = next.forces_;
    }
    for (double x : q) std::printf("%.17g ", x);
    for (double x : qd) std::printf("%.17g ", x);
    for (int i = 0; i < 4; ++i) for (int j = 0; j < 3; ++j) std::printf("%.17g ", forces(i, j));
}
"""
NODE = """
#include <cstdio>
#include "dog_core.hpp"
#include "numbers.h"
int main() {
    dog::Core core;
    core.set("q", std::vector<double>(Q0, Q0 + 19));
    for (const char *name : {"qd", "tau"}) core.set(name, std::vector<double>(18, 0.0));
    core.set("dt", {1e-3});
    core.set("contacts", std::vector<double>(LAWS, LAWS + 16));
    core.set("forces", std::vector<double>(12, 0.0));
    core.set_parameter("trunk_mass", 6.0);
    for (int k = 0; k < COUNT; ++k)
        core.evaluate([k](const std::string &name, const std::vector<double> &values) {
            if (k == COUNT - 1 && name != "step/gaps" && name != "step/solution")
                for (double x : values) std::printf("%.17g ", x);
        });
}
"""
PLAIN = """
#include <stdio.h>
#include "dog.h"
#include "numbers.h"
int main(void) {
    double q[2][19] = {{0}}, qd[2][18] = {{0}}, forces[2][12] = {{0}}, gaps[4], solution[2];
    double tau[18] = {0}, dt[1] = {1e-3};
    dog_parameters parameters = dog_nominal;
    parameters.trunk_mass = 6.0;
    for (int i = 0; i < 19; ++i) q[0][i] = Q0[i];
    for (int k = 0; k < COUNT; ++k) {
        const int a = k % 2, b = 1 - a;
        dog_step(q[a], qd[a], tau, dt, LAWS, forces[a], &parameters, q[b], qd[b], forces[b], gaps, solution);
    }
    for (int i = 0; i < 19; ++i) printf("%.17g ", q[COUNT % 2][i]);
    for (int i = 0; i < 18; ++i) printf("%.17g ", qd[COUNT % 2][i]);
    for (int i = 0; i < 12; ++i) printf("%.17g ", forces[COUNT % 2][i]);
    return 0;
}
"""


@pytest.fixture(name="fall", scope="module")
def _fall(tmp_path_factory):
    """Return the step, and the state of the simulator after a fall on feet that rebound."""
    file = tmp_path_factory.mktemp("feet") / "feet.yaml"
    file.write_text(FEET, encoding="utf-8")
    robot = sg.load("a1", base="floating")
    q0 = robot.neutral()
    q0[2], q0[7:] = 0.4, np.tile([0.0, 0.8, -1.6], 4)
    simulator = sg.Simulator(robot, 1e-3, q0, contacts=str(file), springs=SPRINGS)
    simulator.set_parameters({"trunk.mass": [6.0]})
    rising = np.zeros(STEPS)
    for k in range(STEPS):
        simulator.step()
        rising[k] = simulator.qd[5]
    assert rising.min() < -0.5
    assert rising.max() > 0.1  # it rebounds
    assert simulator.residual < 1e-9
    made = asked_functions(robot, ["step"], Choice(contacts=str(file), springs=SPRINGS))
    laws = np.ravel([contact.values for contact in simulator.options.contacts])
    numbers = "".join(
        f"static const double {name}[] = {{{', '.join(map(repr, values.tolist()))}}};\n"
        for name, values in (("Q0", q0), ("LAWS", laws))
    )
    return made, f"{numbers}enum {{ COUNT = {STEPS} }};\n", (simulator.q, simulator.qd, simulator.forces.ravel())


def _compare(printed: str, ended: tuple[np.ndarray, ...]) -> None:
    q, qd, forces = np.split(np.array(printed.split(), float), [19, 37])
    np.testing.assert_allclose(q, ended[0], atol=1e-9)
    np.testing.assert_allclose(qd, ended[1], atol=1e-7)
    np.testing.assert_allclose(forces, ended[2], atol=1e-5)


def test_cpp_falls_and_rebounds_as_the_simulator_does(tmp_path, fall):
    made, numbers, ended = fall
    include, compiler, plain = eigen(), found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    sg.export_library(made, tmp_path, prefix="dog", language="cpp")
    (tmp_path / "numbers.h").write_text(numbers)
    (tmp_path / "main.cpp").write_text(CPP)
    (tmp_path / "main.c").write_text(PLAIN)
    done(plain, "-std=c99", *WARNINGS, "-O0", "-c", "dog.c", cwd=tmp_path)
    headers = ("-I.", "-Itest", "-isystem", include)
    done(compiler, "-std=c++17", *WARNINGS, *headers, "-O0", "main.cpp", "dog.o", "-o", "main", "-lm", cwd=tmp_path)
    tested, printed = done("./main", cwd=tmp_path).splitlines()
    assert tested == "0 numbers differ"
    _compare(printed, ended)
    done(plain, "-std=c99", *WARNINGS, "-O0", "main.c", "dog.o", "-o", "plain", "-lm", cwd=tmp_path)
    _compare(done("./plain", cwd=tmp_path), ended)


def test_the_core_of_a_node_steps_from_state_to_state(tmp_path, fall):
    made, numbers, ended = fall
    compiler, plain = found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    sg.export_library(made, tmp_path, prefix="dog", language="ros2")
    (tmp_path / "numbers.h").write_text(numbers)
    (tmp_path / "main.cpp").write_text(NODE)
    done(plain, "-std=c99", *WARNINGS, "-O0", "-Iinclude/dog", "-c", "src/dog.c", cwd=tmp_path)
    flags = ("-std=c++17", *WARNINGS, "-O0", "-I.", "-Iinclude/dog")
    done(compiler, *flags, "main.cpp", "dog.o", "-o", "main", "-lm", cwd=tmp_path)
    _compare(done("./main", cwd=tmp_path), ended)
    parsed = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude/dog", f"-I{STAND_IN}")
    done(compiler, *parsed, "src/dog_node.cpp", cwd=tmp_path)
