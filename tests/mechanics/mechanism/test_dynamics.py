"""Forward and inverse dynamics against closed forms, reduced equations and reference values."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.mass_matrix import kinetic_energy
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.parts import Body, Point
from tests.mechanics.mechanism.oracle import reduced
from tests.reference import reference

RNG = np.random.default_rng(5)


def states(mechanism, count):
    """Closed states beside the home position."""
    found = []
    for _ in range(count):
        z = mechanism.independent_coordinates
        near = {c: mechanism.home[mechanism.index(c)] + 0.1 * RNG.standard_normal() for c in z}
        q = position_problem(mechanism, near)
        found.append((q, velocity_problem(mechanism, q, {c: RNG.standard_normal() for c in z})))
    return tuple(np.array(x) for x in zip(*found, strict=True))


@pytest.mark.parametrize("name", sg.mechanism_names())
@pytest.mark.sampled(6)
def test_accelerations_solve_the_augmented_and_the_reduced_equations(name):
    model = sg.load_mechanism(name)
    q, qd = states(model, 5)
    force = RNG.standard_normal(q.shape)
    tau = RNG.standard_normal((5, len(model.motors)))
    graph = sg.dynamics_graph(model, model.coordinates)
    known = ("q", "qd", "tau", "force") if model.motors else ("q", "qd", "force")
    function = sg.compile(graph.given(*known), ["qdd", "lambda"])
    values = {"q": q, "qd": qd, "tau": tau, "force": force}
    qdd, multipliers = function(*(values[name] for name in known))
    force[:, list(model.motor_slots)] += tau
    _, J = compile_mechanism(model).closing(q)
    rates, kept = compile_mechanism(model).rates(q, qd), list(model.freedom.kept)
    c, Q = rates[:, : J.shape[1]], rates[:, J.shape[1] :] + force
    scale = np.abs(qdd).max()
    np.testing.assert_allclose((J @ qdd[..., None])[..., 0], c, atol=1e-10 * scale)  # redundant rows, too
    balance = qdd @ mass_matrix(model) + (np.swapaxes(J[:, kept], 1, 2) @ multipliers[..., None])[..., 0]
    np.testing.assert_allclose(balance, Q, atol=1e-10 * np.abs(Q).max())
    r = reduced(model, q, qd, force)
    z = list(model.freedom.independent)
    np.testing.assert_allclose(r.acceleration, qdd[:, z], atol=1e-9 * scale)
    np.testing.assert_allclose(r.Sc + (r.R @ r.acceleration[..., None])[..., 0], qdd, atol=1e-9 * scale)


@pytest.mark.parametrize("name", [n for n in sg.mechanism_names() if n != "four_bar"])
@pytest.mark.sampled(3)
def test_torques_of_the_motors_give_the_motion_that_they_were_asked_for(name):
    model = sg.load_mechanism(name)
    q, qd = states(model, 4)
    asked = RNG.standard_normal((4, len(model.motors)))
    force = np.zeros_like(q)
    force[:, list(model.motor_slots)] = asked
    qdd = compile_mechanism(model).acceleration(q, qd, force)
    np.testing.assert_allclose(sg.inverse_dynamics(model)(q, qd, qdd), asked, atol=1e-9 * max(1.0, np.abs(qdd).max()))


def test_the_mass_matrix_of_a_body_is_that_of_its_particles():
    """Three particles with the right moments, anywhere in the body's frame, some beside the line of its points."""
    places, masses = np.array([[0.2, 0.5], [0.9, -0.3], [-0.4, 0.1]]), np.array([1.0, 2.0, 0.5])
    com = tuple(masses @ places / masses.sum())
    inertia = float((masses * (places**2).sum(axis=1)).sum())
    L = 1.4
    body = Body("b", (0, 1), ((0.0, 0.0), (L, 0.0)), float(masses.sum()), inertia, com)
    model = Mechanism("m", (Point("0", 0.0, 0.0), Point("1", L, 0.0)), (body,))
    q, omega, v = np.array([0.0, 0.0, L, 0.0]), 1.7, np.array([0.3, -0.8])
    qd = np.concatenate([v, v + omega * np.array([0.0, L])])
    speeds = v + omega * np.stack([-places[:, 1], places[:, 0]], axis=1)
    expected = 0.5 * (masses * (speeds**2).sum(axis=1)).sum()
    assert kinetic_energy(Motion(model, q, qd)) == pytest.approx(expected, rel=1e-14)


