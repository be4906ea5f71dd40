"""Many motions at once against one by one."""

import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import screwgraph as sg

RNG = np.random.default_rng(4)
Q0, QD0 = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))


def swinging(t, q, qd):
    return np.sin(t) - 2.0 * q - 0.1 * qd


def one_by_one(tau, steps=40):
    found = []
    for i in range(5):
        simulator = sg.Simulator(sg.load("rrr"), 1e-3, Q0[i], QD0[i])
        states = [simulator.q]
        for k in range(steps):
            simulator.step(tau(i, k, simulator))
            states.append(simulator.q)
        found.append(states)
    return np.array(found)


def test_they_are_motions_one_by_one_under_every_kind_of_torques():
    each, varying = RNG.normal(size=(5, 3)), RNG.normal(size=(40, 5, 3))
    ways = {
        "constant": ([1.0, 2.0, 3.0], lambda i, k, s: np.array([1.0, 2.0, 3.0])),
        "each": (each, lambda i, k, s: each[i]),
        "each, for all steps": (each[None], lambda i, k, s: each[i]),
        "varying": (varying, lambda i, k, s: varying[k, i]),
        "controller": (swinging, lambda i, k, s: swinging(s.t, s.q, s.qd)),
    }
    for name, (tau, alone) in ways.items():
        found = sg.rollout(sg.load("rrr"), Q0, QD0, tau, time=0.04)
        assert found.q.shape == (5, 41, 3)
        assert found.tau.shape == (5, 40, 3)
        np.testing.assert_allclose(found.q, one_by_one(alone), atol=1e-11, err_msg=name)


def test_threads_blocks_and_processes_change_nothing(monkeypatch):
    from screwgraph.motion.simulation import rollouts

    robot, options = sg.load("rrr"), {"tau": swinging, "time": 0.02}
    expected = sg.rollout(robot, Q0, QD0, **options)
    monkeypatch.setattr(rollouts, "BLOCK", 2)
    np.testing.assert_array_equal(sg.rollout(robot, Q0, QD0, threads=2, **options).q, expected.q)
    with ProcessPoolExecutor(1) as pool:
        found = sg.rollout(robot, Q0, QD0, executor=pool, parts=2, **options)
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.tau, expected.tau)


def test_states_may_be_kept_now_and_then():
    every = sg.rollout(sg.load("rrr"), Q0, QD0, swinging, time=0.12)
    some = sg.rollout(sg.load("rrr"), Q0, QD0, swinging, time=0.12, every=40)
    np.testing.assert_array_equal(some.q, every.q[:, ::40])
    np.testing.assert_array_equal(some.tau, every.tau[:, ::40])
    np.testing.assert_allclose(some.t, [0.0, 0.04, 0.08, 0.12])
    with pytest.raises(sg.InputError, match="does not divide 120 steps"):
        sg.rollout(sg.load("rrr"), Q0, QD0, time=0.12, every=7)


def test_single_precision_has_seven_digits():
    found, right = (sg.rollout(sg.load("rrr"), Q0, QD0, swinging, time=0.1, dtype=d) for d in ("float32", "float64"))
    assert found.q.dtype == found.tau.dtype == np.float32
    np.testing.assert_allclose(found.q, right.q, atol=1e-5)
    with pytest.raises(sg.InputError, match="type of numbers"):
        sg.rollout(sg.load("rrr"), dtype="int8")


def test_a_motion_has_its_energy_balance():
    found = sg.rollout(sg.load("rrr"), Q0, QD0, time=0.1, dt=1e-4, method="rk4")
    assert len(found) == 5
    assert found[3].energy_drift < 1e-9
    np.testing.assert_array_equal(found[3].q, found.q[3])


def test_a_controller_sees_all_states_in_order_and_cannot_alter_them():
    times = []

    def writing(t, q, qd):
        assert q.shape == qd.shape == (5, 3)
        times.append(t)
        with pytest.raises(ValueError, match="read-only"):
            q[0] = 1.0
        return np.zeros(3)

    sg.rollout(sg.load("rrr"), Q0, QD0, writing, time=0.01)
    np.testing.assert_allclose(times, 1e-3 * np.arange(10))


def test_one_start_serves_many_torques():
    tau = RNG.normal(size=(4, 3))
    found = sg.rollout(sg.load("rrr"), Q0[0], tau=tau, time=0.01)
    assert found.q.shape == (4, 11, 3)
    expected = sg.forward_dynamics(sg.load("rrr"))(np.tile(Q0[0], (4, 1)), np.zeros((4, 3)), tau)
    np.testing.assert_allclose(found.qd[:, 1], 1e-3 * expected, rtol=1e-9)


def test_what_diverges_is_said_and_the_others_go_on():
    tau = np.zeros((3, 3))
    tau[1] = 1e150
    with pytest.warns(
        RuntimeWarning, match=r"1 of 3 motions .*motion 1: .*diverged at step 0.* in joint 'joint\d', method"
    ):
        found = sg.rollout(sg.load("rrr"), np.zeros(3), tau=tau, time=0.01)
    np.testing.assert_array_equal(found.diverged, [-1, 0, -1])
    assert np.isfinite(found.q[[0, 2]]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.rollout(sg.load("rrr"), np.zeros(3), time=0.01)


def test_closed_chains_and_mechanisms_roll_out():
    robot = sg.load("four_bar_linkage")
    found = sg.rollout(robot, np.tile(robot.close_loops(robot.neutral()), (3, 1)), time=0.02)
    np.testing.assert_allclose(found.q[0], found.q[2])
    mechanism = sg.rollout(sg.load_mechanism("four_bar"), tau=np.zeros((2, 0)), time=0.02)
    assert mechanism.q.shape[:2] == (2, 21)


@pytest.mark.parametrize(
    ("tau", "message"),
    [
        (np.zeros((7, 3)), "tau is for 7 motions"),
        (np.zeros(2), "tau has the shape"),
        ([np.nan] * 3, "not finite"),
        (lambda t, q, qd: np.zeros(2), "function returns"),
        (lambda t, q, qd: "much", "function returns"),
        (lambda t, q, qd: [np.inf] * 3, "what the function returns at t = 0 s is not finite"),
    ],
)
def test_bad_torques_are_refused(tau, message):
    with pytest.raises(sg.InputError, match=message):
        sg.rollout(sg.load("rrr"), Q0, QD0, tau, time=0.01)


def test_more_than_memory_holds_is_refused():
    with pytest.raises(sg.InputError, match="GB"):
        sg.rollout(sg.load("rrr"), np.zeros((100_000, 3)), time=10.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads = 0"),
        ({"every": 0.5}, "every: expected an integer, got float 0.5"),
        ({"executor": "four"}, "executor: expected an Executor"),
        ({"time": 0.0123}, "not a multiple"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(sg.InputError, match=message):
        sg.rollout(sg.load("rrr"), Q0, QD0, **{"time": 0.01, **options})
