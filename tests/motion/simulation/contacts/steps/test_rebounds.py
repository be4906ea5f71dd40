"""Bodies that bounce: heights and times as Newton's law of restitution has them, whatever steps are; energy is lost."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.contacts.bodies import free_body, free_brick
from tests.motion.simulation.contacts.steps.test_contact_slopes import arguments, compare

G = 9.81
STARTS = np.linspace(0.1, 1.9, 10)
"""Heights (m) from which balls fall."""


def fall(dt: float, restitution: float, time: float, **options) -> tuple[np.ndarray, np.ndarray]:
    """Return energies (steps, B) of balls of 1 kg, those of middles of steps, and their velocities."""
    q = np.tile([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], (len(STARTS), 1))
    q[:, 2] += STARTS
    contact = sg.Contact("body", 0.1, restitution=restitution, stiffness=np.inf)
    simulator = sg.Simulator(free_body(1.0, 0.004), dt, q, np.zeros((len(q), 6)), contacts=[contact], **options)
    energies, velocities = [], []
    for _ in range(round(time / dt)):
        simulator.step()
        z, v = simulator.q[:, 2] - 0.1, simulator.qd[:, 5]
        energies.append(G * (z - 0.5 * dt * v) + 0.5 * v * v + (G * dt) ** 2 / 8.0)  # a parabola is below its chord
        velocities.append(v.copy())
    return np.array(energies), np.array(velocities)


@pytest.mark.parametrize("dt", [2e-3, 1e-3])
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.7, 0.9, 1.0])
def test_tops_are_those_of_a_geometric_series(dt, restitution):
    energies, velocities = fall(dt, restitution, 2.0 if restitution > 0.5 else 1.3)
    for energy, v, start in zip(energies.T, velocities.T, STARTS, strict=True):
        tops = energy[:-1][(v[:-1] > 0.0) & (v[1:] <= 0.0)]
        tops = tops[tops > (8.0 * G * dt) ** 2]
        wanted = (G * start + (G * dt) ** 2 / 8.0) * restitution ** (2.0 * np.arange(1, len(tops) + 1))
        assert len(tops) > 0
        np.testing.assert_allclose(tops, wanted, rtol=1e-9)


def test_bounces_take_the_time_of_their_series_but_for_the_last_ones():
    dt, restitution = 1e-3, 0.7
    _, velocities = fall(dt, restitution, 3.7)
    for v, start in zip(velocities.T, STARTS, strict=True):
        took = dt * (np.flatnonzero(np.abs(v) > 1e-9)[-1] + 1)
        exact = np.sqrt(2.0 * start / G) * (1.0 + restitution) / (1.0 - restitution)
        assert took == pytest.approx(exact, abs=4.0 * dt / (1.0 - restitution))


def test_single_precision_bounces_alike():
    energies, velocities = fall(1e-3, 0.5, 1.3, dtype="float32")
    for energy, v, start in zip(energies.T, velocities.T, STARTS, strict=True):
        tops = energy[:-1][(v[:-1] > 0.0) & (v[1:] <= 0.0)]
        assert tops[0] == pytest.approx(G * start * 0.25, rel=1e-3)


@pytest.mark.parametrize("size", [(1.0, 0.1, 0.1), (0.3, 0.2, 0.1)], ids=["rod", "brick"])
@pytest.mark.parametrize(("friction", "most"), [(0.0, 2e-4), (0.6, 8e-3)])
def test_bodies_of_several_contacts_lose_energy(size, friction, most):
    """Newton's law of restitution alone makes up to 19 % of a throw's energy where bodies rub as they rebound."""
    robot, rng, count, dt = free_brick(1.0, size), np.random.default_rng(0), 40, 1e-3
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    contacts = [
        sg.Contact("body", friction=friction, restitution=0.9, stiffness=np.inf, at=tuple(np.multiply(at, size)))
        for at in corners
    ]
    q, qd = rng.normal(size=(count, 7)), rng.normal(size=(count, 6)) * np.repeat([5.0, 1.5], 3)
    q[:, :2], q[:, 2] = 0.0, rng.uniform(0.6, 1.0, count)
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    simulator, middle = sg.Simulator(robot, dt, q, qd, contacts=contacts), compile_middle_state(robot)
    mass, energies = np.asarray(sg.mass_matrix(robot)(q[0])), []
    for _ in range(800):
        simulator.step()
        at, v = middle(simulator.q, simulator.qd, np.full((count, 1), dt))
        energies.append(G * at[:, 2] + 0.5 * np.einsum("bi,ij,bj->b", v, mass, v))
        assert simulator.gaps.min() > -2e-3
    assert (simulator.q[:, 2] > 0.0).all()
    assert (np.array(energies) / energies[0] - 1.0).max() < most


ARM = """<robot name="arm"><link name="plate"><inertial><mass value="3"/>
  <inertia ixx="0.03" iyy="0.03" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/>
  <inertia ixx="0.001" iyy="0.007" izz="0.007" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="plate"/><child link="arm"/><axis xyz="0 1 0"/>
  <origin xyz="0.2 0 0"/><limit lower="-2" upper="2" effort="20" velocity="20"/></joint></robot>"""


def test_what_stands_stays_while_another_contact_rebounds():
    """A plate stands on four feet without restitution; an arm on a hinge of it falls, and rebounds."""
    robot = sg.load(ARM, base="floating")
    stands = [sg.Contact("plate", at=(x, y, -0.05)) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    simulator = sg.Simulator(
        robot,
        1e-3,
        [0, 0, 0.05, 0, 0, 0, 1, -0.3],
        contacts=[*stands, sg.Contact("arm", 0.05, at=(0.4, 0.0, 0.0), restitution=0.5)],
    )
    hit, speeds = None, []
    for _ in range(400):
        speeds.append(simulator.qd[6])
        simulator.step()
        if simulator.forces[4, 2] > 0.0:
            hit = simulator.forces.copy()
            break
    assert hit is not None
    assert (hit[:4, 2] > 0.0).any()
    simulator.step()
    assert simulator.gaps[4] > 0.0
    assert simulator.qd[6] == pytest.approx(-0.5 * speeds[-1], rel=0.1)
    assert simulator.gaps[:4].min() > -1e-4


def test_derivatives_know_when_a_ball_rebounds():
    contact = sg.Contact("body", 0.1, friction=0.3, restitution=0.6)
    simulator = sg.Simulator(
        free_body(1.0, 0.004), 1e-3, [0, 0, 0.1013, 0, 0, 0, 1], [0.2, 0.1, 0.0, 0.8, 0.0, -3.0], contacts=[contact]
    )
    values = arguments(simulator, np.zeros(6))
    compare(simulator.function, values)
    simulator.step()
    assert simulator.forces[0, 2] > 0.0
    assert simulator.qd[5] == pytest.approx(1.8, rel=0.01)
    assert simulator.q[2] == pytest.approx(0.1 + 1.8 * (1e-3 - 1.3e-3 / 3.0), abs=1e-5)