def test_a_body_of_collinear_points_moves_like_one_of_two_points():
    text = """
    points: [{x: 0, y: 0, fixed: true}, {x: 0.5, y: 0}, {x: 1, y: 0}]
    bodies: [{points: POINTS, shape: SHAPE, mass: 2, I0: 1.1, cog: [0.4, 0.2]}]
    angles: [{angle: a, of: [0, 1]}]
    """
    from screwgraph.model.mechanism.read import read_mechanism

    two = text.replace("POINTS", "[0, 1]").replace("SHAPE", "[[0, 0], [0.5, 0]]").replace(", {x: 1, y: 0}]", "]")
    three = text.replace("POINTS", "[0, 1, 2]").replace("SHAPE", "[[0, 0], [0.5, 0], [1, 0]]")
    answers = []
    for source in (two, three):
        model = read_mechanism(source.encode(), "m.yaml")
        q = position_problem(model, {"a": 0.4})
        qd = velocity_problem(model, q, {"a": 2.0})
        answers.append(compile_mechanism(model).acceleration(q, qd, np.zeros(model.n))[-1])
    expected = -2 * 9.81 * (0.4 * np.cos(0.4) - 0.2 * np.sin(0.4)) / 1.1
    np.testing.assert_allclose(answers, expected, rtol=1e-12)


def test_the_four_bar_starts_as_the_reference_says():
    known = reference("four_bar_free_motion")
    for name in ("four_bar", "four_bar_angle"):
        model = sg.load_mechanism(name)
        q = model.home
        qdd = compile_mechanism(model).acceleration(q, 0 * q, 0 * q)
        assert qdd[1] == pytest.approx(known["initial_theta_ddot"], abs=1e-9)
        assert compile_mechanism(model).energy(q, 0 * q)[:2].sum() == pytest.approx(known["energy"])


def test_inverse_dynamics_of_the_four_bar_is_the_reference():
    model = sg.load_mechanism("four_bar_angle")
    for t, torque in reference("four_bar_inverse_dynamics")["rows"]:
        theta = (1.2 * (1 - np.cos(2 * t)), 2.4 * np.sin(2 * t), 4.8 * np.cos(2 * t))
        assert _torques(model, [{"theta": value} for value in theta])[0] == pytest.approx(torque, abs=1e-7)


def test_inverse_dynamics_of_the_parallel_robot_is_the_reference():
    model = sg.load_mechanism("parallel_robot")
    for t, left, right in reference("parallel_robot_inverse_dynamics")["rows"]:
        x, up = min(t / 2.5, 1.0), max(t / 2.5 - 1.0, 0.0)
        shapes = [[3 * s**2 - 2 * s**3, (6 * s - 6 * s**2) / 2.5, (6 - 12 * s) / 2.5**2] for s in (x, up)]
        if t < 2.5:
            shapes[1] = [0.0, 0.0, 0.0]
        else:
            shapes[0] = [1.0, 0.0, 0.0]
        motion = [
            {"x:6": -0.5 + b, "y:6": -5 + a} if k == 0 else {"x:6": b, "y:6": a}
            for k, (a, b) in enumerate(zip(*shapes, strict=True))
        ]
        torques = _torques(model, motion)
        np.testing.assert_allclose(torques, [left, right], atol=2e-6)


def _torques(model, motion):
    q = finite_displacement(model, model.home, motion[0])[-1]  # stays on the branch of the drawing
    qd = velocity_problem(model, q, motion[1])
    return sg.inverse_dynamics(model)(q, qd, acceleration_problem(model, q, qd, motion[2]))
