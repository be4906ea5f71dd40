"""Functions as an ament package of ROS 2: the library in C and C++, a node, and a test that needs no ROS."""

from __future__ import annotations

import re

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.base import Backend, Library
from screwgraph.compiler.backends.c.operations import C
from screwgraph.compiler.backends.c.package import emit_comparison_function, emit_examples
from screwgraph.compiler.backends.c.source_text import emit_header, emit_separate_source
from screwgraph.compiler.backends.cpp import emit_checks, emit_cpp_header
from screwgraph.compiler.backends.escapes import in_xml
from screwgraph.compiler.backends.ros2.core import emit_core_header, list_topics
from screwgraph.compiler.backends.ros2.node import emit_node_source

PACKAGE = """<?xml version="1.0"?>
<?xml-model href="http://download.ros.org/schema/package_format3.xsd" schematypens="http://www.w3.org/2001/XMLSchema"?>
<package format="3">
  <name>{name}</name>
  <version>1.0.0</version>
  <description>{about}: dynamics and kinematics, made by screwgraph.</description>
  <maintainer email="nobody@example.com">nobody</maintainer>
  <license>to be chosen</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <depend>eigen</depend>
  <depend>rcl_interfaces</depend>
  <depend>rclcpp</depend>
  <depend>sensor_msgs</depend>
  <depend>std_msgs</depend>
  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""
CMAKE = """# {name}: made by screwgraph.
cmake_minimum_required(VERSION 3.16)
project({name} VERSION 1.0.0 LANGUAGES C CXX)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(ament_cmake REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(rcl_interfaces REQUIRED)
find_package(rclcpp REQUIRED)
find_package(sensor_msgs REQUIRED)
find_package(std_msgs REQUIRED)

add_library({name} src/{name}.c)
set_target_properties({name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
target_compile_options({name} PRIVATE -fno-math-errno)
target_compile_features({name} INTERFACE cxx_std_17)
target_include_directories({name} PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}/include/{name}> $<INSTALL_INTERFACE:include/{name}>)
target_link_libraries({name} PUBLIC Eigen3::Eigen m)

add_executable({name}_node src/{name}_node.cpp)
target_link_libraries({name}_node {name} rclcpp::rclcpp
  ${{rcl_interfaces_TARGETS}} ${{sensor_msgs_TARGETS}} ${{std_msgs_TARGETS}})

install(DIRECTORY include/{name}/ DESTINATION include/{name})
install(TARGETS {name} EXPORT {name}Targets ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
install(TARGETS {name}_node DESTINATION lib/{name})
ament_export_targets({name}Targets HAS_LIBRARY_TARGET)
ament_export_dependencies(Eigen3)

if(BUILD_TESTING)
  add_executable({name}_test test/{name}_test.cpp)
  target_link_libraries({name}_test {name})
  add_test(NAME {name}_test COMMAND {name}_test)
endif()
ament_package()
"""
TEST = """// Compares the code with what Python computed, and the core with the code; needs no ROS.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "{name}.hpp"
#include "{name}_core.hpp"
#include "{name}_examples.h"
using std::printf;
{compare}
// Arguments in a wrong size are refused, and nothing is published before all have come.
static void check_core() {{
    {name}::Core core;
    int published = 0;
    core.evaluate([&](const std::string &, const std::vector<double> &) {{ ++published; }});
    const bool waits = published == 0 || core.missing().size() < {name}::Core::arguments().size() ||
                       {name}::Core::arguments().empty();
    bool refused = !core.set("no argument", {{0.5}});
    for (const std::string &argument : {name}::Core::arguments())
        refused = refused && !core.set(argument, std::vector<double>({name}::Core::size(argument) + 1, 0.5));
    for (const std::string &parameter : {name}::Core::parameters())
        refused = refused && core.set_parameter(parameter, core.parameter(parameter));
    std::vector<std::string> joints = {name}::Core::joints();
    std::reverse(joints.begin(), joints.end());
    const std::vector<double> moved(joints.size(), 0.1);
    const bool read = joints.empty() || core.set_joints(joints, moved, moved);
    if (!joints.empty()) joints.pop_back();
    const bool missed = !core.set_joints(joints, moved, moved);
    if (waits && refused && read && missed) return;
    ++differences;
    printf("the core takes what it should refuse, or refuses what it should take\\n");
}}

int main() {{
    check_core();
{checks}
    printf("%d numbers differ\\n", differences);
    return differences != 0;
}}
"""


def _files(library: Library) -> dict[str, str]:
    name = library.name
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise InputError(
            f"{name!r} is no name of a package of ROS 2",
            why="these are lower-case letters, digits and single underscores",
            fix="choose another prefix",
        )
    texts = {"name": name, "about": in_xml(library.about or name)}
    tested = TEST.format(name=name, compare=emit_comparison_function(library), checks="\n".join(emit_checks(library)))
    return {
        "package.xml": PACKAGE.format(**texts),
        "CMakeLists.txt": CMAKE.format(**texts),
        f"include/{name}/{name}.h": emit_header(library),
        f"include/{name}/{name}.hpp": emit_cpp_header(library),
        f"include/{name}/{name}_core.hpp": emit_core_header(library),
        f"src/{name}.c": emit_separate_source(library),
        f"src/{name}_node.cpp": emit_node_source(library, list_topics(library)),
        f"test/{name}_examples.h": emit_examples(library),
        f"test/{name}_test.cpp": tested,
    }


BACKEND = Backend("an ament package of ROS 2: a node around the library in C and C++, and a test", C.keys(), _files)
