"""Joints whose names have brackets, which elsewhere number the coordinates of one joint: as under plain names."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import OnlineSmoother, bayes_network

PLAIN = ("first", "second", "slide", "ball")
ODD = ("joint[1]", "joint[2]", "a[b]", "ball[0]")
ARM = """
name: odd
bodies:
  - {{link: l1, joint: "{0}", axis: y, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
  - {{link: l2, parent: l1, joint: "{1}", axis: y, at: [0, 0, -1], mass: 1, com: [0, 0, -0.5], inertia: [1, 1, 1]}}
  - {{link: l3, parent: l2, joint: "{2}", type: prismatic, axis: x, mass: 1, inertia: [0.1, 0.1, 0.1]}}
  - {{link: l4, parent: l3, joint: "{3}", type: spherical, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}
"""
START = [0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 1.0]


@cache
def swing(names):
    robot = sg.load(ARM.format(*names))
    return robot, sg.simulate(robot, START, time=0.1, dt=0.01)


def estimated(names):
    robot, run = swing(names)
    first, second, slide, ball = names
    table = {"t": run.t, f"joint_position:{first}": run.q[:, 0], f"joint_position:{second}": run.q[:, 1]}
    table |= {f"joint_velocity:{slide}": run.qd[:, 2], f"joint_velocity:{ball}[1]": run.qd[:, 4]}
    return sg.estimate(robot, table, q0=run.q[0], qd0=run.qd[0]).q[-1]


def smoothed(names):
    robot, run = swing(names)
    sensors = [
        {"sensor": "x", "joint_position": names[0], "sigma": 1e-3},
        {"sensor": "y", "joint_velocity": names[2], "sigma": 1e-3},
    ]
    smoother = OnlineSmoother(robot, sensors, 0.01, q0=run.q[0])
    for k in range(8):
        smoother.update({"x": run.q[k, 0], "y": run.qd[k, 2]})
    return smoother.q


def inferred(names):
    robot, run = swing(names)
    first, second, slide, ball = names
    known = {"q": run.q[3], "qd": 0.0, f"Q:{first}": 1.0, f"qdd:{second}": 0.5, f"Q:{slide}": 0.0, f"Q:{ball}": 0.0}
    network = bayes_network(1).given(robot, *known)
    compiled = network.compile("qdd")(run.q[3], np.zeros(6), [0.5], [1.0, 0.0, 0.0, 0.0, 0.0])
    return np.concatenate([network(known)["qdd"], compiled])


@pytest.mark.parametrize("ask", [estimated, smoothed, inferred])
def test_answers_are_those_under_plain_names(ask):
    np.testing.assert_allclose(ask(ODD), ask(PLAIN), atol=1e-9)


def test_parts_of_a_joint_are_named_by_its_whole_name():
    robot, _ = swing(ODD)
    with pytest.raises(sg.InputError, match=r"q:ball\[0\]\[0\] is no quantity of its own \(name all of q:ball\[0\]\)"):
        bayes_network(1).given(robot, "q:ball[0][0]")
    table = {"t": np.arange(5) * 0.01, "joint_position:ball[0]": np.zeros(5)}
    with pytest.raises(
        sg.InputError, match=r"joint 'ball\[0\]' has 3 coordinates \(measure one of them, ball\[0\]\[0\]"
    ):
        sg.estimate(robot, table)
    with pytest.raises(sg.InputError, match="compile: names: expected a text"):
        bayes_network(1).given(robot, "q", "qd", "Q").compile(["qdd"])  # pyright: ignore[reportArgumentType]
