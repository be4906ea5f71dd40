"""Networks of one instant given arbitrary knowns, against the queries that are special cases of them."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import acceleration_problem, position_problem, velocity_problem
from screwgraph.motion.estimation import bayes_network
from screwgraph.motion.estimation.bayes.instant import move_to_known
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from tests.suites import in_suites

NAMES = ("four_bar", "four_bar_angle", "slider_crank", "parallel_robot")
NETWORK = bayes_network(1)


@cache
def moving(name):
    """A mechanism at a closed state: position, velocity, and an acceleration that the constraints allow."""
    model = sg.load_mechanism(name)
    z = model.independent_coordinates
    q = position_problem(model, {c: model.home[model.index(c)] + 0.05 for c in z})
    qd = velocity_problem(model, q, {c: 0.7 - 0.4 * i for i, c in enumerate(z)})
    return model, q, qd, acceleration_problem(model, q, qd, {c: 1.5 + i for i, c in enumerate(z)})


def independent(model, **vectors):
    """Values of the independent coordinates by the names of what is known."""
    z = model.independent_coordinates
    return {f"{kind}:{c}": value[model.index(c)] for kind, value in vectors.items() for c in z}


def close(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", [*NAMES[:-1], in_suites(NAMES[-1])])
@pytest.mark.sampled(3)
def test_kinematics_are_networks_that_are_asked_for_no_forces(name):
    model, q, qd, qdd = moving(name)
    known = independent(model, q=q, qd=qd, qdd=qdd)
    found = NETWORK.given(model, *known, solve=["qdd"])(known)
    for kind, expected in (("q", q), ("qd", qd), ("qdd", qdd)):
        close(found[kind], expected)
    alone = independent(model, q=q)
    close(NETWORK.given(model, *alone, solve=["q"])(alone)["q"], q)


@pytest.mark.parametrize("name", [*NAMES[:-1], in_suites(NAMES[-1])])
@pytest.mark.sampled(3)
def test_known_forces_make_forward_dynamics(name):
    model, q, qd, _ = moving(name)
    tau = np.linspace(-2.0, 3.0, len(model.motors))
    network = NETWORK.given(model, "q", "qd", "Q")
    values = {"q": q, "qd": qd} | ({"Q": tau} if model.motors else {})
    expected = sg.forward_dynamics(model)(q, qd, tau) if model.motors else sg.forward_dynamics(model)(q, qd)
    close(network(values)["qdd"], expected)
    compiled = network.compile("qdd", ordering="quasi_definite")
    close(compiled(q, qd, tau) if model.motors else compiled(q, qd), expected)


@pytest.mark.parametrize("name", [*NAMES[1:-1], in_suites(NAMES[-1])])
@pytest.mark.sampled(3)
def test_known_motion_makes_inverse_dynamics(name):
    model, q, qd, qdd = moving(name)
    expected = sg.inverse_dynamics(model)(q, qd, qdd)
    known = independent(model, q=q, qd=qd, qdd=qdd)
    close(NETWORK.given(model, *known)(known)["Q"], expected)
    close(NETWORK.given(model, "q", "qd", "qdd")({"q": q, "qd": qd, "qdd": qdd})["Q"], expected)
    driven = [f"qdd:{name}" for name in model.motors]
    slots = list(model.motor_slots)
    close(NETWORK.given(model, "q", "qd", *driven).compile("Q", ordering="quasi_definite")(q, qd, qdd[slots]), expected)


def test_a_position_is_moved_to_what_is_known():
    """Through several strides, along the branch: it closes there, and has the known entries."""
    model, q, _, _ = moving("slider_crank")
    network = NetworkModel.from_model(model)
    known = np.full(model.n, np.nan)
    known[model.index("theta")] = q[model.index("theta")] + 1.3
    found = move_to_known(network, q, known)
    close(found, position_problem(model, {"theta": q[model.index("theta")] + 1.3}, found))
    assert abs(found[model.index("theta")] - known[model.index("theta")]) < 1e-12


def test_one_motor_moves_as_told_and_the_other_is_idle():
    """Hybrid dynamics of the parallel robot."""
    model, q, qd, _ = moving("parallel_robot")
    found = NETWORK.given(model, "q", "qd", "qdd:left", "Q:right")({"q": q, "qd": qd, "qdd:left": 2.0, "Q:right": 0.5})
    torque, acceleration = sg.hybrid_dynamics(model, ["left"])(q, qd, [2.0, 0.5])
    close(found["Q"], [torque, 0.5])
    close(found["qdd"][model.index("right")], acceleration)


@pytest.mark.parametrize("known", ["qdd:x:rim2", "qdd:pinion", "Q"])
def test_large_accelerations_do_not_pull_known_positions_away(known):
    """The equations are linear then, and one step solves them, whatever the size of what is unknown."""
    model, q, qd, _ = moving("gear_train")
    tau = np.array([3.0])
    qdd = sg.forward_dynamics(model)(q, qd, tau)
    coordinate = known.partition(":")[2]
    values = {"q": q, "qd": qd, known: qdd[model.index(coordinate)] if coordinate else tau}
    found = NETWORK.given(model, *values)(values)
    close(found["qdd"], qdd)
    close(found["Q"], tau)


def test_forces_that_hold_a_mechanism_at_rest_say_where_it_stands():
    """No query asks so: positions from forces. The potential energy is stationary there."""
    model = sg.load_mechanism("four_bar_angle")
    known = {"qd": 0.0, "qdd": 0.0, "Q": 20.0}
    low = position_problem(model, {"theta": -1.0})
    q = NETWORK.given(model, *known)(known, guess={"q": low})["q"]

    def height(theta):
        at = position_problem(model, {"theta": theta}, q)
        p1, p2 = model.position(at, "P1"), model.position(at, "P2")
        return 9.81 * (1.0 * p1[1] / 2 + 2.0 * (p1[1] + p2[1]) / 2 + 4.0 * p2[1] / 2)

    theta, h = q[model.index("theta")], 1e-4
    assert (height(theta + h) - height(theta - h)) / (2 * h) == pytest.approx(20.0, abs=1e-4)


def test_observed_velocities_weigh_by_their_noise():
    """Three gyroscopes tell one velocity: the least squares of what each says of the crank's."""
    model = sg.load_mechanism("four_bar_angle")
    q, read = model.home, {"o:crank_gyro": 1.02, "o:coupler_gyro": -0.4, "o:rocker_gyro": 0.3}
    found = bayes_network(1, observed=True).given(model, "q", "o", solve=["qd"])({"q": q} | read)
    unit = velocity_problem(model, q, {"theta": 1.0})
    p, v = model.position(q, "P2") - model.position(q, "P1"), unit[2:4] - unit[:2]
    r, w = np.array([4.0, 0.0]) - model.position(q, "P2"), -unit[2:4]
    slopes = np.array([1.0, (p[0] * v[1] - p[1] * v[0]) / (p @ p), (r[0] * w[1] - r[1] * w[0]) / (r @ r)])
    expected = slopes @ list(read.values()) / (slopes @ slopes)  # all three have the same noise
    assert found["qd"][model.index("theta")] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "known", "count"),
    [
        ("four_bar_angle", ("q:theta", "qd:theta"), "1 degree of freedom is left"),
        ("slider_crank", ("q:theta",), "2 degrees of freedom are left"),
        ("slider_crank", (), "3 degrees of freedom are left"),
        ("parallel_robot", ("q", "qd", "qdd:left"), "1 degree of freedom is left"),
    ],
)
@pytest.mark.sampled(3)
def test_too_few_knowns_are_refused_by_the_degrees_of_freedom_that_they_leave(name, known, count):
    model, q, qd, _ = moving(name)
    values = {"q": q, "qd": qd, "q:theta": 0.8, "qd:theta": 1.0, "qdd:left": 1.0}
    with pytest.raises(sg.InputError, match=f"^{count} undetermined .*such as [qQ]") as told:
        NETWORK.given(model, *known)({key: values[key] for key in known})
    assert "\n" not in str(told.value)


