"""Tables of measurements given to a smoother row by row."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import OnlineSmoother, replay_measurements
from tests.motion.estimation.test_contacts import T
from tests.motion.estimation.test_missing_measurements import slider


def test_a_table_is_what_updates_read():
    x = 0.3 + 0.7 * T + 1e-3 * np.random.default_rng(0).standard_normal(len(T))
    found = replay_measurements(slider(), {"t": T, "joint_position:x": x, "tau:x": 0.0 * T}, 0.06)
    smoother = OnlineSmoother(slider(), [{"sensor": "x", "joint_position": "x", "sigma": 1e-3}], 0.02, window=4)
    for k, value in enumerate(x):
        smoother.update({"x": value})
        if k >= 3:
            assert found.run.q[k] == pytest.approx(smoother.q, abs=1e-9)
    assert len(found.run.t) == len(T)
    assert np.abs(found.run.q[:4, 0] - 0.3 - 0.7 * T[:4]).max() < 5e-3
    assert "25 updates" in repr(found)


def test_it_can_be_stopped():
    table = {"t": T, "joint_position:x": 0.3 + 0.7 * T}
    assert len(replay_measurements(slider(), table, 0.06, watch=lambda t: t > 0.199).run.t) == 11


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"t:joint_position:x": T}, "times of its own"),
        ({"t": T**2}, "not evenly spaced"),
        ({"joint_position:y": T}, "joint_position:y|'y'"),
        ({"joint_velocity:x": np.full(len(T), np.nan)}, "joint_velocity:x of the measurements is empty"),
    ],
)
def test_what_does_not_come_at_a_fixed_rate_is_refused(change, match):
    with pytest.raises(sg.InputError, match=match):
        replay_measurements(slider(), {"t": T, "joint_position:x": T, **change}, 0.06)


def test_a_lag_shorter_than_a_step_is_refused():
    with pytest.raises(sg.InputError, match="lag = "):
        replay_measurements(slider(), {"t": T, "joint_position:x": T}, 0.001)
