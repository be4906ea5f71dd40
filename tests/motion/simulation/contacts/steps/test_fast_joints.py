"""Joints that turn by tenths of a radian a step: impacts obey Newton's law, and steps make no energy."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from screwgraph.motion.simulation.contacts.steps.shorter_steps import ShorterSteps
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import find_free_velocities
from screwgraph.spatial.manifolds.gliding import turning
from tests.motion.simulation.contacts.bodies import PointJacobians
from tests.robots import robot_file

G, REACH = 9.81, (0.2, 0.0, 0.0)
INERTIAL = (
    '<inertial><origin xyz="{x} 0 0"/><mass value="{m}"/>'
    '<inertia ixx="{a}" iyy="{b}" izz="{b}" ixy="0" ixz="0" iyz="0"/></inertial>'
)
CHAIN = (
    '<robot name="chain"><link name="base">'
    + INERTIAL.format(x=0.0, m=1.0, a=0.01, b=0.01)
    + "</link>"
    + "".join(
        f'<link name="{name}">{INERTIAL.format(x=0.1, m=0.1, a=1e-5, b=4e-4)}</link>'
        f'<joint name="{name}_hinge" type="continuous"><parent link="{before}"/><child link="{name}"/>'
        f'<axis xyz="0 1 0"/><origin xyz="{x} 0 0"/></joint>'
        for name, before, x in (("upper", "base", 0.05), ("lower", "upper", 0.2))
    )
    + "</robot>"
)


def chain() -> sg.Robot:
    """Return a body with two light rods in a row, hinged about y, in free flight."""
    return sg.load(CHAIN, base="floating")


def throw(count: int, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Return states of chains that are turned any way, their joints at about `speed` (rad/s)."""
    rng, robot = np.random.default_rng(0), chain()
    q, qd = np.tile(robot.neutral(), (count, 1)), np.zeros((count, robot.nv))
    q[:, 2], q[:, 3:7] = rng.uniform(0.3, 0.6, count), rng.normal(size=(count, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    q[:, 7:], qd[:, 6:] = rng.uniform(-3.0, 3.0, (count, 2)), speed * rng.normal(size=(count, 2))
    return q, qd


def run(dt: float, speed: float, restitution: float, time: float, height: float = 0.0) -> dict[str, np.ndarray]:
    """Return energies (J) and centres of mass (m) in the middles of steps."""
    robot, (q, qd) = chain(), throw(40, speed)
    contacts = [
        sg.Contact("lower", 0.01, at=REACH, friction=0.3, restitution=restitution, stiffness=np.inf),
        sg.Contact("base", 0.05, friction=0.3, restitution=restitution, stiffness=np.inf),
    ]
    simulator = sg.Simulator(robot, dt, q, qd, contacts=contacts, ground=sg.Plane(height=height))
    middle, mass, centre = compile_middle_state(robot), sg.mass_matrix(robot), sg.center_of_mass(robot)
    energies, places = [], []
    for _ in range(round(time / dt)):
        simulator.step()
        at, v = middle(simulator.q, simulator.qd, np.full((len(q), 1), dt))
        places.append(np.asarray(centre(at)))
        kinetic = 0.5 * np.einsum("bi,bij,bj->b", v, np.asarray(mass(at)), v)
        energies.append(robot.mass * G * places[-1][:, 2] + kinetic)
    return {"energy": np.array(energies), "centre": np.array(places)}


@pytest.mark.parametrize(("dt", "speed"), [(1e-3, 100.0), (2e-3, 50.0), (2e-3, 250.0)])
@pytest.mark.parametrize("restitution", [0.0, 0.9])
def test_no_motion_gains_energy(dt, speed, restitution):
    """Without a bound, and with arcs in impacts, 18 of these gained up to 98 %; whole steps of 2 ms diverged."""
    energy = run(dt, speed, restitution, 0.4)["energy"]
    assert ((energy / energy[0]).max(axis=0) - 1.0).max() < 0.01


def test_in_flight_energy_and_momentum_stay():
    """The centre of mass falls as a stone does, while joints turn by a tenth of a radian a step and more.

    Whole steps, whose energy is bounded, lost a third of it, and momenta were off by up to 690 m/s^2.
    """
    dt = 1e-3
    found = run(dt, 100.0, 0.0, 0.1, height=-5.0)
    falls = np.diff(found["centre"], n=2, axis=0).mean(axis=0) / dt**2
    off = np.abs(falls - [0.0, 0.0, -G]).max(axis=1)
    assert np.median(off) < 0.1
    assert np.abs(np.diff(found["centre"], n=2, axis=0) / dt**2 - [0.0, 0.0, -G]).max() < 30.0
    assert np.abs(found["energy"] / found["energy"][0] - 1.0).max() < 0.01


def test_forces_of_shorter_steps_are_the_mean_of_the_step():
    """They change the velocity of the centre of mass by what they add up to, with gravity."""
    robot, dt, tiny = chain(), 1e-3, 1e-6
    q, qd = throw(20, 200.0)
    tip = sg.Contact("lower", 0.01, at=REACH, friction=0.3, stiffness=np.inf)
    pose, middle, centre = sg.forward_kinematics(robot, "lower"), compile_middle_state(robot), sg.center_of_mass(robot)
    heights = np.array([(np.asarray(pose(x)) @ [*REACH, 1.0])[2] for x in q]) - 0.012
    simulator = sg.Simulator(robot, dt, q, qd, contacts=[tip], ground=sg.Plane(height=heights))

    def velocity() -> np.ndarray:
        at, v = middle(simulator.q, simulator.qd, np.full((len(q), 1), dt))
        sides = [
            np.array([robot.manifold.retract(x, s * tiny * u) for x, u in zip(at, v, strict=True)]) for s in (1, -1)
        ]
        return (np.asarray(centre(sides[0])) - np.asarray(centre(sides[1]))) / (2.0 * tiny)

    before = velocity()
    simulator.step()
    F = simulator.forces[:, 0]
    gained, pushed = (velocity() - before) / dt, F / robot.mass - [0.0, 0.0, G]
    assert (dt * np.abs(qd).max(axis=1) > 0.2).sum() > 10
    assert (F[:, 2] > 10.0).sum() > 3
    assert np.abs(gained - pushed).max() < 0.05 * np.abs(pushed).max()
    assert (simulator.residual < 1e-9).all()


def test_rotors_behind_gears_split_no_step():
    """They turn nine times as fast as joints do, about axes of their own."""
    robot, dt = sg.load(robot_file("mini_cheetah.urdf"), base="floating"), 1e-3
    coupled = find_free_velocities(robot)
    steps = ShorterSteps(robot.manifold, coupled)
    for speed, splits in ((50.0, 0.0), (150.0, 1.0)):
        qd = coupled.spread([0.0] * 6 + [speed] * (len(coupled.free) - 6))
        assert np.abs(qd).max() * dt > 0.3
        assert steps.begin({"whole dt": [dt], "whole qd": qd})[-3] == splits


def test_samples_of_a_batch_are_what_they_are_alone():
    """Some go on with shorter steps where others are done, some are left for later, as those that slide."""
    robot, dt, count = chain(), 2e-3, 512
    (q, qd), forces = throw(count, 250.0), np.zeros((count, 2, 3))
    q[:, 2] = np.random.default_rng(1).uniform(0.1, 0.4, count)
    forces[::9, 0] = 5.0, 0.0, 1.0  # slid in the step before: these go together
    contacts = [sg.Contact("lower", 0.01, at=REACH, friction=0.3), sg.Contact("base", 0.05, friction=0.3)]
    values = [x for c in contacts for x in (c.friction, c.restitution, 1.0 / c.stiffness, c.damping)]
    step, none = sg.Simulator(robot, dt, contacts=contacts).function, np.zeros(robot.nv)
    found = step.ufunc(q, qd, none, np.array([dt]), np.array(values), forces)
    for i in range(count):
        for together, alone in zip(found, step(q[i], qd[i], none, [dt], values, forces[i]), strict=True):
            np.testing.assert_array_equal(together[i], alone)


def test_what_rebounds_leaves_with_its_velocity_of_the_impact():
    """J v at the start of the step, where impulses push, is reflected; arcs would add metres a second."""
    robot, dt, e, seen = chain(), 1e-3, 0.9, 0
    tip = sg.Contact("lower", at=REACH, friction=0.0, restitution=e, stiffness=np.inf)
    q, qd = throw(60, 60.0)
    jacobian, mass, bias = PointJacobians(robot, [tip]), sg.mass_matrix(robot), sg.bias_forces(robot)
    pose = sg.forward_kinematics(robot, "lower")
    heights = np.array([(np.asarray(pose(x)) @ [*REACH, 1.0])[2] for x in q]) - 5e-4
    simulator = sg.Simulator(robot, dt, q, qd, contacts=[tip], ground=sg.Plane(height=heights))
    simulator.step()
    ways = dt * np.maximum(np.abs(qd), np.abs(simulator.qd)).max(axis=1)
    is_whole = ways < 0.1  # others are shorter steps
    for b in np.flatnonzero(is_whole & (simulator.forces[:, 0, 2] > 0.0)):
        M, J = np.asarray(mass(q[b])), jacobian(q[b])[0][2]
        free = qd[b]
        for _ in range(2):  # without contacts, as a step has it
            v = 0.5 * (qd[b] + free)
            turned = np.asarray(turning(robot.manifold, v), float)
            free = qd[b] + dt * (turned - np.linalg.solve(M, np.asarray(bias(q[b], v))))
        arrives = 0.5 * (qd[b] + free)
        push = np.linalg.solve(M, J * dt * simulator.forces[b, 0, 2])
        before, after = J @ arrives, J @ (arrives + push)
        if before > -0.5:
            continue
        seen += 1
        assert after == pytest.approx(-e * before, abs=2.0 * G * dt)
    assert seen > 5
