"""Types that type checkers see of public functions: pyright checks this file, pytest runs it."""

from __future__ import annotations

from inspect import signature
from typing import assert_type, get_args

import numpy as np

import screwgraph as sg
from screwgraph.model.load import BuiltInMechanism


def test_models():
    assert_type(sg.load("rr"), sg.Robot)
    assert_type(sg.load("panda", base="floating"), sg.Robot)
    assert_type(sg.load("four_bar"), sg.Mechanism)
    assert_type(sg.load("four_bar", values={}), sg.Mechanism)
    assert_type(sg.load_mechanism("four_bar"), sg.Mechanism)


def test_functions_and_results():
    robot = sg.load("rr")
    assert_type(sg.forward_dynamics(robot), sg.Function)
    assert_type(sg.dynamics_graph(robot), sg.FactorGraph)
    assert_type(sg.simulate(robot, time=0.01, dt=0.01), sg.Trajectory)
    assert_type(sg.inverse_dynamics(robot).jacobian("q"), sg.Function)


def test_packages_are_attributes():
    assert sg.planning.Task is sg.Task
    assert sg.robot.Robot is sg.Robot
    assert sg.simulation.Trajectory is sg.Trajectory
    assert callable(sg.draw.save)
    assert callable(sg.interop.omega_first)


def test_names_of_mechanisms_are_those_that_type_checkers_know():
    assert set(get_args(BuiltInMechanism)) == set(sg.mechanism_names())


def test_plan_is_a_function_with_a_signature():
    assert signature(sg.plan).parameters["task"].annotation == "Task | str | os.PathLike[str]"
    assert sg.plan.__doc__ is not None
    assert np.isfinite(sg.plan("cp2", iterations=0).cost)
