"""Forces in pins: Newton's and Euler's laws of every body, action and reaction at every pin."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem

LEG = """
name: leg
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: 0.3, y: 0.4}
  - {name: B, x: 1.1, y: 0.5}
  - {name: foot, x: 0.9, y: -0.6}
bodies:
  - {name: thigh, points: [O, A], mass: 2, I0: 0.3, cog: [0.2, 0.05]}
  - {name: shank, points: [A, B, foot], mass: 1.5, I0: 0.6, cog: [0.3, -0.2]}
angles: [{angle: hip, of: [O, A]}, {angle: knee, of: [A, B], from: [O, A]}]
springs: [{spring: s, between: [O, foot], stiffness: 30, rest: 0.5}]
forces: [{force: ground, at: foot, value: [3, 7]}]
torques: [{torque: wind, body: shank, value: 0.7}]
motors: [hip, knee]
"""


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def acceleration_of_frame(model, name, state):
    """Return acceleration of the origin, angular velocity and acceleration, and axes of a body."""
    q, qd, qdd = state
    V, A = sg.frame_velocity(model, name)(q, qd), sg.frame_acceleration(model, name)(q, qd, qdd)
    R = sg.forward_kinematics(model, name)(q)[:2, :2]
    return R @ (A[3:5] + V[2] * np.array([-V[4], V[3]])), V[2], A[2], R


@pytest.mark.parametrize("source", ["four_bar_angle", "slider_crank", "pendulum_2", LEG], ids=lambda s: s[:20].strip())
def test_bodies_obey_newton_and_euler(source):
    model, rng = sg.load_mechanism(source), np.random.default_rng(4)
    z = model.independent_coordinates
    q = position_problem(model, {c: model.home[model.index(c)] + 0.2 for c in z})
    qd, tau = velocity_problem(model, q, dict.fromkeys(z, 1.3)), rng.standard_normal(len(model.motors))
    graph = sg.with_pin_forces(sg.dynamics_graph(model))
    names = [key.name for key in graph.variables if key.kind == "wrench"]
    found, qdd = sg.compile(graph.given("q", "qd", "tau"), ["wrench", "qdd"])(q, qd, tau)
    F = dict(zip(names, found.reshape(-1, 2), strict=True))
    place = {point.name: model.position(q, point.name) for point in model.points}
    for body in model.bodies:
        a, w, turning, R = acceleration_of_frame(model, f"body:{body.name}", (q, qd, qdd))
        own = [(model.points[i].name, F[f"{body.name}.{model.points[i].name}"]) for i in body.points]
        com, weight = R @ np.array(body.com), body.mass * np.array(model.gravity)
        needed = body.mass * (a + turning * np.array([-com[1], com[0]]) - w**2 * com)
        np.testing.assert_allclose(sum(f for _, f in own) + weight, needed, atol=1e-10)
        origin = place[own[0][0]]
        moment = sum(cross(place[name] - origin, f) for name, f in own) + cross(com, weight)
        missing = body.inertia * turning + body.mass * cross(com, a) - moment
        torque = turn_bodies(model, tau).get(body.name, 0.0) + sum(
            t.value for t in model.torques if body.name == "shank"
        )
        np.testing.assert_allclose(missing, torque, atol=1e-10)
    for i, point in enumerate(model.points):
        total = sum((F[f"{b.name}.{point.name}"] for b in model.bodies if i in b.points), start=np.zeros(2))
        if not point.fixed and point.name != "piston":  # a guide pushes that
            way = place["O"] - place["foot"] if point.name == "foot" else np.zeros(2)
            pushed = np.array([3.0, 7.0]) + 30.0 * (1.0 - 0.5 / np.linalg.norm(way)) * way if way.any() else way
            np.testing.assert_allclose(total, pushed, atol=1e-10)


def turn_bodies(model, tau):
    """Return the torques of motors on bodies: each turns its line against the one before it, or against the ground."""
    first, second, *_ = (body.name for body in model.bodies)
    return {first: tau[0]} if len(tau) == 1 else {first: tau[0] - tau[1], second: tau[1]}


def test_bodies_in_space_obey_newton_and_euler():
    """A crank and a rocker on hinges, turned by a motor and by a rod between balls: action, reaction, moments."""
    model = sg.load_mechanism("rssr")
    q = position_problem(model, {"theta": model.home[model.index("theta")] + 0.3})
    qd = velocity_problem(model, q, {"theta": 1.7})
    graph = sg.with_pin_forces(sg.dynamics_graph(model)).given("q", "qd", "tau")
    names = [key.name for key in graph.variables if key.kind == "wrench"]
    assert names == ["crank.A", "crank.B", "coupler.B", "coupler.C", "rocker.D", "rocker.C"]
    found, qdd = sg.compile(graph, ["wrench", "qdd"])(q, qd, [2.5])
    F = dict(zip(names, found.reshape(-1, 3), strict=True))
    np.testing.assert_allclose(F["crank.B"], -F["coupler.B"], atol=1e-10)
    np.testing.assert_allclose(F["rocker.C"], -F["coupler.C"], atol=1e-10)
    g, slots = np.array(model.gravity), {name: model.position(q, name) for name in "ABCD"}

    def along(values, name):
        free = f"x:{name}" in model.coordinates
        return values[[model.index(f"{axis}:{name}") for axis in "xyz"]] if free else np.zeros(3)

    for body, ends, axis in (("crank", "AB", "u"), ("coupler", "BC", ""), ("rocker", "DC", "v")):
        own = next(b for b in model.bodies if b.name == body)
        r, a = (f(ends[1]) - f(ends[0]) for f in (slots.get, lambda name: along(qdd, name)))
        part = own.com[0] / own.length
        com, pull = slots[ends[0]] + part * r, along(qdd, ends[0]) + part * a
        pins = {name: F[f"{body}.{name}"] for name in ends}
        np.testing.assert_allclose(sum(pins.values()) + own.mass * g, own.mass * pull, atol=1e-9)
        moment = sum(np.cross(slots[name] - slots[ends[0]], f) for name, f in pins.items())
        moment += np.cross(com - slots[ends[0]], own.mass * g)
        if body == "coupler":  # a rod: its angular momentum about its first point is I r x r' / L^2
            spin = own.inertia * np.cross(r, a) / own.length**2
            np.testing.assert_allclose(moment, spin + own.mass * part * np.cross(r, along(qdd, "B")), atol=1e-9)
            continue
        hinge = np.array(next(v for v in model.vectors if v.name == axis).place)
        turning = np.cross(r, a) @ hinge / own.length**2  # about a fixed hinge at right angles
        torque = 2.5 if body == "crank" else 0.0
        assert moment @ hinge + torque == pytest.approx(own.inertia[1] * turning, abs=1e-9)


def test_a_piston_is_pushed_across_its_guide():
    model = sg.load_mechanism("slider_crank")
    graph = sg.with_pin_forces(sg.dynamics_graph(model), "rod.piston")
    force = sg.compile(graph.given("q", "qd", "tau"), "wrench")(model.home, np.zeros(5), [0.0])
    np.testing.assert_allclose(force[0], 0.0, atol=1e-12)
    assert force[1] > 1.0


def test_what_has_no_such_forces_says_so():
    graph = sg.dynamics_graph(sg.load_mechanism("four_bar_angle"))
    with pytest.raises(sg.InputError, match=r"no point of a body is called 'crank\.P2'"):
        sg.with_pin_forces(graph, "crank.P2")
    with pytest.raises(sg.InputError, match="those of a mechanism with the numbers of its file"):
        sg.with_pin_forces(sg.dynamics_graph(sg.load("rrr")))
    braced = (
        "points: [{name: O, x: 0, y: 0, fixed: true}, {name: A, x: 0, y: 1}, {name: B, x: 2, y: 1}, "
        "{name: C, x: 2, y: 0, fixed: true}, {name: D, x: 1, y: 0, fixed: true}, {name: E, x: 1, y: 1}]\n"
        "bodies: [{points: [O, A]}, {points: [A, B, E], mass: 1, I0: 1, cog: [0.5, 0]}, {points: [C, B]}, "
        "{points: [D, E]}]"
    )
    with pytest.raises(sg.InputError, match="are not determined: constraints follow from others"):
        sg.with_pin_forces(sg.dynamics_graph(sg.load_mechanism(braced)))
