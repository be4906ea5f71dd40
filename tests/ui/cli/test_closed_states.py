"""`screwgraph solve` on closed chains: its states keep the loops closed, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"q": {"joint3": 0.4}}', "at q, 'joint5' has a loop-closure error of 0.264 (translation x)"),
        ('{"qd": {"joint3": 0.4}}', "qd would open 'joint5' at 0.288 per second (translation x)"),
        ('{"q": [[0, 0, 0, 0], [0, 0, 0, 1]]}', "at q, 'joint5' has a loop-closure error of"),
    ],
)
def test_a_state_that_opens_a_loop_is_refused_with_its_residual(refused, state_file, text, complaint):
    path = state_file(text)
    line = refused(1, "solve", "five_bar", "--problem", "forward", "--state", path).err
    assert line.startswith(f"{path}: {complaint}")


def test_random_states_keep_loops_closed(command):
    robot = sg.load("five_bar")
    answer = command("solve", "five_bar", "--problem", "inverse", "--random", 3, "--json").json
    for q, qd in zip(answer["q"], answer["qd"], strict=True):
        np.testing.assert_allclose(robot.close_loops(q), q, atol=1e-11)
        driven = [qd[i] for i in (0, 1)]
        np.testing.assert_allclose(robot.complete_velocity(q, driven), qd, atol=1e-9)
