"""Robots whose code takes long are announced."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import compile as compiling
from tests.model.robot.joint_instances import in_a_tree, instances


def test_code_that_takes_minutes_is_announced(monkeypatch):
    monkeypatch.setattr(compiling, "MANY", 2)
    robot = in_a_tree(instances()["revolute-default"])
    monkeypatch.setenv("SCREWGRAPH_CACHE", "off")
    with pytest.warns(
        RuntimeWarning, match=r"forward_dynamics of 12 numbers: its code takes half a minute or more to make"
    ):
        function = sg.forward_dynamics(robot)
    assert np.isfinite(function(robot.neutral(), np.zeros(robot.nv), np.zeros(robot.nv))).all()
