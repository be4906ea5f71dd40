"""Points of planar mechanisms on the ground: rods whose motion is known, a leg that walks."""

from typing import Any

import numpy as np
import pytest

import screwgraph as sg

DT, G = 1e-3, 9.81
ROD = """
points: [{name: P, x: 0, y: 0}, {name: Q, x: 1, y: 0}]
bodies: [{name: rod, points: [P, Q], length: 1, mass: 2, cog: [0.5, 0], I0: 0.66666666666667}]
"""
WALKER = """
parameters: {rho: 1.5, c: 0.393, f: 0.394, j: 0.5, k: 0.619, m: 0.15}
points:
  - {name: O, x: 0, y: 0.918}
  - {name: A, x: -0.38, y: 0.84}
  - {name: rear, x: -1.4, y: 0.04}
  - {name: front, x: 0.5, y: 0.04}
  - {name: P, x: 0.15, y: 0.918}
  - {name: B, x: -0.24, y: 1.231}
  - {name: C, x: -0.27, y: 0.463}
  - {name: D, x: -0.748, y: 0.999}
  - {name: E, x: -0.64, y: 0.618}
  - {name: foot, x: -0.4, y: 0.001}
bodies:
  - {name: frame, points: [O, A, rear, front], mass: 5, cog: [0.1, 0], I0: 1}
  - {name: crank, points: [O, P], length: m, mass: rho*m, cog: [m/2, 0], I0: rho*m^3/3}
  - {name: upper, points: [P, B], length: j, mass: rho*j, cog: [j/2, 0], I0: rho*j^3/3}
  - {name: lower, points: [P, C], length: k, mass: rho*k, cog: [k/2, 0], I0: rho*k^3/3}
  - {name: plate, points: [A, B, D], mass: 1.5, cog: [0.14, 0.13], I0: 0.1}
  - {name: strut, points: [A, C], length: c, mass: rho*c, cog: [c/2, 0], I0: rho*c^3/3}
  - {name: link, points: [D, E], length: f, mass: rho*f, cog: [f/2, 0], I0: rho*f^3/3}
  - {name: shin, points: [E, C, foot], mass: 1.5, cog: [0.34, -0.16], I0: 0.3}
angles: [{angle: crank, of: [O, P], from: [O, A]}]
motors: [crank]
"""


def rod(friction: Any, **others) -> tuple[sg.Mechanism, list[sg.Contact]]:
    return sg.load_mechanism(ROD), [sg.Contact(point, friction=friction, **others) for point in "PQ"]


def on_slope(tangent: float, stiffness: float) -> tuple[sg.Simulator, np.ndarray]:
    """Return a rod that lies on a slope, and the direction downhill."""
    mechanism, contacts = rod(0.5, stiffness=stiffness)
    down = np.array([1.0, -tangent]) / np.hypot(1.0, tangent)
    ground = sg.Plane((tangent, 1.0, 0.0))
    return sg.Simulator(mechanism, DT, [0.0, 0.0, *down], contacts=contacts, ground=ground), down


@pytest.mark.parametrize("stiffness", [np.inf, 1e6])
def test_a_rod_sticks_and_slides_on_slopes_as_coulomb_says(stiffness):
    simulator, _ = on_slope(0.4, stiffness)
    simulator.step(steps=500)
    assert np.abs(simulator.qd).max() < 1e-9
    np.testing.assert_allclose(simulator.forces.sum(axis=0), [0.0, 2.0 * G, 0.0], atol=1e-8)
    simulator, down = on_slope(0.6, stiffness)
    simulator.step(steps=1000)
    angle = np.arctan(0.6)
    speed = G * (np.sin(angle) - 0.5 * np.cos(angle))
    np.testing.assert_allclose(simulator.qd, [*(speed * down), *(speed * down)], atol=1e-9)


def test_a_rod_that_falls_over_without_friction_keeps_its_middle_and_loses_energy():
    mechanism, contacts = rod(0.0)
    start = [0.0, 0.3, np.cos(0.8), 0.3 + np.sin(0.8)]
    simulator = sg.Simulator(mechanism, DT, start, contacts=contacts)
    first = last = 2.0 * G * (start[1] + start[3]) / 2
    for _ in range(1500):
        simulator.step()
        q, qd = simulator.q, simulator.qd
        v, w = (qd[:2] + qd[2:]) / 2, np.hypot(*(qd[2:] - qd[:2]))
        energy = 2.0 * G * (q[1] + q[3]) / 2 + 0.5 * (2.0 * v @ v + w * w / 6)
        assert energy < first
        parting = 0.5 * 2.0 * 0.5**2  # a rod that is within the ground leaves it at .5 m/s at most
        assert energy < last + parting + DT * 2.0 * G * np.abs(qd).max()
        assert (simulator.gaps > -2.0 * 4.0 / 1e3).all(), "as deep as the damper lets its mass at 4 m/s"
        assert simulator.residual < 1e-9
        last = energy
    assert (q[0] + q[2]) / 2 == pytest.approx(np.cos(0.8) / 2, abs=1e-9)
    np.testing.assert_allclose(simulator.forces, [[0.0, G, 0.0]] * 2, atol=1e-6)
    assert np.hypot(*(q[2:] - q[:2])) == pytest.approx(1.0, abs=1e-10)


