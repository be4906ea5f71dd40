"""The ament package: library, core and test are built and run without ROS; the node is parsed against stand-ins."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from tests.api.deployment.tools import WARNINGS, done, eigen, found

STAND_IN = Path(__file__).parents[2] / "docs" / "ros_stand_in"
MAIN = """
#define main arm_test
#include "test/arm_test.cpp"
#undef main
int main() {
    if (arm_test() > 0) return 1;
    arm::Core core;
    core.set("qdd", {1.0, 2.0, 3.0});
    core.set_joints({"joint3", "gripper", "joint1", "joint2"}, {0.3, 9.0, 0.1, 0.2}, {0.6, 9.0, 0.4, 0.5});
    core.set_parameter("payload_m", 2.0);
    core.evaluate([](const std::string &name, const std::vector<double> &values) {
        for (double x : values) std::printf("%s %.17g\\n", name.c_str(), x);
    });
}
"""


@pytest.fixture
def package(tmp_path) -> Path:
    names = ("inverse", "hold=bias+mass_matrix", "forward")
    made = asked_functions(sg.load("rrr"), names, Choice(payload="tool"))
    sg.export_library(made, tmp_path, prefix="arm", language="ros2", about="rrr")
    return tmp_path


def test_the_core_answers_joint_states_in_any_order(package):
    include, compiler, plain = eigen(), found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    headers = ("-I.", "-Itest", "-Iinclude/arm", "-isystem", include)
    done(plain, "-std=c99", *WARNINGS, "-O0", "-Iinclude/arm", "-c", "src/arm.c", cwd=package)
    (package / "main.cpp").write_text(MAIN)
    done(compiler, "-std=c++17", *WARNINGS, *headers, "main.cpp", "arm.o", "-o", "main", "-lm", cwd=package)
    tested, *lines = [line.split() for line in done("./main", cwd=package).splitlines()]
    assert tested == ["0", "numbers", "differ"]
    robot, carried = sg.load("rrr"), {"payload": [2.0, *([0.0] * 9)]}
    q, qd, qdd = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [1.0, 2.0, 3.0]
    expected = {
        "inverse": sg.inverse_dynamics(robot, payload="tool").with_parameters(carried)(q, qd, qdd),
        "hold/bias": sg.bias_forces(robot, payload="tool").with_parameters(carried)(q, qd),
        "hold/mass_matrix": sg.mass_matrix(robot, payload="tool").with_parameters(carried)(q).ravel(),
    }
    assert {name for name, _ in lines} == set(expected)  # no torques have come: forward dynamics says nothing
    for name, values in expected.items():
        assert [float(x) for own, x in lines if own == name] == pytest.approx(values, rel=1e-12, abs=1e-12)


def test_the_node_is_accepted_by_a_compiler(package):
    compiler = found("g++", "clang++", "c++")
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude/arm", f"-I{STAND_IN}")
    done(compiler, *flags, "src/arm_node.cpp", cwd=package)


def test_the_package_says_what_it_needs(package):
    tree = ElementTree.parse(package / "package.xml").getroot()
    assert (tree.get("format"), tree.findtext("name")) == ("3", "arm")
    cmake = (package / "CMakeLists.txt").read_text()
    named = [e.text for e in (*tree.findall("depend"), *tree.findall("buildtool_depend"))]
    needed = {"Eigen3" if name == "eigen" else name for name in named}
    assert set(re.findall(r"find_package\((\w+)", cmake)) == needed
    for path in re.findall(r"(?:src|test)/\w+\.(?:cpp|c)", cmake):
        assert (package / path).exists()


def test_names_that_ros_does_not_allow_are_refused(tmp_path):
    with pytest.raises(sg.InputError, match="no name of a package of ROS 2"):
        sg.export_library({"bias": sg.bias_forces(sg.load("rr"))}, tmp_path, prefix="Arm", language="ros2")


def test_robots_whose_joints_have_several_numbers_are_set_by_vectors(tmp_path):
    made = asked_functions(sg.load("a1", base="floating"), ("center_of_mass",))
    sg.export_library(made, tmp_path, prefix="dog", language="ros2")
    core = (tmp_path / "include" / "dog" / "dog_core.hpp").read_text()
    assert re.search(r"joints\(\) \{\s+static const std::vector<std::string> names = \{\};", core)
    assert 'argument == "q"' in core
