"""Native code: built once, answers as ours; the C++ peer only where it was built before, which takes minutes."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from benchmarks.peers.gtsam import Gtsam
from benchmarks.peers.ours_in_c import OursInC
from benchmarks.peers.pinocchio_cpp import PinocchioInCpp, model_text
from benchmarks.questions import QUESTIONS, asked

import screwgraph as sg
from benchmarks import native
from screwgraph.ui.bench import (
    Budget,
    Case,
    NotMeasuredError,
    evaluate_functions,
    make_depth_first_tree,
    random_states,
    relative_error,
)
from tests.ui.bench.test_peers import quadruped

TINY = Budget(seconds=0.001, rounds=2, states=16, batch=16)


def compiler() -> native.Compiler:
    try:
        return native.find_compiler()
    except NotMeasuredError as reason:
        pytest.skip(str(reason))


def never_build(line: str) -> None:
    pytest.skip(f"not built: {line}")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_c_code_and_machine_code_answer_alike(question, tmp_path, monkeypatch):
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    robot = sg.load("rrr")
    functions, states = question.functions(robot), random_states(robot, TINY.states)
    ours = OursInC(compiler(), lambda line: None)
    for measured in (ours.c_code(functions, states, TINY), ours.machine_code(functions, states, TINY)):
        assert relative_error(measured.answers, evaluate_functions(functions, states)) < 1e-12
        assert 0 < measured.nanoseconds < 1e6


def test_the_same_source_is_built_once(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    said: list[str] = []
    built = {native.build(compiler().c, ["-shared", "-fPIC"], [], "int one;", said.append) for _ in range(2)}
    built.add(native.build(compiler().c, ["-shared", "-fPIC", "-O1"], [], "int one;", said.append))
    assert (len(built), len(said)) == (2, 2)


def test_a_library_leaves_denormal_numbers_to_the_process(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    flags = [*native.FLAGS, *native.GENERATED, *native.SHARED]
    library = native.build(compiler().c, flags, [], "double twice(double x) { return 2.0 * x; }")
    ctypes.CDLL(str(library))
    assert np.nextafter(0.0, 1.0) * np.float64(2.0) > 0.0


def test_code_that_the_compiler_refuses_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    with pytest.raises(NotMeasuredError, match="refuses") as caught:
        native.build(compiler().c, ["-shared"], [], "nonsense")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_what_takes_too_long_is_not_tried_again_with_as_little_patience(tmp_path, monkeypatch):
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    said: list[str] = []
    for patience in (1e-3, 1e-3, 2e-3):
        with pytest.raises(native.LateError, match="was not done after"):
            native.build(compiler().c, ["-shared", "-fPIC"], [], "int one;", said.append, patience=patience)
    assert len(said) == 2


def test_c_of_ours_names_the_flags_that_make_it_fast():
    source = sg.inverse_dynamics(sg.load("rr")).c_source()
    assert all(flag in source for flag in native.OURS)


def test_a_compiler_that_is_not_there_is_a_line():
    with pytest.raises(NotMeasuredError, match="no C\\+\\+ compiler clang-3"):
        native.find_compiler("clang-3")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_pinocchio_in_cpp_answers_alike(question):
    pytest.importorskip("pinocchio")
    robot = quadruped()
    if not asked(robot, question):
        robot = sg.load("puma560")
    states = random_states(robot, TINY.states)
    try:
        found = PinocchioInCpp(compiler(), never_build).measure(Case(robot, question, states), TINY)
    except NotMeasuredError as reason:
        pytest.skip(str(reason))
    assert relative_error(found.answers, evaluate_functions(question.functions(robot), states)) < 1e-9


def test_the_robots_text_has_a_line_a_joint():
    robot = sg.load("a1", base="floating")
    first, *joints = model_text(robot, make_depth_first_tree(robot)).splitlines()
    assert first == "gravity 0.0 0.0 -9.81"
    assert len(joints) == len(robot.joints)
    assert joints[0].startswith("joint floating 0 ")
    assert {len(line.split()) for line in joints} == {3 + 3 + 9 + 3 + 1 + 1 + 3 + 9}


@pytest.mark.parametrize("name", ["inverse", "forward"])
@pytest.mark.extra
def test_gtsam_eliminates_the_same_equations(name):
    pytest.importorskip("gtsam")
    robot = sg.load("a1", base="floating")
    question = next(q for q in QUESTIONS if q.name == name)
    states = random_states(robot, 4)
    found = Gtsam().measure(Case(robot, question, states), TINY)
    assert relative_error(evaluate_functions(question.functions(robot), states), found.answers) < 1e-6