def test_a_leg_of_jansen_walks_and_carries_its_weight():
    """The ground carries the weight over a turn; the foot does not creep while it stands."""
    walker = sg.load_mechanism(WALKER)
    contacts = [sg.Contact("foot", friction=1.0), *(sg.Contact(skid, friction=0.02) for skid in ("rear", "front"))]
    simulator = sg.Simulator(walker, DT, contacts=contacts)
    crank, x, foot = (walker.index(name) for name in ("crank", "x:O", "x:foot"))
    begin, weights, places, creep = simulator.q[crank], [], [], []
    for k in range(4000):
        late = begin + np.pi * k * DT - simulator.q[crank]
        simulator.step([80.0 * late + 8.0 * (np.pi - simulator.qd[crank])])
        F, qd = simulator.forces, simulator.qd
        assert simulator.residual < 1e-9
        assert (np.abs(F[:, 0]) <= np.array([1.0, 0.02, 0.02]) * F[:, 1] * (1 + 1e-9) + 1e-9).all()
        if F[0, 1] > 10.0 and abs(F[0, 0]) < 0.9 * F[0, 1]:
            creep.append(abs(qd[foot]))
        weights.append(F[:, 1].sum())
        places.append(simulator.q[x])
    weight = G * sum(body.mass for body in walker.bodies)
    assert np.mean(weights[2000:]) == pytest.approx(weight, rel=1e-4)
    assert places[3999] - places[1999] < -0.2
    assert len(creep) > 500
    assert max(creep) < 1e-9


def test_ends_of_thrown_rods_stay_where_they_stick():
    """Lengths are kept while both ends jam them; momentum changes by weight and forces; no step is left unsolved."""
    mechanism, contacts = rod(0.8)
    simulator, rng, stuck = sg.Simulator(mechanism, DT, contacts=contacts), np.random.default_rng(3), 0
    for _ in range(6):
        angle, place, v, turn = rng.uniform(-0.6, 0.6), rng.uniform(0.6, 0.9), rng.normal(size=2), 3.0 * rng.normal()
        along = np.array([np.cos(angle), np.sin(angle)])
        simulator.reset([0.0, place, along[0], place + along[1]], [*v, *(v + turn * np.array([-along[1], along[0]]))])
        for _ in range(1000):
            before = simulator.qd
            simulator.step()
            (a, b), (u, w), F = simulator.q.reshape(2, 2), simulator.qd.reshape(2, 2), simulator.forces[:, :2]
            assert abs(np.hypot(*(b - a)) - 1.0) < 1e-14
            assert abs((b - a) @ (w - u)) < 1e-11
            assert simulator.residual < 1e-9
            gained = u + w - before[:2] - before[2:]
            np.testing.assert_allclose(gained, DT * (F.sum(axis=0) - [0.0, 2.0 * G]), atol=1e-12)
            sticks = (F[:, 1] > 1e-3) & (abs(F[:, 0]) < 0.98 * 0.8 * F[:, 1])
            stuck += sticks.sum()
            assert (abs(np.array([u[0], w[0]])[sticks]) < 1e-9).all()
    assert stuck > 5000


