"""Feedback that is too stiff for its steps is said, with the step that discrete-time stability allows; other is not."""

import warnings

import numpy as np
import pytest

import screwgraph as sg

WHEEL = """
bodies:
  - {link: wheel, joint: x, axis: z, mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}
"""
INERTIA, DT = 0.1, 1e-3


def run(simulator, gain, count=24, **held):
    """Steps under torques against the velocities."""
    for _ in range(count):
        simulator.step(-gain * simulator.qd, **held)


def wheel(text=WHEEL, **options):
    return sg.Simulator(sg.load(text), DT, qd0=[0.012], **options)


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("steps", [1, 4])
def test_velocity_feedback_is_stable_up_to_twice_the_inertia_over_the_time_that_it_is_held(steps, method):
    hold = steps * DT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(wheel(method=method), 1.9 * INERTIA / hold, steps=steps)
    with pytest.warns(RuntimeWarning, match=f"steps of {steps} ms .* joint 'x'") as seen:
        run(wheel(method=method), 2.5 * INERTIA / hold, steps=steps)
    assert len(seen) == 1
    assert f"gain {2.5 * INERTIA / hold:.3g} / inertia 0.1 (SI units) allows {0.8 * steps:.2g} ms" in str(
        seen[0].message
    )


def test_limited_torques_that_alternate_are_said_though_nothing_grows():
    limited = WHEEL.replace("axis: z", "axis: z, limits: {effort: 0.5}")
    with pytest.warns(RuntimeWarning, match=r"inertia 0.1 .* allows 0.67 ms"):
        run(wheel(limited, effort_limits=True), 3.0 * INERTIA / DT, 400)


def test_one_state_of_a_batch_and_the_lightest_joint_are_named():
    robot = sg.load("panda")
    q, gains = np.tile([0, 0, 0, -1.5, 0, 1.5, 0, 0, 0], (3, 1)), np.array([[0.5], [24.0], [0.5]])
    only = np.eye(robot.nv)[6]
    simulator = sg.Simulator(robot, DT, q[:, : robot.nq], np.full((3, robot.nv), 1e-3))
    with pytest.warns(RuntimeWarning, match="joint 'panda_joint7', whose velocity alternates: gain 24 /"):
        run(simulator, gains * only, 6)


def test_a_controller_that_is_reset_is_looked_at_again():
    simulator = wheel()
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match=r"allows 0\.67 ms"):
            run(simulator, 3.0 * INERTIA / DT, 8)
        simulator.reset(qd=[0.01])


SPATIAL = """
points:
  - {name: A, x: 0, y: 0, z: 0, fixed: true}
  - {name: B, x: 0.4, y: 0, z: 0}
vectors: [{name: u, x: 0, y: 0, z: 1, fixed: true}]
bodies: [{name: crank, points: [A, B], vectors: [u], mass: 1, cog: [length/2, 0, 0], I0: [0.01, 0.06, 0.06]}]
angles: [{angle: theta, of: [A, B], about: u}]
motors: [theta]
"""


@pytest.mark.parametrize("source", ["four_bar_angle", SPATIAL], ids=["planar", "spatial"])
def test_feedback_of_the_motor_of_a_mechanism_is_stable_up_to_twice_its_inertia_over_the_step(source):
    mechanism = sg.load_mechanism(source)
    at = mechanism.coordinates.index(mechanism.motors[0])
    motion = sg.forward_dynamics(mechanism)
    still = np.zeros(mechanism.n)
    inertia = 1.0 / (motion(mechanism.home, still, [1.0])[at] - motion(mechanism.home, still, [0.0])[at])

    def turn(gain):
        simulator = sg.Simulator(mechanism, DT)
        simulator.step([1.0])
        for _ in range(8):
            simulator.step([-gain * simulator.qd[at]])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        turn(1.9 * inertia / DT)
    with pytest.warns(RuntimeWarning, match=r"steps of 1 ms are too long for the feedback of .*theta") as seen:
        turn(2.5 * inertia / DT)
    assert "allows 0.8 ms" in str(seen[0].message)


@pytest.mark.parametrize("method", ["semi_implicit", "rk4"])
def test_feedback_that_diverges_within_a_few_steps_is_explained(method):
    gain = 1e3 * INERTIA / DT
    with pytest.raises(sg.InputError, match=r"feedback of joint 'x'.*gain 1e\+05 / inertia 0\.1 .* allows 0\.002 ms"):
        run(wheel(method=method), gain, 6)


def test_torques_along_velocities_are_not_called_feedback():
    with pytest.raises(sg.InputError, match=r"accelerations of .* are too large"):
        run(wheel(), -1e3 * INERTIA / DT, 6)
