"""Torques along trajectories from the factor graph, against reference values; bad trajectories."""

import numpy as np
import pytest

import screwgraph as sg
from tests.reference import reference

T = np.linspace(0.0, 3.0, 601)
THETA = 1.2 * (1 - np.cos(2 * T))


@pytest.fixture(scope="module")
def bar():
    return sg.load_mechanism("four_bar_angle")


def test_torques_of_the_four_bar_are_the_reference(bar):
    rows = reference("four_bar_inverse_dynamics")["rows"]
    answer = sg.inverse_trajectory(bar, {"t": T, "theta": THETA})
    scale = max(abs(torque) for _, torque in rows)
    for t, torque in rows:
        assert answer.tau[round(t / 0.005), 0] == pytest.approx(torque, abs=1e-6 * scale)
    assert answer.errors["theta"] < 1e-8
    assert answer.run.violation.max() < 1e-8
    assert len(answer.stages) == 4


def test_the_torques_drive_the_mechanism_along_the_trajectory(bar):
    answer = sg.inverse_trajectory(bar, {"t": T, "theta": THETA})
    run = sg.simulate(
        bar,
        answer.run.q[0],
        answer.run.qd[0],
        time=1.0,
        dt=0.005,
        tau=lambda t, q, qd: [np.interp(t, T, answer.tau[:, 0])],
    )
    np.testing.assert_allclose(run.coordinate("theta"), THETA[:201], atol=2e-3)


@pytest.mark.parametrize("digits", [5, 8])
def test_a_rounded_trajectory_has_the_torques_of_the_exact_one_up_to_its_ends(bar, digits):
    t = np.arange(400) * 0.005
    theta = 1.2 * (1 - np.cos(2 * t))
    exact = sg.inverse_trajectory(bar, {"t": t, "theta": theta}, noise=0.0)
    rounded = sg.inverse_trajectory(bar, {"t": t, "theta": np.round(theta, digits)})
    off = np.abs(rounded.tau - exact.tau)[:, 0] / np.abs(exact.tau).max()
    # Rounding by 1e-8 leaves second differences over 5 ms 1e-3 rad/s^2 off, of 4.8; by 1e-5 1 rad/s^2.
    assert off.max() < {5: 1e-2, 8: 1e-4}[digits]
    assert 0.1 < rounded.noise["theta"] / 10.0**-digits < 0.6
    assert exact.noise == {"theta": 0.0}
    followed = sg.inverse_trajectory(bar, {"t": t, "theta": np.round(theta, digits)}, noise={"theta": 0.0})
    assert np.abs(followed.tau - exact.tau).max() > 10.0 * np.abs(rounded.tau - exact.tau).max()


@pytest.mark.parametrize(
    ("noise", "line"),
    [
        ({"phi": 1.0}, "noise names 'phi'"),
        (-1.0, "noise of theta: expected a standard deviation, got float -1.0"),
        (np.nan, "noise: expected a number or a mapping"),
        ({"theta": np.inf}, "noise of theta: expected a standard deviation"),
    ],
)
def test_a_noise_that_is_none_is_refused(bar, noise, line):
    with pytest.raises(sg.InputError, match=line):
        sg.inverse_trajectory(bar, {"t": T, "theta": THETA}, noise=noise)


def _changed(name, change):
    wanted = {"t": T[:20].copy(), "theta": THETA[:20].copy()}
    change(wanted)
    return wanted


BAD = {
    "no times": (lambda w: w.pop("t"), "the trajectory has no times"),
    "unknown coordinate": (lambda w: w.update(phi=w.pop("theta")), "no coordinate is called 'phi'"),
    "too few": (lambda w: w.pop("theta"), "the trajectory gives 0 coordinates"),
    "nan": (lambda w: w["theta"].__setitem__(7, np.nan), "theta of the trajectory is not finite at sample 7"),
    "unsorted": (lambda w: w["t"].__setitem__(3, 9.0), "the times of the trajectory do not grow after sample 3"),
    "gap": (
        lambda w: w["t"].__setitem__(slice(5, None), w["t"][5:] + 0.1),
        "not evenly spaced: 0.105 s after t = 0.02",
    ),
    "lengths": (lambda w: w.update(theta=w["theta"][:9]), r"theta of the trajectory has the shape \(9,\)"),
    "short": (lambda w: w.update(t=w["t"][:5], theta=w["theta"][:5]), "the trajectory has 5 samples"),
    "words": (lambda w: w.update(theta=["a"] * 20), "theta of the trajectory does not hold real numbers"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_trajectory_is_one_clear_line(case, bar):
    change, message = BAD[case]
    with pytest.raises(sg.InputError, match=message):
        sg.inverse_trajectory(bar, _changed(case, change))


def test_a_trajectory_out_of_reach_names_what_comes_apart():
    robot = sg.load_mechanism("parallel_robot")
    wanted = {"t": T[:20], "x:6": np.linspace(-0.5, 9.0, 20), "y:6": np.full(20, -5.0)}
    with pytest.raises(sg.ModelError, match=r"cannot be assembled: .* remains violated by"):
        sg.inverse_trajectory(robot, wanted)


def test_a_mechanism_without_motors_is_refused():
    with pytest.raises(sg.InputError, match="has no motors"):
        sg.inverse_trajectory(sg.load_mechanism("four_bar"), {"t": T, "y:P2": T})


@pytest.mark.suite
def test_long_trajectories_are_followed_through_all_their_turns():
    t = np.arange(3000) * 0.02
    theta = 1.2 * (1.0 - np.cos(9.0 * t))  # 86 periods
    found = sg.inverse_trajectory(sg.load_mechanism("four_bar_angle"), {"t": t, "theta": theta})
    assert found.errors["theta"] < 1e-5
