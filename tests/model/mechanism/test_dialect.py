"""Files as Blanco-Claraco et al.'s program takes them: relative coordinates, places from earlier points, length12."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from tests.mechanics.mechanism.four_bar import exact_four_bar
from tests.robots import shared_file

RELATIVE = """%YAML 1.2
---
points:
  - {x: 0, y: 0, fixed: true}
  - {x: 2*cos(deg2rad(45)), y: 2*sin(pi/4)}
  - {x: x1+1, y: y1}
planar_bodies:
  - {points: [0, 1], length: auto, mass: 1, I0: (1/3)*mass*length^2, cog: [0.5*length, 0.0]}
  - {points: [1, 2], length: auto, mass: 1, I0: (1/3)*mass*length^2, cog: [0.5*length, 0.0], visual: {type: bar}}
relative_coordinates:
  - type: RelativeAngleAbsoluteDOF
    points: [0, 1]
"""
OURS = """
points: [{x: 0, y: 0, fixed: true}, {x: sqrt(2), y: sqrt(2)}, {x: sqrt(2)+1, y: sqrt(2)}]
bodies:
  - {points: [0, 1], mass: 1, I0: 4/3, cog: [1, 0]}
  - {points: [1, 2], mass: 1, I0: 1/3, cog: [0.5, 0]}
angles: [{angle: angle0_1, of: [0, 1]}]
"""
FOUR_BAR = """
parameters: {L: 1.0, xb: 4.0}
points:
  - {x: 0, y: 0, fixed: true}
  - {x: L, y: y0}
  - {x: x1, y: 2*L}
  - {x: xb, y: 0, fixed: true}
planar_bodies:
  - {points: [0, 1], length: L, mass: 1.0, I0: (1/3)*mass*length12^2, cog: [0.5*length12, 0.0]}
  - {points: [1, 2], length: 2*L, mass: 2.0, I0: (1/3)*mass*length^2, cog: [0.5*length, 0.0]}
  - {points: [2, 3], length: auto, mass: 4.0, I0: (1/3)*mass*length^2, cog: [0.5*length, 0.0]}
relative_coordinates:
  - {type: RelativeAngleAbsoluteDOF, points: [0, 1]}
"""
LEG = """
parameters: {rho: 2.0}
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: -0.58, y: -0.28, fixed: true}
  - {name: B, x: -0.62, y: 0.60, fixed: true}
  - {name: M, x: 0.22, y: 0.12}
  - {name: C, x: -0.50, y: 0.15}
  - {name: D, x: -1.05, y: 0.30}
  - {name: E, x: -1.15, y: 0.62}
  - {name: F, x: -1.45, y: -0.85}
bodies:
  - {name: crank, points: [O, M], mass: rho*length, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: rod, points: [M, C, D], mass: 1.2, I0: 0.6, cog: [0.6, 0.02]}
  - {name: rocker1, points: [A, C], mass: rho*length, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: leg, points: [D, E, F], mass: 1.5, I0: 0.5, cog: [-0.3, 0.1]}
  - {name: rocker2, points: [B, E], mass: rho*length, I0: mass*length^2/3, cog: [length/2, 0]}
relative_coordinates: [{type: RelativeAngleAbsoluteDOF, points: [O, M]}]
motors: [angleO_M]
"""
"""A leg of Klann's kind: a crank moves a foot by two rockers."""


def mechanism(source) -> sg.Mechanism:
    found = sg.load(source)
    assert isinstance(found, sg.Mechanism)
    return found


def test_it_is_the_mechanism_that_our_own_keys_write():
    theirs, ours = mechanism(RELATIVE), mechanism(OURS)
    assert theirs.coordinates == ours.coordinates
    q = theirs.guess()
    np.testing.assert_allclose(q, ours.guess(), rtol=1e-15)
    np.testing.assert_allclose(q[-1], np.pi / 4, rtol=1e-15)
    qd = np.zeros(len(q))
    accelerations = [np.asarray(sg.forward_dynamics(model)(q, qd)) for model in (theirs, ours)]
    np.testing.assert_allclose(accelerations[0], accelerations[1], rtol=1e-12)


