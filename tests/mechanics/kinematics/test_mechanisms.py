"""Kinematics of planar mechanisms: robots of the same bodies, differences in time, conservation, closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.mechanism.closure import closure_errors
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia

PENDULUM = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: A, x: 0.6, y: 0}, {name: B, x: 0.6, y: 0.8}, {name: C, x: 1, y: 1}]
bodies:
  - {name: arm, points: [O, A], mass: 1.5, I0: 0.3, cog: [0.25, 0.05]}
  - {name: hand, points: [A, B, C], mass: 0.7, I0: 0.2, cog: [0.3, -0.1]}
angles: [{angle: shoulder, of: [O, A]}]
"""
NAMES = sg.mechanism_names()
QUERIES = sorted(set(ANSWERS["mechanism"]) - {"neutral", "random", "integrate", "difference"})


def pair():
    """Return the pendulum, and a robot of the same two bodies whose joints turn about z."""

    def body(mass, com, inertia):
        about = inertia - mass * (com[0] ** 2 + com[1] ** 2)
        return SpatialInertia.of_body(mass, np.array([*com, 0.0]), np.diag([about, about, about]))

    links = [Link("base"), Link("arm", body(1.5, (0.25, 0.05), 0.3)), Link("hand", body(0.7, (0.3, -0.1), 0.2))]
    origin = np.eye(4)
    origin[0, 3] = 0.6
    z = Revolute((0.0, 0.0, 1.0))
    return sg.load(PENDULUM), tree("pair", links, [Joint("1", z, "base", "arm"), Joint("2", z, "arm", "hand", origin)])


def states(count=5):
    """Return coordinates of both, and their first and second rates, from those of the angles."""
    rng = np.random.default_rng(3)
    angles, rates, second = rng.standard_normal((3, count, 2))
    absolute, w, a = (np.cumsum(x, axis=1) for x in (angles, rates, second))
    e = np.stack([np.cos(absolute), np.sin(absolute)], axis=-1)
    n = np.stack([-e[..., 1], e[..., 0]], axis=-1)
    along = [e, w[..., None] * n, a[..., None] * n - w[..., None] ** 2 * e]
    x, y = sg.load(PENDULUM).bodies[1].shape[2]
    found = []
    for angle, axis in zip((angles, rates, second), along, strict=True):
        across = np.stack([-axis[..., 1], axis[..., 0]], axis=-1)
        A = 0.6 * axis[:, 0]
        B, C = A + 0.8 * axis[:, 1], A + x * axis[:, 1] + y * across[:, 1]
        found.append((np.concatenate([A, B, C, angle[:, :1]], axis=1), angle))
    return found


