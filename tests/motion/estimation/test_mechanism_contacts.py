"""Forces of the ground on mechanisms: unknowns that force sensors, load cells and the motion tell."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import ModelNoise, OnlineSmoother, simulate_sensors
from tests.motion.simulation.contacts.test_mechanisms import WALKER

DT, G = 0.01, 9.81
TOUCHING = ("foot", "front")
SENSORS = [
    {"sensor": "encoder", "joint_position": "crank", "sigma": 1e-3},
    {"sensor": "gyro", "gyroscope": "frame", "sigma": 1e-2},
    {"sensor": "acc", "accelerometer": "frame", "sigma": 0.1},
    {"sensor": "place", "position": "O", "sigma": 5e-3},
    *({"sensor": f"force at {point}", "force": point, "sigma": 2.0} for point in TOUCHING),
]


@pytest.fixture(scope="module")
def walk() -> sg.Trajectory:
    """Return how a leg of Jansen walks while its foot and a skid carry it: every tenth instant of a simulation."""
    walker = sg.load_mechanism(WALKER)
    contacts = [sg.Contact("foot", friction=1.0), *(sg.Contact(skid, friction=0.02) for skid in ("rear", "front"))]
    turning = {"crank": f"{walker.home[-1]} + pi*t"}
    return sg.simulate(walker, time=2.25, dt=DT / 10, contacts=contacts, driven=turning)[1650::10]


def within(error: np.ndarray, sigma: np.ndarray) -> bool:
    """Whether 97 of 100 errors are within 3 standard deviations."""
    return bool(np.mean(np.abs(error) <= 3.0 * sigma) > 0.97)


def test_sensors_read_the_forces_of_a_simulation(walk):
    read = simulate_sensors(walk, SENSORS)
    for point in TOUCHING:
        force = np.stack([read[f"force at {point}_{axis}"] for axis in "xy"], axis=1)
        np.testing.assert_array_equal(force, walk.external_wrenches[point][:, 3:5])
    rear = simulate_sensors(walk, [{"sensor": "rear", "force": "D", "sigma": 1.0}])
    assert not rear["rear_x"].any()
    assert not rear["rear_y"].any()


@pytest.mark.parametrize("parameters", [(), ("mass:frame",)])
def test_a_leg_of_jansen_walks_and_is_estimated_with_the_forces_of_the_ground(walk, parameters):
    """Motion, forces and the crank's torque come back within standard deviations; so does a mass that the file misses.

    The ground carries the weight, so that forces tell the mass.
    """
    model = sg.load_mechanism(WALKER.replace("mass: 5", "mass: 6") if parameters else WALKER)
    read = simulate_sensors(walk, SENSORS, seed=1)
    found = sg.estimate(model, read, parameters, sensors=SENSORS, inputs=["crank"], q0=walk.q[0])
    assert not found.doubts
    assert within(found.q - walk.q, found.q_sigma)
    assert within(found.qd - walk.qd, found.qd_sigma)
    assert within(found.tau - walk.tau, found.tau_sigma)
    assert list(found.forces) == list(TOUCHING)
    for point, forces in found.forces.items():
        error = forces - walk.external_wrenches[point][:, 3:]
        assert within(error, found.forces_sigma[point])
        noise = np.array([read[f"force at {point}_{axis}"] for axis in "xy"]).T - walk.external_wrenches[point][:, 3:5]
        assert (error[:, :2] ** 2).mean() < 0.8 * (noise**2).mean(), "the motion tells more than the sensor alone"
        np.testing.assert_array_equal(found.run.external_wrenches[point][:, 3:], forces)
    for mass in found.parameters.values():
        assert abs(mass - 5.0) < 3.0 * found.sigma["mass:frame"] < 0.15


def test_a_leg_of_jansen_is_estimated_in_a_loop(walk):
    read = simulate_sensors(walk, SENSORS, seed=2)
    model = sg.load_mechanism(WALKER)
    smoother = OnlineSmoother(model, SENSORS, DT, inputs=["crank"], q0=walk.q[0], qd0=walk.qd[0])
    errors, sigmas = [], []
    for k in range(len(walk.t)):
        smoother.update({name: values[k] for name, values in read.items() if name != "t"})
        if k > 10:
            true = [walk.external_wrenches[point][k, 3:] for point in TOUCHING]
            errors.append(np.concatenate([*smoother.forces.values()]) - np.concatenate(true))
            sigmas.append(smoother.sigma()["forces"])
    assert not smoother.doubts
    assert within(np.array(errors), np.array(sigmas))
    assert np.mean(sigmas) < 2.0


PROPPED = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: P, x: 1, y: 0}]
bodies: [{name: rod, points: [O, P], length: 1, mass: 2, cog: [0.25, 0], I0: 0.5}]
angles: [{angle: a, of: [O, P]}]
"""
"""A rod of 2 kg that the ground props at P: it carries a quarter of the weight, the pin at O the rest."""


def test_forces_that_no_sensor_reads_follow_from_rest_and_from_a_load_cell():
    """Along the rod, only the load cell tells what pushes at P: the pin holds against it."""
    rod, t, along = sg.load_mechanism(PROPPED), DT * np.arange(30), 7.0
    sensors = [
        {"sensor": "encoder", "angle": "a", "sigma": 1e-6},
        {"sensor": "pin", "load_cell": ["rod", "O"], "sigma": 0.1},
        {"sensor": "prop", "force": "P", "sigma": 1e4},  # it reads 0, and tells nothing
    ]
    table = {"t": t, "encoder": 0 * t, "pin_x": along + 0 * t, "pin_y": 0.75 * 2.0 * G + 0 * t}
    table |= {"prop_x": 0 * t, "prop_y": 0 * t}
    found = sg.estimate(rod, table, sensors=sensors, noise=ModelNoise(force_rate=10.0))
    k = len(t) // 2
    np.testing.assert_allclose(found.forces["P"][k], [-along, 0.25 * 2.0 * G, 0.0], atol=0.05)
    assert found.misfit["pin"] < 0.1
    assert found.forces_sigma["P"][k, :2].max() < 0.2


def test_a_force_on_a_point_that_is_fixed_is_refused():
    rod, t = sg.load_mechanism(PROPPED), DT * np.arange(30)
    table = {"t": t, "prop_x": 0 * t, "prop_y": 0 * t}
    with pytest.raises(sg.InputError, match=r"sensor 'prop': force: point 'O' is fixed.*load_cell: reads"):
        sg.estimate(rod, table, sensors=[{"sensor": "prop", "force": "O", "sigma": 1.0}])


def test_a_switch_of_a_foot_is_refused_and_what_reads_the_ground_is_said():
    rod, t = sg.load_mechanism(PROPPED), DT * np.arange(30)
    with pytest.raises(sg.InputError, match=r"contact is a sensor of robots.*force: POINT reads what the ground does"):
        sg.estimate(rod, {"t": t, "switch": 0 * t}, sensors=[{"sensor": "switch", "contact": "P", "sigma": 1.0}])