def test_a_four_bar_moves_as_its_differential_equation():
    run = sg.simulate(sg.load(FOUR_BAR), time=1.0, dt=1e-3)
    expected = exact_four_bar(run.t)
    np.testing.assert_allclose(run.coordinate("angle0_1"), expected[:, 0], atol=1e-8)


def test_lengths_are_those_between_points_of_a_body():
    head, tail = RELATIVE.split("planar_bodies:")
    body = "{points: [0, 1, 2], mass: 2, I0: mass*length12^2 + length13 + length23, cog: [0.5*length12, 0.1*length13]}"
    (found,) = mechanism(
        f"{head}planar_bodies: [{body}]\nrelative_coordinates:{tail.split('relative_coordinates:')[1]}"
    ).bodies
    length13 = np.hypot(np.sqrt(2) + 1, np.sqrt(2))
    np.testing.assert_allclose(found.com, [1.0, 0.1 * length13], rtol=1e-14)
    np.testing.assert_allclose(found.inertia, 2 * 4 + length13 + 1, rtol=1e-14)


def test_a_parameter_comes_before_a_point_of_that_name():
    text = RELATIVE.replace("points:\n", "parameters: {x1: 7}\npoints:\n", 1)
    assert mechanism(text).points[2].x == 8.0


def test_forward_and_inverse_dynamics_of_a_leg_agree():
    leg = sg.load(LEG)
    forward, inverse = sg.forward_dynamics(leg), sg.inverse_dynamics(leg)
    run = sg.simulate(leg, time=0.5, dt=5e-3)
    scale = np.abs(run.q).max() + 20.0
    for q, qd in zip(run.q[::10], run.qd[::10], strict=True):
        for torque in (0.0, 5.0, -20.0):
            qdd = forward(q, qd, np.array([torque]))
            np.testing.assert_allclose(inverse(q, qd, qdd), torque, atol=1e-12 * scale)
    assert run.energy_drift < 1e-9


def test_degrees_may_be_a_parameter_and_go_through_live_ones():
    text = RELATIVE.replace("points:\n", "parameters: {deg2rad: pi/180, a: 45*deg2rad}\npoints:\n", 1)
    text = text.replace("sin(pi/4)", "sin(a)")
    np.testing.assert_allclose(mechanism(text).guess(), mechanism(RELATIVE).guess(), rtol=1e-15)
    live = RELATIVE.replace("points:\n", "parameters: {degrees: 45}\npoints:\n", 1)
    live = live.replace("x: x1+1", "x: x1+deg2rad(degrees)")
    model = mechanism(live)
    q, f = model.guess(), sg.forward_dynamics(model, parameters=("degrees",))
    turned = sg.load_mechanism(live, {"degrees": 40.0})
    moved = turned.guess()
    np.testing.assert_allclose(f(moved, 0 * q, np.array([40.0])), sg.forward_dynamics(turned)(moved, 0 * q), atol=1e-11)


BAD = {
    "another type": (("RelativeAngleAbsoluteDOF", "RelativeAngleDOF"), "known is RelativeAngleAbsoluteDOF"),
    "no points": (("\n    points: [0, 1]\n", "\n"), "a relative coordinate has no points"),
    "a later point": (("x1+1", "x2+1"), "no parameter is called 'x2'"),
    "twice": (
        ("  - type: Rel", "  - {type: RelativeAngleAbsoluteDOF, points: [0, 1]}\n  - type: Rel"),
        "two angles are",
    ),
}


