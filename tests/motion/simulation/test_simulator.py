"""A simulation that is stepped from outside: the same motion as from inside, whoever holds the loop."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.model.robot import closed_states, constraint_residual
from tests.motion.simulation.robots import free_body, pendulum

FOUR_BAR = sg.load("four_bar_linkage")


def closed_start(robot):
    (q,) = closed_states(robot, 1, seed=2)
    return q, robot.complete_velocity(q, np.full(robot.mobility.freedom, 0.3))


@pytest.mark.parametrize("method", ["semi_implicit", "rk4", "euler"])
def test_steps_are_those_of_a_simulation(method):
    robot, tau = sg.load("rrr"), np.array([0.3, -0.2, 0.1])
    q0, qd0 = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5])
    simulator = sg.Simulator(robot, 1e-3, q0, qd0, method=method)
    simulator.step(tau, steps=50)
    run = sg.simulate(robot, q0, qd0, time=0.05, dt=1e-3, method=method, tau=tau)
    np.testing.assert_allclose(simulator.q, run.q[-1], atol=1e-13)
    np.testing.assert_allclose(simulator.qd, run.qd[-1], atol=1e-12)
    assert simulator.t == pytest.approx(0.05)


def test_a_floating_body_keeps_its_angular_momentum():
    robot, start = free_body(), [3.0, 1.0, -2.0, 0.0, 0.0, 0.0]
    simulator = sg.Simulator(robot, 1e-3, qd0=start, method="rk4")
    simulator.step(steps=1000)
    run = sg.simulate(robot, qd0=start, time=1.0, dt=1e-3, method="dop853", rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(simulator.q, run.q[-1], atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(simulator.q[3:]), 1.0, atol=1e-14)
    R, inertia = Rotation.from_quat(simulator.q[3:]).as_matrix(), np.array([0.3, 0.5, 0.7])
    np.testing.assert_allclose(R @ (inertia * simulator.qd[:3]), inertia * start[:3], atol=1e-8)


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_loops_stay_closed(method):
    q0, qd0 = closed_start(FOUR_BAR)
    simulator = sg.Simulator(FOUR_BAR, 1e-3, q0, qd0, method=method)
    simulator.step(steps=500)
    run = sg.simulate(FOUR_BAR, q0, qd0, time=0.5, dt=1e-3, method=method)
    assert np.abs(constraint_residual(FOUR_BAR, simulator.q)).max() < 1e-10
    np.testing.assert_allclose(simulator.q, run.q[-1], atol=1e-7)


def test_mechanisms_take_torques_of_their_motors():
    mechanism = sg.load_mechanism("slider_crank")
    simulator = sg.Simulator(mechanism, 1e-3)
    simulator.step([0.5], steps=100)
    run = sg.simulate(mechanism, time=0.1, dt=1e-3, method="semi_implicit", tau=[0.5])
    np.testing.assert_allclose(simulator.q, run.q[-1], atol=1e-9)


def test_mechanisms_may_have_no_motor():
    simulator = sg.Simulator(sg.load_mechanism("four_bar"), 1e-3)
    simulator.step(steps=10)
    assert simulator.t == pytest.approx(0.01)


def test_torques_are_held_and_a_controller_may_remember():
    """A discrete integrator with a period of 5 steps: its sums in closed form."""
    robot = pendulum()
    inertia = 1.5 * 0.8**2
    simulator, total, seen = sg.Simulator(robot, 1e-3, [0.0], [0.0]), 0.0, []
    balance = sg.inverse_dynamics(robot)
    for _ in range(20):
        total += 0.1
        weight = balance(simulator.q, simulator.qd, np.zeros(1))
        before = float(simulator.qd[0])
        simulator.step(weight + total, steps=1)
        seen.append((float(simulator.qd[0]) - before) / 1e-3 * inertia)
        simulator.step(weight + total, steps=4)
    np.testing.assert_allclose(seen, 0.1 * np.arange(1, 21), rtol=1e-9)
    assert simulator.t == pytest.approx(0.1)


def test_a_batch_is_its_states_one_by_one():
    robot, rng = sg.load("rrr"), np.random.default_rng(0)
    q, qd, tau = (rng.normal(size=(7, 3)) for _ in range(3))
    batch, threaded = sg.Simulator(robot, 1e-3, q, qd), sg.Simulator(robot, 1e-3, q, qd, threads=2)
    for _ in range(20):
        batch.step(tau)
        threaded.step(tau)
    np.testing.assert_array_equal(batch.q, threaded.q)
    for i in range(7):
        single = sg.Simulator(robot, 1e-3, q[i], qd[i])
        single.step(tau[i], steps=20)
        np.testing.assert_allclose(batch.q[i], single.q, atol=1e-12)
        np.testing.assert_allclose(batch.qd[i], single.qd, atol=1e-11)


def test_a_reset_begins_anew_with_one_state_or_many():
    simulator = sg.Simulator(sg.load("rrr"))
    simulator.step(np.ones(3), steps=10)
    once = simulator.q
    simulator.reset()
    assert simulator.t == 0.0
    assert not simulator.q.any()
    simulator.step(np.ones(3), steps=10)
    np.testing.assert_array_equal(simulator.q, once)
    simulator.reset(np.zeros((4, 3)), np.ones(3))
    assert simulator.q.shape == simulator.qd.shape == (4, 3)
    simulator.step()


def test_states_that_were_read_do_not_change():
    simulator = sg.Simulator(sg.load("rrr"))
    before = simulator.q
    simulator.step(np.ones(3))
    assert not before.any()
    with pytest.raises(ValueError, match="read-only"):
        simulator.q[0] = 1.0
    simulator.step(np.ones(3))


def test_threads_may_step_simulators_of_their_own():
    def end(start):
        simulator = sg.Simulator(sg.load("rrr"), 1e-3, np.full(3, start))
        simulator.step(steps=200)
        return simulator.q

    alone = [end(start) for start in (0.1, 0.2)]
    with ThreadPoolExecutor(2) as pool:
        for found, expected in zip(pool.map(end, (0.1, 0.2)), alone, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_what_diverges_names_step_joint_and_method():
    simulator = sg.Simulator(sg.load("rrr"), 1e-3)
    simulator.step(steps=3)
    with pytest.raises(
        sg.InputError, match=r"diverged at step 3, t = 0\.003 s in joint 'joint\d', method 'semi_implicit'"
    ):
        simulator.step(np.full(3, 1e150), steps=10)
    batch = sg.Simulator(sg.load("rrr"), 1e-3, np.zeros((3, 3)))
    with pytest.raises(sg.InputError, match=r"of state 1 diverged at step 0"):
        batch.step(np.array([[0.0] * 3, [1e150] * 3, [0.0] * 3]))


def test_an_unstable_controller_is_not_blamed_for_numbers_that_diverged():
    simulator = sg.Simulator(pendulum(), 1e-3, [0.1])

    def controlled():
        for _ in range(2000):
            simulator.step(1e6 * simulator.q + 1e5 * simulator.qd)

    with pytest.raises(sg.InputError, match=r"the simulation diverged at step \d+"):
        controlled()


def test_torques_that_are_no_numbers_are_said_to_be():
    simulator = sg.Simulator(sg.load("rrr"))
    with pytest.raises(sg.InputError, match=r"tau at step 0, t = 0 s, is not finite in joint 'joint2'"):
        simulator.step([0.0, np.nan, 0.0])


def test_explicit_steps_that_damping_is_too_fast_for_say_so():
    robot = pendulum(damping=1e4)
    with pytest.raises(sg.InputError, match=r"diverged at step .*method 'rk4'.*damping.*semi_implicit"):
        sg.Simulator(robot, 1e-3, [0.1], method="rk4").step(steps=200)
    sg.Simulator(robot, 1e-3, [0.1]).step(steps=200)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dt": 0.0}, "dt = 0.0 is not a positive"),
        ({"method": "radau"}, "method of a step"),
        ({"threads": 0}, "threads = 0"),
        ({"q0": [1.0]}, "q0"),
        ({"q0": np.zeros((2, 3)), "qd0": np.zeros((3, 3))}, "begin 2 and 3 motions"),
        ({"q0": [[0.0] * 3, [np.nan] * 3]}, "state 1: q0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(sg.InputError, match=message):
        sg.Simulator(sg.load("rrr"), **arguments)


@pytest.mark.parametrize("tau", [[1.0], "much", [[1.0, 2.0], [3.0]], np.zeros((2, 3))])
def test_torques_of_another_shape_are_refused(tau):
    with pytest.raises(sg.InputError, match=r"tau: expected numbers of the shape \(3,\)"):
        sg.Simulator(sg.load("rrr")).step(tau)


def test_torques_of_a_mechanism_without_motors_are_refused():
    rod = sg.load_mechanism(
        "points: [{name: P, x: 0, y: 0}, {name: Q, x: 1, y: 0}]\n"
        "bodies: [{name: rod, points: [P, Q], length: 1, mass: 2, cog: [0.5, 0], I0: 0.667}]\n"
    )
    simulator = sg.Simulator(rod)
    for tau, match in [([1.0, 2.0], "no motors"), (0.0, "no motors"), ("much", "not numbers")]:
        with pytest.raises(sg.InputError, match=match):
            simulator.step(tau)
    simulator.step([])
    sg.Simulator(rod, q0=np.stack([simulator.q, simulator.q])).step(np.zeros((2, 0)))


def test_only_models_are_simulated():
    with pytest.raises(sg.InputError, match="expected a robot or a mechanism"):
        sg.Simulator("rrr")


def test_a_simulator_is_one_line():
    assert repr(sg.Simulator(sg.load("rrr"))) == "<simulator of 'rrr' by semi_implicit: dt = 0.001 s, t = 0 s>"