def test_frames_and_momenta_are_those_of_a_robot_of_the_same_bodies():
    mechanism, robot = pair()
    (q, angles), (qd, rates), (qdd, second) = states()
    ours, theirs = (q, qd, qdd), (angles, rates, second)
    for frame in ("arm", "hand"):
        np.testing.assert_allclose(
            sg.forward_kinematics(mechanism, frame)(q), sg.forward_kinematics(robot, frame)(angles), atol=1e-12
        )
        for reference in ("local", "world", "local_world_aligned"):
            for query, count in ((sg.frame_velocity, 2), (sg.frame_acceleration, 3)):
                own = query(mechanism, frame, reference=reference)(*ours[:count])
                np.testing.assert_allclose(own, query(robot, frame, reference=reference)(*theirs[:count]), atol=1e-11)
            J = sg.frame_jacobian(mechanism, frame, reference=reference)(q)
            V = sg.frame_velocity(mechanism, frame, reference=reference)(q, qd)
            np.testing.assert_allclose((J @ qd[..., None])[..., 0], V, atol=1e-12)
    masses = {
        sg.center_of_mass: 1,
        sg.center_of_mass_velocity: 2,
        sg.center_of_mass_acceleration: 3,
        sg.centroidal_momentum: 2,
        sg.centroidal_momentum_rate: 3,
        sg.kinetic_energy: 2,
    }
    for query, count in masses.items():
        np.testing.assert_allclose(query(mechanism)(*ours[:count]), query(robot)(*theirs[:count]), atol=1e-11)
    for matrix, vector in (
        (sg.center_of_mass_jacobian, sg.center_of_mass_velocity),
        (sg.centroidal_momentum_matrix, sg.centroidal_momentum),
    ):
        found = (matrix(mechanism)(q) @ qd[..., None])[..., 0]
        np.testing.assert_allclose(found, vector(mechanism)(q, qd), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_rates_are_those_of_a_motion(name):
    mechanism = sg.load(name)
    run = sg.simulate(mechanism, time=0.2, dt=1e-3, method="dop853", rtol=1e-11, atol=1e-11)
    t, q, qd, qdd = run.t, run.q, run.qd, run.qdd
    frames = [f"body:{mechanism.bodies[-1].name}", f"point:{mechanism.points[-1].name}"]
    pairs = [
        (sg.center_of_mass(mechanism)(q), sg.center_of_mass_velocity(mechanism)(q, qd)),
        (sg.center_of_mass_velocity(mechanism)(q, qd), sg.center_of_mass_acceleration(mechanism)(q, qd, qdd)),
        (sg.centroidal_momentum(mechanism)(q, qd), sg.centroidal_momentum_rate(mechanism)(q, qd, qdd)),
    ]
    for frame in frames:
        aligned = {"reference": "local_world_aligned"}
        V = sg.frame_velocity(mechanism, frame, **aligned)(q, qd)
        pairs.append((sg.forward_kinematics(mechanism, frame)(q)[:, :3, 3], V[:, 3:]))
        for reference in ("local", "world", "local_world_aligned"):
            velocity = sg.frame_velocity(mechanism, frame, reference=reference)(q, qd)
            pairs.append((velocity, sg.frame_acceleration(mechanism, frame, reference=reference)(q, qd, qdd)))
    for value, rate in pairs:
        size = max(1.0, float(np.abs(rate).max()))
        central = (value[2:] - value[:-2]) / (t[2:] - t[:-2])[:, None]
        assert np.abs(central - rate[1:-1]).max() < 1e-3 * size  # h^2 / 6 times third derivatives of some 1e3


def test_a_body_that_nothing_holds_keeps_its_angular_momentum():
    free = """
points: [{name: A, x: 0, y: 0}, {name: B, x: 1, y: 0}, {name: C, x: 1, y: 1}]
bodies:
  - {name: 1, points: [A, B], mass: 2, I0: 0.7, cog: [0.5, 0]}
  - {name: 2, points: [B, C], mass: 1, I0: 0.4, cog: [0.5, 0.1]}
velocities: {x:A: 1, y:B: 2, x:C: -1}
"""
    mechanism = sg.load(free)
    run = sg.simulate(mechanism, time=1.0, dt=1e-2, method="dop853", rtol=1e-12, atol=1e-12)
    h = sg.centroidal_momentum(mechanism)(run.q, run.qd)
    np.testing.assert_allclose(h[:, 2], h[0, 2], rtol=1e-9)
    assert abs(h[0, 2]) > 0.1
    np.testing.assert_allclose(h[:, 3], h[0, 3], atol=1e-9)
    np.testing.assert_allclose(h[:, 4], h[0, 4] - 3 * 9.81 * run.t, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_random_positions_are_assembled_and_repeat_by_seed(name):
    mechanism = sg.load(name)
    q = sg.random(mechanism, (3, 4), seed=5)
    assert q.shape == (3, 4, mechanism.n)
    np.testing.assert_array_equal(q, sg.random(mechanism, (3, 4), seed=5))
    assert np.ptp(q, axis=(0, 1)).max() > 1e-3
    residual, J = mechanism.closing_program.interpreter(q.reshape(-1, mechanism.n))
    assert max(closure_errors(r, slope).max(initial=0.0) for r, slope in zip(residual, J, strict=True)) < 1e-7
    np.testing.assert_array_equal(sg.neutral(mechanism, 2)[1], mechanism.home)
    dq = np.linspace(0.0, 1.0, mechanism.n)
    moved = sg.integrate(mechanism)(q, dq)
    np.testing.assert_allclose(sg.difference(mechanism)(q, moved), np.broadcast_to(dq, q.shape), atol=1e-14)


@pytest.mark.parametrize("query", QUERIES)
def test_parameters_of_the_file_are_inputs(query):
    text = PENDULUM.replace("\npoints:", "\nparameters: {m: 0.7, L: 0.8}\npoints:", 1)
    text = text.replace("mass: 0.7", "mass: m").replace("x: 0.6, y: 0.8", "x: 0.6, y: L")
    if query in ("forward_kinematics", "frame_velocity", "frame_acceleration", "frame_jacobian"):
        arguments, names = ("hand",), ["L"]
    else:
        arguments, names = (), ["m"]
    changed = {"m": 1.1, "L": 0.8}
    live = getattr(sg, query)(sg.load(text), *arguments, parameters=names)
    fixed = getattr(sg, query)(sg.load_mechanism(text, values=changed), *arguments)
    given = [x for x, _ in states()][: len(fixed.arguments)]
    np.testing.assert_allclose(live(*given, [changed[n] for n in names]), fixed(*given), atol=1e-12)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: sg.forward_kinematics(m, "nothing"), "no body or point is called 'nothing'"),
        (lambda m: sg.forward_kinematics(m, []), "no frame is named"),
        (lambda m: sg.frame_velocity(m, "A", reference="body"), "no reference is called 'body'"),
        (lambda m: sg.center_of_mass(m, payload="A"), "payload"),
        (lambda m: sg.random(m, seed=-1), "seed = -1 is negative"),
        (lambda m: sg.center_of_mass(sg.load(PENDULUM.replace("1.5", "0").replace("0.7", "0"))), "no centre of mass"),
        (lambda m: sg.forward_kinematics(sg.load(PENDULUM.replace("name: arm", "name: A")), "A"), "a body and of a"),
    ],
)
def test_refusals_are_one_line(ask, message):
    with pytest.raises(sg.InputError, match=message) as caught:
        ask(sg.load(PENDULUM))
    assert "\n" not in str(caught.value)