@pytest.mark.parametrize(("change", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_meant_is_refused_with_its_line(change, said):
    with pytest.raises(sg.ModelError, match=rf"<text>:\d+: .*{said}"):
        sg.load(RELATIVE.replace(*change))


FILES = {
    "fourbars1-with-rel-angle": ("InverseDynamics_4bars_MSC.tab", (0,), -1.0),
    "pick-and-place-robot": ("InverseDynamics_pprobot_MSC.tab", (0, 1), 1.0),
}
"""Table of torques, angles with motors, and the sign of torques there."""


@pytest.mark.parametrize("name", FILES)
def test_torques_are_those_of_a_multibody_program(name):
    """The published paths are rounded to 1e-8 rad at steps of 5 ms, so that single torques are off by a few N m."""
    table, motors, sign = FILES[name]
    model = mechanism(shared_file("reference", "multibody", f"{name}.yaml"))
    model = replace(model, motors=tuple(model.angles[k].name for k in motors))
    path = np.loadtxt(shared_file("reference", "multibody", f"{name}-trajectory.txt"), comments="%")
    adams = np.loadtxt(shared_file("reference", "multibody", table), comments="%")
    columns = {motor: path[:, 1 + i] for i, motor in enumerate(model.motors)}
    found = sg.inverse_trajectory(model, {"t": path[:, 0], **columns})
    inside = slice(20, min(len(path), len(adams)) - 20)
    expected = sign * adams[inside, 1 : 1 + len(motors)]
    error = found.tau[inside] - expected
    assert np.sqrt(np.mean(error**2)) < 0.01 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("pendulum1", 2),
        ("pendulum2", 10),
        ("pendulum3", 12),
        ("fourbars1", 4),
        ("fourbars1-with-rel-angle", 5),
        ("pick-and-place-robot", 22),
    ],
)
@pytest.mark.sampled(3)
def test_published_files_move_without_losing_energy_or_opening(name, size):
    """They fall from rest for half a second; rigid bodies keep their lengths, and gravity's work is kinetic energy."""
    model = mechanism(shared_file("reference", "multibody", f"{name}.yaml"))
    assert model.n == size
    run = sg.simulate(model, time=0.5, dt=2e-3, method="rk4")
    kinetic, potential = sg.kinetic_energy(model)(run.q, run.qd), sg.potential_energy(model)(run.q)
    assert kinetic[-1] > 0.1
    assert np.abs(kinetic + potential - potential[0]).max() < 1e-6 * kinetic.max()
    assert max(np.abs(model.closing_program.interpreter(q)[0]).max() for q in run.q[::50]) < 1e-9


@pytest.mark.parametrize("separator", ["   ", ",", "\t"])
def test_trajectories_without_names_drive_the_relative_angles(tmp_path, separator):
    t = 0.005 * np.arange(401)
    theta = 1.2 * (1.0 - np.cos(2.0 * t))
    lines = [f"{a:.7e}{separator}{b:.8f}" for a, b in zip(t, theta, strict=True)]
    (tmp_path / "path.txt").write_text("% timestamp   q[4] (relative angle [rad])\n" + "\n".join(lines) + "\n")
    found = sg.inverse_trajectory(sg.load(FOUR_BAR), str(tmp_path / "path.txt"))
    assert list(found.errors) == ["angle0_1"]
    power = found.tau[:, 0] * 2.4 * np.sin(2.0 * t)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) * 0.0025)])
    gained = found.run.energy - found.run.energy[0]
    assert np.abs(work - gained).max() < 1e-3 * np.abs(gained).max()  # trapezoids of 5 ms err by 3e-4 of the largest


def test_numbers_of_too_few_columns_ask_for_names(tmp_path):
    (tmp_path / "path.txt").write_text("% t, two angles\n0 0 1\n0.1 0 1\n")
    with pytest.raises(sg.InputError, match="the first line holds the number 0") as caught:
        sg.inverse_trajectory(sg.load(FOUR_BAR), str(tmp_path / "path.txt"))
    assert "put a line of names before it" in str(caught.value)
