"""Networks in which torques are known at some steps, and coordinates at the others."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem
from screwgraph.motion.estimation import Noise, bayes_network

LENGTH, MASS, G = 1.0, 1.0, 9.81
"""The rod of the pendulum of the library."""
FIVE_BAR = """
name: five_bar
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: P, x: 1, y: 0, fixed: true}
  - {name: A, x: -0.4, y: 0.7}
  - {name: B, x: 1.4, y: 0.7}
  - {name: C, x: 0.5, y: 1.4}
bodies:
  - {name: left, points: [O, A], length: auto, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: right, points: [P, B], length: auto, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: up, points: [A, C], length: auto, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: down, points: [B, C], length: auto, mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
angles: [{angle: one, of: [O, A]}, {angle: two, of: [P, B]}]
springs: [{spring: tie, between: [A, B], stiffness: 20, rest: 1.5}]
motors: [one, two]
independent: [one, two]
"""
SHARES = {
    "torque, angle": lambda part: part < 0.5,
    "angle, torque": lambda part: part >= 0.5,
    "torque, angle, torque": lambda part: not 1 / 3 <= part < 2 / 3,
    "angle, torque, angle": lambda part: 1 / 3 <= part < 2 / 3,
}
"""Of parts 0..1 of the time, those in which torques are known."""


@pytest.fixture(scope="module")
def pendulum():
    return sg.load_mechanism("single_pendulum")


def _torque(t):
    return 3.0 + 2.0 * np.sin(5.0 * t)


def _swung(torque, t):
    """Return angle and velocity of the pendulum by its equation of motion, (m L^2 / 3) a = tau - (m g L / 2) cos."""

    def rates(at, state):
        return [state[1], (torque(at) - MASS * G * LENGTH / 2.0 * np.cos(state[0])) / (MASS * LENGTH**2 / 3.0)]

    return solve_ivp(rates, (0.0, t[-1]), [0.0, 0.0], t_eval=t, rtol=1e-11, atol=1e-11, max_step=t[1]).y


def _known(share, steps, torques, angles, motor="theta"):
    """Return known torques and angles, step by step."""
    pushed = [share(k / steps) for k in range(steps)]
    known = {f"Q_{k}:{motor}": torques[k] for k in range(steps) if pushed[k]}
    return known | {f"q_{k}:{motor}": angles[k] for k in range(steps) if not pushed[k]}


def _errors(mechanism, share, steps, dt, *, is_started):
    """Solve for the pendulum's motion; return the largest errors of its angle (rad) and its torque (N m)."""
    t = dt * np.arange(steps)
    (angle, velocity), torque = _swung(_torque, t), _torque(t)
    known = _known(share, steps, torque, angle)
    known |= {"qd_0:theta": velocity[0]} if is_started else {}
    known |= {"q_0:theta": angle[0]} if is_started else {}
    found = bayes_network(steps).given(mechanism, *known, dt=dt)(known)
    return np.abs(found["q"][:, 2] - angle).max(), np.abs(found["Q"][:, 0] - torque).max(), found


@pytest.mark.parametrize("is_started", [True, False])
@pytest.mark.parametrize("share", SHARES.values(), ids=SHARES)
def test_torques_and_angles_are_those_of_one_motion(pendulum, share, is_started):
    """The trapezoidal rule is of second order; a known start is one of too many equations where paths follow."""
    coarse = _errors(pendulum, share, 31, 0.02, is_started=is_started)
    fine = _errors(pendulum, share, 61, 0.01, is_started=is_started)
    assert coarse[2].result.iterations < 10
    assert fine[0] < 3e-4
    assert fine[0] < coarse[0] / 3.0
    assert fine[1] < 1e-3


def test_found_torques_lead_along_the_known_angles(pendulum):
    """Replayed by another integrator, torques that were found make the motion that was known."""
    _, _, found = _errors(pendulum, SHARES["torque, angle"], 61, 0.01, is_started=True)
    t, torque = 0.01 * np.arange(61), found["Q"][:, 0]
    angle, velocity = _swung(lambda at: np.interp(at, t, torque), t)
    np.testing.assert_allclose(found["q"][:, 2], angle, atol=2e-3)
    np.testing.assert_allclose(found["qd"][:, 2], velocity, atol=2e-2)


@pytest.mark.parametrize("coordinates", ["spanning", "independent"])
def test_a_path_alone_tells_its_torques(coordinates):
    """Torques of a loop from the angle of its crank alone: velocities and accelerations are those of the path."""
    crank, steps, dt = sg.load_mechanism("slider_crank"), 21, 0.01
    start, i = position_problem(crank, {"theta": 0.4}), crank.index("theta")
    run = sg.simulate(crank, start, time=(steps - 1) * dt, dt=dt, tau=[0.2], method="dop853", rtol=1e-11, atol=1e-11)
    name = "z:theta" if coordinates == "independent" else "q:theta"
    found = bayes_network(steps, coordinates).given(crank, name, dt=dt)({name: run.q[:, i]}, {"q": run.q})
    np.testing.assert_allclose(found["Q"], 0.2, atol=2e-3)
    np.testing.assert_allclose(found["q"], run.q, atol=1e-6)


def test_one_of_two_motors_follows_a_path():
    """The torque of one motor is known all the time; of the other, torque and angle take turns."""
    bar, errors = sg.load_mechanism(FIVE_BAR), []
    one, two = bar.index("one"), bar.index("two")
    for steps, dt in ((31, 0.02), (61, 0.01)):
        run = sg.simulate(
            bar,
            time=(steps - 1) * dt,
            dt=dt,
            tau=lambda t, q, qd: np.array([3.0 + 2.0 * np.sin(5.0 * t), 4.0]),
            method="dop853",
        )
        torques = np.stack([3.0 + 2.0 * np.sin(5.0 * run.t), np.full(steps, 4.0)], axis=1)
        known = {"q_0": run.q[0], "qd_0": run.qd[0], "Q:one": torques[:, 0]}
        known |= _known(SHARES["torque, angle"], steps, torques[:, 1], run.q[:, two], "two")
        found = bayes_network(steps).given(bar, *known, dt=dt)(known)
        errors.append([np.abs(found["q"] - run.q)[:, [one, two]].max(), np.abs(found["Q"] - torques).max()])
    assert errors[1][0] < errors[0][0] / 2.0
    assert errors[1][0] < 2e-3
    assert errors[1][1] < 5e-2


def test_an_angle_that_is_held_needs_the_torque_of_its_weight(pendulum):
    """A motion that begins at rest, held; then the torque that was needed holds it on."""
    steps, held = 21, 0.6
    weight = MASS * G * LENGTH / 2.0 * np.cos(held)
    known = _known(SHARES["angle, torque"], steps, np.full(steps, weight), np.full(steps, held))
    found = bayes_network(steps).given(pendulum, *known, dt=0.02)(known)
    np.testing.assert_allclose(found["Q"], weight, atol=1e-6)
    np.testing.assert_allclose(found["q"][:, 2], held, atol=1e-6)


def test_noise_of_angles_is_smoothed(pendulum):
    """Second differences of noise of 1e-4 rad would make torques of 4 N m, that of the path is a tenth of it."""
    steps, dt = 61, 0.01
    t = dt * np.arange(steps)
    (angle, _), torque = _swung(_torque, t), _torque(t)
    measured = angle + 1e-4 * np.random.default_rng(0).standard_normal(steps)
    known = {"q_0:theta": 0.0, "qd_0:theta": 0.0} | _known(SHARES["torque, angle"], steps, torque, measured)
    found = bayes_network(steps).given(pendulum, *known, dt=dt)(known)
    assert np.abs(found["Q"][:, 0] - torque).max() < 0.4
    np.testing.assert_allclose(found["q"][:, 2], angle, atol=5e-4)


@pytest.mark.parametrize("steps", [3, 5, 7])
def test_few_known_angles_are_a_path(pendulum, steps):
    """Polynomials through few angles tell torques to some percent, which the trapezoidal rule does not."""
    whole, dt = 31, 0.01
    error, torque, _ = _errors(pendulum, lambda part: part < (whole - steps) / whole, whole, dt, is_started=True)
    assert error < 1e-3
    assert torque < 0.2


def _freedom(pushed, is_started, dt):
    """Count what torques at some steps and angles at the others leave of a double integrator: its rank, by SVD."""
    steps = len(pushed)
    q, v, a = np.split(np.eye(3 * steps), 3)  # the torque is the acceleration
    rows = [*(q[1:] - q[:-1] - dt / 2.0 * (v[1:] + v[:-1])), *(v[1:] - v[:-1] - dt / 2.0 * (a[1:] + a[:-1]))]
    rows += [a[k] if is_torque else q[k] for k, is_torque in enumerate(pushed)] + ([q[0], v[0]] if is_started else [])
    return 3 * steps - np.linalg.matrix_rank(np.array(rows), tol=1e-9)


@pytest.mark.parametrize("is_started", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_single_steps_that_alternate_leave_what_two_more_torques_tell(pendulum, first, is_started):
    steps, dt = 21, 0.02
    t = dt * np.arange(steps)
    (angle, velocity), torque = _swung(_torque, t), _torque(t)
    pushed = [(k % 2 == 0) == first for k in range(steps)]
    known = _known(lambda part: pushed[round(part * steps)], steps, torque, angle)
    known |= {"q_0:theta": angle[0], "qd_0:theta": velocity[0]} if is_started else {}
    freedom = _freedom(pushed, is_started, dt)
    assert freedom == (1 if is_started else 2)
    with pytest.raises(sg.InputError, match=f"^{freedom} degrees? of freedom .* equations for .* unknowns") as said:
        bayes_network(steps).given(pendulum, *known, dt=dt)(known)
    advised = re.findall(r"Q_(\d+):theta", str(said.value).split("such as")[1])
    assert len(advised) == freedom
    known |= {f"Q_{k}:theta": torque[int(k)] for k in advised}
    found = bayes_network(steps).given(pendulum, *known, dt=dt)(known)
    np.testing.assert_allclose(found["q"][:, 2], angle, atol=1e-4)
    np.testing.assert_allclose(found["Q"][:, 0], torque, atol=0.1)  # of 9: alternating accelerations, of second order


@pytest.mark.parametrize("offset", [0.3, -0.05])
def test_parts_of_two_motions_are_refused(pendulum, offset):
    steps, dt = 31, 0.02
    t = dt * np.arange(steps)
    (angle, _), torque = _swung(_torque, t), _torque(t)
    known = {"q_0:theta": 0.0, "qd_0:theta": 0.0} | _known(SHARES["torque, angle"], steps, torque, angle + offset)
    network = bayes_network(steps).given(pendulum, *known, dt=dt)
    with pytest.raises(
        sg.InputError, match=r"theta is known to be .* rad with .* rad/s at step 16, .* no jumps"
    ) as said:
        network(known)
    jump, _, turn = str(said.value).split("jumps, of ")[1].split(" here")[0].partition(" and ")
    assert abs(float(jump.split()[0]) - offset) < 0.01
    assert abs(float(turn.split()[0])) < 0.1
    found = bayes_network(steps).given(pendulum, *known, dt=dt, noise=Noise())(known)  # as exactly as it says
    assert found["q"].shape == (steps, 3)


def test_a_velocity_beside_its_path_is_refused(pendulum):
    steps, dt = 31, 0.02
    t = dt * np.arange(steps)
    (angle, _), torque = _swung(_torque, t), _torque(t)
    known = {"qd_0:theta": 1.5} | _known(SHARES["angle, torque"], steps, torque, angle)
    with pytest.raises(
        sg.InputError, match=r"velocity of theta at step 0 is known to be 1.5 rad/s, .* -1.5 rad/s here"
    ):
        bayes_network(steps).given(pendulum, *known, dt=dt)(known)


@pytest.mark.parametrize("is_pushed_first", [False, True])
@pytest.mark.parametrize("dt", [0.01, 0.005, 0.0025])
def test_a_path_through_a_dead_centre_is_refused(dt, is_pushed_first):
    """A piston at its dead centre does not tell which way the crank turns, nor its torque, however short the steps."""
    crank, steps = sg.load_mechanism("slider_crank"), round(0.12 / dt) + 1
    start, theta = position_problem(crank, {"theta": -0.7}), crank.index("theta")
    speed = velocity_problem(crank, start, {"theta": 12.0})
    run = sg.simulate(crank, start, qd0=speed, time=(steps - 1) * dt, dt=dt, method="dop853")
    centre = int(np.argmax(run.q[:, theta] > 0.0))
    assert centre > 3
    known = _known(lambda part: is_pushed_first and part < 0.2, steps, np.zeros(steps), run.q[:, 2], "x:piston")
    known = {name.replace("x:piston", "theta") if name.startswith("Q") else name: x for name, x in known.items()}
    known |= {"q_0": start, "qd_0": speed}
    known.pop("q_0:x:piston", None)
    with pytest.raises(sg.InputError, match="dead centre") as said:
        bayes_network(steps).given(crank, *known, dt=dt)(known, {"q": run.q})
    assert abs(int(str(said.value).split("near step ")[1].split(":")[0]) - centre) <= 2


def test_a_crank_tells_its_torque_all_the_way_round():
    """Its angle determines the motion at every position: over a full turn that nothing drives, its torque is zero."""
    crank, steps, dt = sg.load_mechanism("slider_crank"), 161, 0.0025
    start, theta = position_problem(crank, {"theta": -0.7}), crank.index("theta")
    speed = velocity_problem(crank, start, {"theta": 25.0})
    run = sg.simulate(crank, start, qd0=speed, time=(steps - 1) * dt, dt=dt, method="dop853", rtol=1e-11, atol=1e-11)
    assert np.ptp(run.q[:, theta]) > 2.0 * np.pi
    found = bayes_network(steps).given(crank, "q:theta", dt=dt)({"q:theta": run.q[:, theta]}, {"q": run.q})
    weight = sg.inverse_dynamics(crank)(run.q, np.zeros_like(run.qd), np.zeros_like(run.qdd))
    assert np.abs(found["Q"][1:-1]).max() < 1e-2 * np.abs(weight).max()  # derivatives at ends are less exact
