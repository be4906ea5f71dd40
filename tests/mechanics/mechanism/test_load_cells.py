"""Load cells read the forces in pins, which the graph's variables `wrench:BODY.POINT` are, in the axes of the body."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import constraint_multipliers, simulate_sensors
from screwgraph.model.mechanism.sensors import parse_sensors


@pytest.mark.parametrize("name", ["four_bar_angle", "slider_crank"])
def test_cells_read_what_newton_and_euler_say(name: str):
    mechanism = sg.load_mechanism(name)
    drive = [4.0] * len(mechanism.motors)
    run = sg.simulate(mechanism, time=0.1, dt=0.02, tau=lambda t, q, qd: drive)
    states = {"q": run.q, "v": run.qd, "a": run.qdd}
    states["multipliers"] = constraint_multipliers(mechanism, run.q, run.qd, run.tau)
    for body in mechanism.bodies:
        first, second = (mechanism.position(run.q, p) for p in body.base)
        along = (second - first) / np.linalg.norm(second - first, axis=1, keepdims=True)
        axes = np.stack([along, np.stack([-along[:, 1], along[:, 0]], axis=1)], axis=1)
        for point in (mechanism.points[p].name for p in body.points):
            cell = {"sensor": "it", "load_cell": [body.name, point], "sigma": 1.0}
            read = simulate_sensors(mechanism, states, parse_sensors(mechanism, [cell]))
            pins = sg.with_pin_forces(sg.dynamics_graph(mechanism), f"{body.name}.{point}").given("q", "qd", "tau")
            force = sg.compile(pins, "wrench")(run.q, run.qd, run.tau)
            expected = np.einsum("kij,kj->ki", axes, np.reshape(force, (len(run.t), 2)))
            size = np.abs(force).max()
            np.testing.assert_allclose(np.stack([read["it_x"], read["it_y"]], 1), expected, atol=1e-8 * size)


@pytest.fixture(scope="module")
def spatial():
    """An RSSR linkage under a torque that changes, and its states."""
    mechanism = sg.load_mechanism("rssr")
    run = sg.simulate(mechanism, time=0.4, dt=0.01, tau=lambda t, q, qd: [3.0 * np.sin(9.0 * t)])
    states = {"q": run.q, "v": run.qd, "a": run.qdd, "tau": run.tau}
    return mechanism, run, states | {"multipliers": constraint_multipliers(mechanism, run.q, run.qd, run.tau)}


@pytest.mark.parametrize(("body", "point"), [("rocker", "C"), ("rocker", "D"), ("crank", "A")])
def test_cells_in_space_read_three_components_in_the_axes_of_the_body(spatial, body, point):
    mechanism, run, states = spatial
    cell = {"sensor": "it", "load_cell": [body, point], "sigma": 1.0}
    read = simulate_sensors(mechanism, states, parse_sensors(mechanism, [cell]))
    pins = sg.with_pin_forces(sg.dynamics_graph(mechanism), f"{body}.{point}").given("q", "qd", "tau")
    force = np.asarray(sg.compile(pins, "wrench")(run.q, run.qd, run.tau))
    R = sg.forward_kinematics(mechanism, body)(run.q)[:, :3, :3]
    found = np.stack([read[f"it_{axis}"] for axis in "xyz"], axis=1)
    np.testing.assert_allclose(found, np.einsum("kji,kj->ki", R, force), atol=1e-8 * np.abs(force).max())


def test_a_rod_in_space_is_pulled_as_newton_says(spatial):
    """The rod's ends push on what it joins: along it, the pin's force on the rocker is the tension less its inertia."""
    mechanism, run, states = spatial
    read = simulate_sensors(
        mechanism, states, parse_sensors(mechanism, [{"sensor": "it", "tension": "coupler", "sigma": 1}])
    )
    pins = sg.with_pin_forces(sg.dynamics_graph(mechanism), "rocker.C").given("q", "qd", "tau")
    force = -np.asarray(sg.compile(pins, "wrench")(run.q, run.qd, run.tau))  # of the rocker on the rod
    B, C = (mechanism.locate(run.q, name, None) for name in "BC")
    line = (C - B) / np.linalg.norm(C - B, axis=1, keepdims=True)
    np.testing.assert_allclose(read["it"], np.einsum("ki,ki->k", force, line), atol=1e-8 * np.abs(force).max())
    with pytest.raises(sg.InputError, match=r"is a rod.*tension"):
        parse_sensors(mechanism, [{"sensor": "it", "load_cell": ["coupler", "C"], "sigma": 1.0}])


def test_tension_is_that_part_of_a_load_cell_in_the_plane():
    mechanism = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(mechanism, time=0.1, dt=0.01, method="dop853")
    states = {"q": run.q, "v": run.qd, "a": run.qdd}
    states |= {"multipliers": constraint_multipliers(mechanism, run.q, run.qd, run.tau)}
    both = [
        {"sensor": "cell", "load_cell": ["coupler", "P2"], "sigma": 1},
        {"sensor": "pull", "tension": "coupler", "sigma": 1},
    ]
    read = simulate_sensors(mechanism, states, parse_sensors(mechanism, both))
    np.testing.assert_allclose(read["pull"], read["cell_x"], atol=1e-9 * np.abs(read["cell_x"]).max())


def test_a_load_cell_in_space_tells_the_torque_of_the_motor(spatial):
    """Beside an encoder of 6 deg, which alone knows nothing of it."""
    mechanism, run, states = spatial
    cell = {"sensor": "cell", "load_cell": ["rocker", "C"], "sigma": 1e-2}
    encoder = {"sensor": "encoder", "angle": "theta", "sigma": 0.1}
    left = []
    for sensors in ([cell, encoder], [encoder]):
        read = simulate_sensors(mechanism, states, parse_sensors(mechanism, sensors), np.random.default_rng(0))
        found = sg.estimate(mechanism, {"t": run.t, **read}, sensors=sensors, inputs=["theta"])
        left.append(np.abs(found.tau - run.tau)[4:-4].max())
    assert left[0] < 0.1 < 1.0 < left[1]


@pytest.mark.parametrize(
    ("sensor", "match"),
    [
        ({"load_cell": ["coupler", "D"]}, "body 'coupler' has the points P1, P2"),
        ({"load_cell": "coupler"}, "list"),
        ({"joint_torque": "phi"}, "phi"),
    ],
)
def test_cells_where_there_is_nothing_to_read_are_refused(sensor: dict, match: str):
    with pytest.raises(sg.InputError, match=match):
        parse_sensors(sg.load_mechanism("four_bar_angle"), [{"sensor": "it", "sigma": 1.0, **sensor}])


def test_forces_need_unknown_torques_of_all_motors():
    mechanism = sg.load_mechanism("four_bar_angle")
    table = {"t": 0.01 * np.arange(20), "it_x": np.zeros(20), "it_y": np.zeros(20)}
    with pytest.raises(sg.InputError, match="name all of them among inputs"):
        sg.estimate(mechanism, table, sensors=[{"sensor": "it", "load_cell": ["coupler", "P2"], "sigma": 1.0}])
    torque = [{"sensor": "it", "joint_torque": "theta", "sigma": 1.0}]
    with pytest.raises(sg.InputError, match="measured, but not unknown"):
        sg.estimate(mechanism, {"t": table["t"], "it": np.zeros(20)}, sensors=torque)