def test_what_is_named_as_missing_settles_it():
    model = sg.load_mechanism("parallel_robot")
    known = {"q": model.home, "qd": 0.0, "Q:left": 1.0}
    with pytest.raises(sg.InputError, match="such as") as told:
        NETWORK.given(model, *known)(known)
    name = str(told.value).split("such as ")[1].split(",")[0]
    assert NETWORK.given(model, *known, name)(known | {name: 0.3})["qdd"].shape == (22,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: NETWORK.given(m, "F"), "no kind of quantity is called 'F'"),
        (lambda m: NETWORK.given(m, "q:beta"), "no coordinate is called 'beta'"),
        (lambda m: NETWORK.given(m, "Q:beta"), "no motor is called 'beta'"),
        (lambda m: NETWORK.given(m, "q_1"), "no quantity of the network is called 'q_1'"),
        (lambda m: NETWORK.given(m, "q", "q:theta"), "q:theta is given twice"),
        (lambda m: NETWORK.given(m, "q", solve=["o"]), "no kind of quantity is called 'o'"),
        (lambda m: NETWORK.given(m, "q")({}), "the value of q is missing"),
        (lambda m: NETWORK.given(m, "q")({"qd": 0.0}), "no known quantity is called 'qd'"),
        (lambda m: NETWORK.given(m, "q")({"q": [1.0, 2.0]}), "values of q are not numbers of the shape"),
        (lambda m: NETWORK.given(m, "q:theta")({"q:theta": np.nan}), "values of q:theta are not finite"),
        (
            lambda m: NETWORK.given(m, "q", "qd:theta", "qd:y:piston", solve=["qd"])(
                {"q": m.home, "qd:theta": 1.0, "qd:y:piston": 1.0}
            ),
            "the laws and the known values do not hold together",
        ),
        (
            lambda m: bayes_network(1, "independent").given(m, "C")({"C": [1.0, 2.0]}),
            "values of C are not numbers of the shape",
        ),
        (lambda m: bayes_network(1, "independent").given(m, "z:x:piston"), "no coordinate is called 'x:piston'"),
        (lambda m: NETWORK.given(m, "z"), "no kind of quantity is called 'z'"),
        (lambda m: bayes_network(2).given(m, "Q"), "dt = None is no time between 2 steps"),
        (lambda m: bayes_network(2).given(m, "q", dt=0.1, integrator="runge_kutta"), "where torques are unknown"),
    ],
)
def test_bad_knowns_are_refused(call, message):
    with pytest.raises(sg.InputError, match=message):
        call(sg.load_mechanism("slider_crank"))


@pytest.mark.parametrize("angle", [-2.5, 1.2, 2.5])
def test_an_angle_is_that_of_its_line_and_not_half_a_turn_off(angle):
    """Both close the row that defines it; the crank is 0.1 m long."""
    model = sg.load_mechanism("slider_crank")
    known = {"q:x:crank_pin": 0.1 * np.cos(angle), "q:y:crank_pin": 0.1 * np.sin(angle)}
    found = NETWORK.given(model, *known, solve=["q"])(known)["q"][model.index("theta")]
    assert np.cos(found - angle) == pytest.approx(1.0, abs=1e-12)
