"""Names from files are text, whatever matplotlib would make of them."""

import io
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

import screwgraph as sg
from screwgraph.model.robot import tree
from screwgraph.ui.draw.matrix import draw_matrix
from screwgraph.ui.draw.time_plots import Panel, draw_histories


@pytest.mark.parametrize("name", [r"$\frac{$", "$x$", "a$b", r"\alpha$^$"])
@pytest.mark.sampled(3)
def test_a_joint_may_have_any_name(name):
    robot = sg.load("rr")
    first = replace(robot.joints[0], name=name)
    named = tree("named", robot.links, [first, *robot.joints[1:]])
    graph = sg.dynamics_graph(named).given("q", "qd", "tau")
    figures = [draw_matrix(graph), draw_histories(np.arange(3.0), [Panel(f"{name} (rad)", {name: np.arange(3.0)})])]
    for figure in figures:
        figure.savefig(io.BytesIO(), format="svg")
    written = [text.get_text().replace(r"\$", "$") for text in figures[1].findobj(Text)]
    assert f"{name} (rad)" in written
