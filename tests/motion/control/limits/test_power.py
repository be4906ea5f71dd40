"""The power that motors give stays below that of a battery."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import ControlLimits, ControlLoop, PostureTask, PowerLimit, controller
from tests.motion.control.robots import arm

MOST = 12.0


@pytest.mark.parametrize("others", [(), (PowerLimit(MOST),)])
def test_an_arm_lifts_itself_with_the_power_that_there_is(others):
    """Energy of the motion grows by what motors give; with a small battery, the arm comes to its goal later."""
    robot, goal = arm(), np.array([1.0, -0.5, 0.8])
    limits = ControlLimits(dt=2e-3, others=others)
    loop = ControlLoop(
        robot, [PostureTask(stiffness=100.0)], limits=limits, q0=np.zeros(3), references={"posture": goal}
    )
    motion = sg.simulate(robot, np.zeros(3), time=2.0, dt=2e-3, controller=loop)
    tau = np.array([loop(t, q, v) for t, q, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    power = np.sum(tau * motion.qd, axis=1)
    if others:
        assert power.max() <= MOST * (1.0 + 1e-6)
        assert loop.report(motion).active["power"] > 0.01
        assert (motion.energy[50:] - motion.energy[:-50]).max() <= 1.05 * MOST * 0.1  # efforts are held for a tick
    else:
        assert power.max() > 2.0 * MOST
    np.testing.assert_allclose(motion.q[-1], goal, atol=0.01)


def test_a_power_that_is_none():
    for most in (0.0, -1.0, np.inf):
        with pytest.raises(InputError, match="the largest power"):
            PowerLimit(most)


def test_a_limit_names_all_of_its_rows():
    """Rows of the ones behind it would be taken for its own."""

    class Unnamed(PowerLimit):
        def name_rows(self, own, limits):
            return []

    with pytest.raises(InputError, match="Unnamed has 1 rows, and names 0"):
        controller(arm(), [PostureTask()], limits=ControlLimits(others=[Unnamed(MOST)]))
