"""Names that are no identifiers, or words of a language: every library is built, and computes what Python does."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from tests.api.deployment.tools import WARNINGS, done, found
from tests.compiler.backends.node import called

BODY = """<inertial><mass value="1"/><origin xyz="0.1 0 0.2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
FILE = """<robot name="{name}"><link name="base"/><link name="{a}">{body}</link><link name="{b}">{body}</link>
<joint name="{c}" type="revolute"><parent link="base"/><child link="{a}"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="{d}" type="revolute"><parent link="{a}"/><child link="{b}"/><axis xyz="0 1 0"/><origin xyz="0 0.3 0.1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""
NAMES = {
    "dots and dashes": ("my robot-2.0", "link.1", "tool-0", "j.1", "j-1"),
    "letters of others": (
        "\u043a\u043b\u0430\u0441\u0441",
        "\u0437\u0432\u0435\u043d\u043e",
        "\u5de5\u5177",
        "\u00e9",
        "\u00fc",
    ),
    "digits first": ("2arm", "1link", "2nd", "1", "2"),
    "words": ("class", "int", "fn", "template", "self"),
    "comments": ("double", "*/ x", "a??/b", "match", "q"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_robot_of_odd_names_is_exported(kind, tmp_path):
    keys = dict(zip(("name", "a", "b", "c", "d"), NAMES[kind], strict=True))
    robot = sg.load(FILE.format(**keys, body=BODY))
    tip = keys["b"]
    names = ["forward", f"kinematics:{tip}", f"inverse_kinematics:{tip}"]
    made = asked_functions(robot, names, Choice(parameters=(f"{keys['a']}.mass",)))
    compiler = found("gcc", "clang", "cc")
    sg.export_library(made, tmp_path, prefix="arm", about=robot.name)
    done(compiler, "-std=c99", *WARNINGS, "-O0", "-I.", "test/arm_test.c", "arm.c", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
    straight = {name: f for name, f in made.items() if not name.startswith("inverse")}
    pose = next(name for name in straight if name.startswith("kinematics"))
    q = np.array([0.3, -0.4])
    expected = sg.forward_kinematics(robot, tip)(q).ravel()
    sg.export_library({"pose": made[pose]}, tmp_path / "js", prefix="arm", language="wasm", about=robot.name)
    np.testing.assert_allclose(called(tmp_path / "js" / "arm.mjs", "arm_pose", [[q]])[0], expected, atol=1e-15)
    sg.export_library(straight, tmp_path / "ca", prefix="a__b", language="casadi")
    loaded = ca.Function.load(str(tmp_path / "ca" / f"a__b_{pose}.casadi"))
    np.testing.assert_allclose(np.array(loaded(q)).ravel(), expected, atol=1e-15)
