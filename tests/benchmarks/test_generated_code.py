"""Code that CppADCodeGen and CasADi generate answers as ours; their programs are used only where they were built."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.peers import casadi_sx, pinocchio_cpp
from benchmarks.peers.answers import ANSWERS
from benchmarks.peers.casadi_sx import CasadiSx, CasadiSxInBlocks
from benchmarks.peers.cppadcg import CppADCodeGen
from benchmarks.peers.generated_code import Maker
from benchmarks.questions import QUESTIONS, asked

import screwgraph as sg
from benchmarks import native
from screwgraph.ui.bench import Budget, Case, NotMeasuredError, evaluate_functions, random_states, relative_error
from tests.ui.bench.test_peers import quadruped

TINY = Budget(seconds=0.001, rounds=2, states=16, batch=16)
NAMED = {question.name: question for question in QUESTIONS}


def maker() -> Maker:
    try:
        return Maker(native.find_compiler(), lambda line: None, 60.0)
    except NotMeasuredError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def no_generators(monkeypatch):
    """Programs that include Pinocchio take minutes: they are used where they were built before."""
    real = pinocchio_cpp.build

    def build(*arguments, say, **options):
        return real(*arguments, say=lambda line: pytest.skip(f"not built: {line}"), **options)

    monkeypatch.setattr(pinocchio_cpp, "build", build)


@pytest.mark.suite
@pytest.mark.parametrize("peer", [CppADCodeGen, CasadiSx, CasadiSxInBlocks])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_generated_code_answers_alike(question, peer, no_generators):
    pytest.importorskip("pinocchio")
    robot = quadruped() if asked(quadruped(), question) else sg.load("puma560")
    states = random_states(robot, TINY.states)
    try:
        found = peer(maker()).measure(Case(robot, question, states), TINY)
    except NotMeasuredError as reason:
        pytest.skip(str(reason))
    assert relative_error(found.answers, evaluate_functions(question.functions(robot), states)) < 1e-9
    assert found.nanoseconds > 0.0


@pytest.fixture
def loaded(monkeypatch, tmp_path):
    """A function of CasADi's in the place of Pinocchio's: torques of two pendulums without gravity, and a zero."""
    casadi = pytest.importorskip("casadi")
    q, v, x = (casadi.SX.sym(name, 2) for name in ("q", "v", "x"))
    torque = casadi.vertcat(
        casadi.sin(q[0]) * x[0] - 2.5 * casadi.sqrt(1 + v[0] ** 2) / casadi.cos(q[1]), casadi.SX(1, 1)
    )
    f = casadi.Function("f", [q, v, x], [torque])
    monkeypatch.setattr(casadi_sx, "_function", lambda maker, case: (f, "f"))
    monkeypatch.setattr(native, "BUILDS", tmp_path)
    return f


@pytest.mark.parametrize("peer", [CasadiSx, CasadiSxInBlocks])
def test_c_of_casadi_expressions_computes_them(peer, loaded):
    robot = sg.load("rr")
    states = random_states(robot, TINY.states)
    found = peer(maker()).measure(Case(robot, NAMED["inverse"], states), TINY)
    x = zip(states.q, states.qd, states.given, strict=True)
    expected = np.array([np.array(loaded(*state))[:, 0] for state in x])
    np.testing.assert_allclose(found.answers, expected, rtol=1e-12)
    assert not found.answers[:, 1].any()


def test_every_question_has_a_layout():
    assert ANSWERS.keys() == NAMED.keys()


def test_a_generator_that_is_not_installed_is_a_line(monkeypatch):
    def refuse(*_):
        raise NotMeasuredError("nowhere")

    monkeypatch.setattr("benchmarks.peers.cppadcg.include_folder", refuse)
    with pytest.raises(NotMeasuredError, match="pip install cmeel-cppadcodegen"):
        CppADCodeGen(maker()).version()
