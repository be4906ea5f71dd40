"""Inverse kinematics as a library: the search in C, C++, Rust and WebAssembly finds what it finds in Python."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.deployment import asked_functions
from screwgraph.mechanics.kinematics.targets import Point, Pose, Posture
from tests.api.deployment.tools import WARNINGS, done, eigen, found
from tests.compiler.backends.node import called
from tests.compiler.backends.ptx.interpreter import on_interpreter

MAIN = """
#include <stdio.h>
#include "arm.h"
int main(void)
{
    double T[16], start[7], q[7], errors[2], counts[3];
    for (;;) {
        for (int i = 0; i < 16; ++i) if (scanf("%lf", T + i) != 1) return 0;
        for (int i = 0; i < 7; ++i) if (scanf("%lf", start + i) != 1) return 1;
        arm_reach(T, start, q, errors, counts);
        for (int i = 0; i < 7; ++i) printf("%.17g ", q[i]);
        for (int i = 0; i < 3; ++i) printf("%.17g ", counts[i]);
        printf("\\n");
    }
}
"""


def tried(solve, robot, frame):
    """Return poses, reachable and not, and no rigid motion; starts; and what Python finds."""
    rng = np.random.default_rng(4)
    T = sg.forward_kinematics(robot, frame)(np.array([robot.random(rng) for _ in range(12)]))
    T[-1, :3, 3] += 9.0
    starts = np.array([robot.random(rng) for _ in T])
    return T, starts, solve(T, start=starts)


def test_c_takes_the_steps_of_python(tmp_path):
    compiler = found("gcc", "clang", "cc")
    robot = sg.load("panda")
    solve = sg.inverse_kinematics(robot, "panda_hand_tcp", attempts=7)
    T, starts, expected = tried(solve, robot, "panda_hand_tcp")
    reached, attempts = np.asarray(expected.reached), np.asarray(expected.attempts)
    assert attempts.max() == 7
    assert not reached[-1]
    sg.export_library({"reach": solve}, tmp_path, prefix="arm")
    (tmp_path / "main.c").write_text(MAIN)
    done(compiler, "-std=c99", *WARNINGS, "-O1", "main.c", "arm.c", "-o", "main", "-lm", cwd=tmp_path)
    rows = [" ".join(map(repr, [*map(float, t.ravel()), *map(float, s)])) for t, s in zip(T, starts, strict=True)]
    rows.append(" ".join(map(repr, [*map(float, 1.01 * T[0].ravel()), *map(float, starts[0])])))
    (tmp_path / "in").write_text("\n".join(rows))
    lines = done("sh", "-c", "./main < in", cwd=tmp_path).splitlines()
    *numbers, odd = (np.array(line.split(), float) for line in lines)
    numbers = np.array(numbers)
    same = numbers[:, 8] == attempts
    assert same.sum() > 8  # rounding may send a long search elsewhere
    np.testing.assert_array_equal(numbers[same, 7], reached[same])
    met = same & reached
    np.testing.assert_allclose(numbers[met, :7], expected.q[met], rtol=0, atol=1e-7)
    back = sg.forward_kinematics(robot, "panda_hand_tcp")(numbers[numbers[:, 7] > 0.0, :7])
    np.testing.assert_allclose(back, T[numbers[:, 7] > 0.0], rtol=0, atol=2e-8)
    assert odd[7] == 0.0  # no rotation: nothing is reached


def several():
    """Return searches for robots of all kinds: floating, closed, of soft targets, of fixed ones; a mechanism."""
    arm, dog, loop, planar = (
        sg.load("puma560"),
        sg.load("a1", base="floating"),
        sg.load("five_bar"),
        sg.load_mechanism("slider_crank"),
    )
    foot, tool = dog.links[-1].name, arm.links[-1].name
    return {
        "arm": sg.inverse_kinematics(arm, [Point(tool), Posture(np.zeros(arm.nq))]),
        "floating": sg.inverse_kinematics(dog, [Pose(foot), Pose(dog.links[1].name)]),
        "closed": sg.inverse_kinematics(loop, Point(loop.links[-1].name, axes="xy")),
        "planar": sg.inverse_kinematics(planar, next(p.name for p in planar.points if not p.fixed)),
    }


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_searches_of_all_kinds_test_themselves_in_c(tmp_path, dtype):
    compiler = found("gcc", "clang", "cc")
    searches = {name: f.astype(dtype) for name, f in several().items()}
    sg.export_library(searches, tmp_path, prefix="many")
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "test/many_test.c", "many.c", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
    reached = (tmp_path / "test" / "many_examples.h").read_text().split("_counts[4][3] = {")[1:]
    assert len(reached) == len(searches)
    assert all(part.lstrip().startswith("{1.0") for part in reached)


def libraries(folder, *languages):
    robot = sg.load("rrr")
    made = asked_functions(robot, ["inverse_kinematics:tool", "kinematics:tool"])
    for language in languages:
        sg.export_library(made, folder / language, prefix="arm", language=language)
    return robot


def test_rust_and_webassembly(tmp_path):
    robot = libraries(tmp_path, "rust", "wasm")
    solve = sg.inverse_kinematics(robot, "tool")
    q = np.array([0.3, 0.4, 0.5])
    T, start = sg.forward_kinematics(robot, "tool")(q), q + 0.1
    (got,) = called(tmp_path / "wasm" / "arm.mjs", "arm_inverse_kinematics_tool", [[T, start]])
    expected = solve(T, start=start)
    np.testing.assert_allclose(got["q"], expected.q, rtol=0, atol=1e-12)
    assert got["counts"].tolist() == [1.0, expected.attempts, expected.steps]
    rust, options = found("rustc"), ("--edition", "2021", "-D", "warnings", "--crate-type", "rlib")
    done(rust, *options, "--crate-name", "arm", "src/lib.rs", cwd=tmp_path / "rust")
    linked = ("--edition", "2021", "--test", "--extern", "arm=libarm.rlib", "tests/examples.rs", "-o", "t")
    done(rust, *linked, cwd=tmp_path / "rust")
    assert "2 passed" in done("./t", cwd=tmp_path / "rust")


def test_kernels_for_gpus(tmp_path):
    robot = libraries(tmp_path, "ptx")
    solve = sg.inverse_kinematics(robot, "tool")
    q = np.array([[0.3, 0.4, 0.5], [-0.2, 0.9, -0.4]])
    T, start = sg.forward_kinematics(robot, "tool")(q), q + 0.1
    text = (tmp_path / "ptx" / "arm_inverse_kinematics_tool.ptx").read_text()
    found_q, _, counts = on_interpreter(text, [T, start], [np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((2, 3))])
    expected = [solve(pose, start=begin) for pose, begin in zip(T, start, strict=True)]
    np.testing.assert_allclose(found_q, [x.q for x in expected], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(counts, [[1.0, x.attempts, x.steps] for x in expected])


@pytest.mark.suite
def test_eigen_and_ros(tmp_path):
    libraries(tmp_path, "cpp", "ros2")
    include, compiler, plain = eigen(), found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    for folder, source, headers in (("cpp", "arm.c", ["-I."]), ("ros2", "src/arm.c", ["-Iinclude/arm"])):
        at = tmp_path / folder
        done(plain, "-std=c99", *WARNINGS, "-O0", *headers, "-c", source, "-o", "arm.o", cwd=at)
        flags = ("-std=c++17", *WARNINGS, "-isystem", include, *headers, "-Itest", "-O0")
        done(compiler, *flags, "test/arm_test.cpp", "arm.o", "-o", "t", "-lm", cwd=at)
        assert "0 numbers differ" in done("./t", cwd=at)


def test_what_cannot_be_is_refused(tmp_path):
    robot = sg.load("rrr")
    with pytest.raises(sg.InputError, match="cannot be one function with others"):
        asked_functions(robot, ["x=inverse_kinematics:tool+mass_matrix"])
    with pytest.raises(sg.InputError, match="cannot be written in this language"):
        sg.export_library(asked_functions(robot, ["inverse_kinematics:tool"]), tmp_path, prefix="arm", language="numpy")
    with pytest.raises(sg.InputError, match="float16"):
        sg.inverse_kinematics(robot, "tool").astype("float16")
    many = Point("tool", at=np.zeros((2, 3)))
    with pytest.raises(sg.InputError, match="has 2 values"):
        sg.export_library({"reach": sg.inverse_kinematics(robot, many)}, tmp_path, prefix="arm")