LEVER = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: P, x: 1, y: 0}]
bodies: [{name: rod, points: [O, P], length: 1, mass: 2, cog: [0.5, 0], I0: 0.66666666666667}]
angles: [{angle: a, of: [O, P]}]
driven: {a: -0.002*sin(t)}
contacts: [{contact: end, at: P, friction: 0, stiffness: 1e4, damping: 50}]
"""
"""A rod that is pressed onto the ground y = 0."""


def test_a_driven_rod_pressed_onto_soft_ground_takes_the_torque_of_weight_and_spring():
    """Its angle is exact; the effort balances weight, spring, damper and inertia, by all that simulates."""
    lever, dt = sg.load_mechanism(LEVER), 1e-3
    run = sg.simulate(lever, time=1.0, dt=dt, contacts="collisions")
    assert not run.doubts
    a, rate = run.coordinate("a"), run.qd[:, lever.index("a")]
    np.testing.assert_allclose(a, -0.002 * np.sin(run.t), atol=1e-12)
    np.testing.assert_allclose(rate, -0.002 * np.cos(run.t), atol=1e-12)
    depth = 0.002 * np.sin(run.t[1:] + dt)[:-1]  # at the ends of steps
    push = run.external_wrenches["P"][1:-1, 4]
    np.testing.assert_allclose(push, 1e4 * np.sin(depth) + 50.0 * 0.002 * np.cos(run.t[1:-1]), rtol=2e-3)
    torque = 2.0 / 3.0 * 0.002 * np.sin(run.t[1:-1]) + (2.0 * G * 0.5 - push) * np.cos(a[1:-1])
    np.testing.assert_allclose(run.tau[1:-1, 0], torque, atol=1e-8)
    simulator = sg.Simulator(lever, dt, contacts="collisions")
    simulator.step(steps=600)
    np.testing.assert_array_equal(simulator.q, run.q[600])
    assert simulator.driving_efforts[0] == pytest.approx(run.tau[600, 0], abs=0.02)
    many = sg.rollout(lever, np.tile(lever.home, (3, 1)), time=0.6, dt=dt, contacts="collisions")
    np.testing.assert_allclose(many.q[:, -1], np.tile(run.q[600], (3, 1)), atol=1e-14)
    still = sg.load_mechanism(LEVER.replace("driven: {a: -0.002*sin(t)}", "motors: [a]"))
    driven = sg.simulate(still, time=0.6, dt=dt, contacts="collisions", driven={"a": "-0.002*sin(t)"})
    np.testing.assert_allclose(driven.q, run.q[:601], atol=1e-14)


def test_environments_drive_by_the_time_of_each_episode():
    lever = sg.load_mechanism(LEVER)
    env = sg.Environment(lever, 2, dt=1e-3, steps=10, time=0.1, contacts="collisions")
    env.reset(seed=0)
    for k in range(15):
        env.step(np.zeros((2, 1)))
        at = (k + 1) % 10 * 1e-2
        np.testing.assert_allclose(env.q[:, lever.index("a")], -0.002 * np.sin(at), atol=1e-12)
    assert (env.forces[:, 0, 1] > 0.5).all()
    with pytest.raises(sg.InputError, match="which is driven"):
        env.step(np.ones((2, 1)))


def test_grounds_of_files_lie_as_they_say():
    """A rod that rests on a slope of its file, with the contacts of its file: rigid, by an expression."""
    contacts = "[{contact: a, at: P, friction: 0.5*m, stiffness: inf}, {contact: b, at: Q, friction: m}]"
    ground = "{normal: [0.4, 1], height: 2}"
    down, up = np.array([1.0, -0.4]) / np.hypot(1.0, 0.4), np.array([0.4, 1.0]) / np.hypot(0.4, 1.0)
    mechanism = sg.load_mechanism(f"parameters: {{m: 1}}{ROD}contacts: {contacts}\nground: {ground}\n")
    simulator = sg.Simulator(mechanism, DT, [*(2.0 * up), *(2.0 * up + down)], contacts="collisions")
    simulator.step(steps=300)
    assert np.abs(simulator.qd).max() < 1e-9
    np.testing.assert_allclose(simulator.forces.sum(axis=0), [0.0, 2.0 * G, 0.0], atol=1e-7)
    assert simulator.q[:2] @ up == pytest.approx(2.0, abs=1e-9)
    assert [contact.friction for contact in simulator.options.contacts] == [0.5, 1.0]


def test_files_of_contacts_without_a_ground_mean_the_line_y_0(tmp_path):
    feet = tmp_path / "feet.yaml"
    feet.write_text("contacts: [{frame: P, friction: 0}, {frame: Q, friction: 0}]", encoding="utf-8")
    simulator = sg.Simulator(sg.load_mechanism(ROD), DT, [0, 0, 1, 0], contacts=str(feet))
    simulator.step(steps=300)
    np.testing.assert_allclose(simulator.forces, [[0.0, G, 0.0]] * 2, atol=1e-6)


def test_a_plane_that_is_level_across_the_plane_is_refused():
    rod, toe = sg.load_mechanism(ROD), [sg.Contact("P")]
    with pytest.raises(sg.InputError, match="out of the plane"):
        sg.Simulator(rod, contacts=toe, ground=sg.Plane())
    simulator = sg.Simulator(rod, contacts=toe, parameters=["ground"])
    with pytest.raises(sg.InputError, match="out of the plane"):
        simulator.set_parameters({"ground": sg.Plane()})


def test_a_rod_rests_on_two_steps():
    feet = [sg.Contact(name, friction=1.0) for name in "PQ"]
    rest = sg.simulate(
        sg.load_mechanism(ROD), [0, 0.02, 1, 0.12], time=1.0, contacts=feet, ground=sg.Steps([0.5], [0.1])
    )
    _, lower, _, upper = rest.q[-1]
    np.testing.assert_allclose([lower, upper], [0.0, 0.1], atol=1e-4)
    forces = np.array([rest.external_wrenches[name][-1, 4] for name in "PQ"])
    assert forces.sum() == pytest.approx(2.0 * G, rel=1e-6)
    assert forces.min() > 0.9 * G


@pytest.mark.parametrize("friction", [0.05, 0.8])
@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_a_map_of_one_slope_is_that_slope(friction, radius):
    x, feet = np.linspace(-3.0, 3.0, 61), [sg.Contact(name, radius, friction=friction) for name in "PQ"]
    hill = sg.HeightMap(np.tile(-0.2 * x[:, None] + 0.1 * radius, (1, 5)), (-3.0, -0.2), 0.1)
    line = sg.Plane((0.2, 1.0, 0.0), 0.1 * radius / np.hypot(0.2, 1.0))
    on_hill, on_line = (
        sg.simulate(sg.load_mechanism(ROD), [0, 0.1, 1, -0.1], time=0.3, contacts=feet, ground=ground)
        for ground in (hill, line)
    )
    np.testing.assert_allclose(on_hill.q, on_line.q, atol=1e-9)


def test_motions_have_their_own_steps():
    rod, feet = sg.load_mechanism(ROD), [sg.Contact(name) for name in "PQ"]
    heights = np.array([[0.0], [0.05], [0.1]])
    start = np.tile([0.0, 0.02, 1.0, 0.02], (3, 1)) + heights * [0.0, 0.0, 0.0, 1.0]
    ground = sg.Steps([0.5], heights)
    runs = sg.rollout(rod, start, time=0.5, contacts=feet, ground=ground)
    np.testing.assert_allclose(runs.q[:, -1, 3], heights[:, 0], atol=2e-4)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("contacts: [{contact: a, at: P, friction: -1}]", "friction of the contact of 'P' is -1"),
        ("contacts: [{contact: a, at: R}]", "'R'"),
        ("contacts: [{contact: a}]", "contact 'a' has no at"),
        ("contacts: [{contact: a, at: P}]\nground: {normal: [0, 0]}", "direction"),
        ("contacts: [{contact: a, at: P}]\nground: {level: 1}", "level"),
        ("contacts: [{contact: a, at: P}, {contact: a, at: Q}]", "two parts are called contact 'a'"),
    ],
)
def test_wrong_contacts_of_files_are_named(line, what):
    with pytest.raises(sg.ModelError, match=what):
        sg.Simulator(sg.load_mechanism(ROD + line), contacts="collisions")


def test_motions_and_batches_have_forces_of_points():
    mechanism, contacts = rod(np.array([0.1, 0.9]))
    q0 = [0.0, 0.1, 1.0, 0.1]
    runs = sg.rollout(mechanism, q0, [1.0, 0, 1.0, 0], time=0.3, dt=DT, contacts=contacts)
    assert runs.forces.shape[-2:] == (2, 3)
    alone = sg.simulate(mechanism, q0=q0, qd0=[1.0, 0, 1.0, 0], time=0.3, dt=DT, contacts=rod(0.1)[1])
    np.testing.assert_allclose(runs.q[0, -1], alone.q[-1], atol=1e-12)
    assert not alone.doubts
    np.testing.assert_allclose(
        np.array([*alone.external_wrenches.values()]).sum(axis=0)[-1, 3:], [-0.2 * G, 2.0 * G, 0.0], atol=1e-6
    )


@pytest.mark.parametrize(
    ("contact", "others", "what"),
    [
        (sg.Contact("R"), {}, "'R'"),
        (sg.Contact("P", at=(0.1, 0.0, 0.0)), {}, "has a place, a shape or another body"),
        ("collisions", {}, "has no contacts"),
        (sg.Contact("P"), {"friction": True}, "friction that sticks"),
    ],
)
def test_what_points_cannot_be_is_said(contact, others, what):
    with pytest.raises(sg.InputError, match=what):
        sg.Simulator(sg.load_mechanism(ROD), contacts=contact if isinstance(contact, str) else [contact], **others)
