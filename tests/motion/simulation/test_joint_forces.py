"""Forces of joints within time steps against motions that are known in closed form."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, tree, with_gravity
from screwgraph.model.robot.joints import Prismatic
from screwgraph.model.robot.parts import Limits
from screwgraph.motion.simulation.joint_forces.friction import CREEP
from screwgraph.spatial import SpatialInertia

MASS = 2.0


def block(**values):
    """A block of 2 kg that slides along x."""
    body = SpatialInertia.of_body(MASS, np.zeros(3), 1e-3 * np.eye(3))
    joint = Joint("slide", Prismatic((1.0, 0.0, 0.0)), "base", "block", **values)
    return tree("block", [Link("base"), Link("block", body)], [joint])


def moved(robot, steps, dt=1e-3, q0=0.0, qd0=0.0, tau=0.0, **options):
    simulator = sg.Simulator(robot, dt, [q0], [qd0], **options)
    simulator.step([tau], steps)
    return float(simulator.q[0]), float(simulator.qd[0])


@pytest.mark.parametrize("damping", [0.5, 1e2, 1e4, 1e8])
def test_damping_is_stable_at_any_strength_and_of_order_one(damping):
    rate = damping / MASS
    errors = []
    for dt in (1e-3, 5e-4):
        q, qd = moved(block(damping=damping), round(1.0 / dt), dt, qd0=1.0)
        assert 0.0 <= qd <= 1.0
        assert q <= 1.0 / rate + 1e-15
        errors.append(abs(q - (1.0 - np.exp(-rate)) / rate))
    if rate < 10.0:
        assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.01)


def test_a_damped_oscillator_is_that_in_closed_form():
    k, d, x0 = 200.0, 0.4, 0.1
    w0, decay = np.sqrt(k / MASS), d / MASS / 2.0
    w = np.sqrt(w0**2 - decay**2)
    exact = x0 * np.exp(-decay) * (np.cos(w) + decay / w * np.sin(w))
    errors = [
        abs(moved(block(damping=d), round(1.0 / dt), dt, q0=x0, springs={"slide": k})[0] - exact) for dt in (2e-4, 1e-4)
    ]
    assert errors[0] < 1e-4
    assert errors[1] < 0.6 * errors[0]


def test_a_spring_keeps_its_energy_for_long():
    k, amplitude = 200.0, 0.1
    simulator = sg.Simulator(block(), 1e-3, [amplitude], [0.0], springs={"slide": (k, 0.0)})
    energies = []
    for _ in range(100):
        simulator.step(steps=1000)
        energies.append(0.5 * MASS * simulator.qd[0] ** 2 + 0.5 * k * simulator.q[0] ** 2)
    np.testing.assert_allclose(energies, 0.5 * k * amplitude**2, rtol=0.02)  # of order omega dt = 0.01, for 160 periods


def test_a_spring_that_steps_cannot_resolve_comes_to_rest():
    q, qd = moved(block(), 1000, q0=0.4, springs={"slide": (1e9, 0.3)})
    assert q == pytest.approx(0.3, abs=1e-12)
    assert qd == pytest.approx(0.0, abs=1e-9)


def test_a_sliding_block_stops_when_and_where_it_should_and_stays():
    level, v, dt = 4.0, 1.0, 1e-3
    deceleration = level / MASS
    stop, way = v / deceleration, v**2 / deceleration / 2.0
    q, qd = moved(block(friction=level), round(stop / dt) - 2, qd0=v, friction=True)
    assert qd == pytest.approx(2.0 * deceleration * dt)
    q, qd = moved(block(friction=level), round(stop / dt) + 1, qd0=v, friction=True)
    assert abs(qd) <= CREEP
    assert q == pytest.approx(way, abs=v * dt)
    later, _ = moved(block(friction=level), round(stop / dt) + 1001, qd0=v, friction=True)
    assert later - q <= CREEP


@pytest.mark.parametrize("v", [1.0, 0.7321, -0.31])
def test_it_stops_at_the_right_step_whatever_its_velocity(v):
    level = 4.3
    simulator = sg.Simulator(block(friction=level), 1e-3, [0.0], [v], friction=True)
    stop = MASS * abs(v) / level
    simulator.step(steps=int(stop / 1e-3))
    assert abs(simulator.qd[0]) > CREEP
    simulator.step(steps=2)
    assert abs(simulator.qd[0]) <= CREEP
    assert simulator.q[0] == pytest.approx(0.5 * v * stop, abs=1e-3 * abs(v))


@pytest.mark.parametrize("level", [5.0, 1e3])
@pytest.mark.parametrize("name", ["rrr", "four_bar_linkage"])
@pytest.mark.sampled(2)
def test_friction_of_many_joints_never_brings_energy(name, level):
    model = with_gravity(sg.load(name), (0.0, 0.0, 0.0))
    robot = replace(model, joints=tuple(replace(joint, friction=level, damping=0.0) for joint in model.joints))
    q, qd = np.array([0.3, 0.7, -0.4]), np.array([5.0, -3.0, 4.0])
    if robot.is_closed:
        q = robot.close_loops(robot.neutral())
        qd = robot.complete_velocity(q, np.full(robot.mobility.freedom, 3.0))
    simulator, energy = sg.Simulator(robot, 1e-3, q, qd, friction=True), sg.kinetic_energy(robot)
    energies, work = [float(energy(q, qd))], 0.0
    for _ in range(200):
        simulator.step()
        work += 1e-3 * level * np.abs(simulator.qd).sum()
        energies.append(float(energy(simulator.q, simulator.qd)))
    assert np.diff(energies).max() <= 1e-3 * energies[0]  # of order dt: Coriolis forces are those before the step
    if level < 100.0:
        assert energies[0] - energies[-1] == pytest.approx(work, rel=0.05)
    else:
        assert np.abs(simulator.qd).max() <= CREEP


@pytest.mark.parametrize(("tau", "acceleration"), [(3.99, 0.0), (-3.99, 0.0), (6.0, 1.0), (-6.0, -1.0)])
def test_a_block_at_rest_sticks_up_to_the_level_of_friction(tau, acceleration):
    q, qd = moved(block(friction=4.0), 1000, tau=tau, friction=True)
    assert qd == pytest.approx(acceleration, abs=2 * CREEP)
    assert q == pytest.approx(acceleration / 2.0, abs=1e-3)


def test_friction_takes_away_as_much_energy_as_the_law_says():
    level, v = 0.7, 2.0
    q, qd = moved(block(friction=level), 500, qd0=v, friction=True)
    lost = 0.5 * MASS * (v**2 - qd**2)
    assert lost == pytest.approx(level * q, rel=1e-3)  # of order dt


@pytest.mark.parametrize(("factor", "sticks"), [(1.01, True), (0.5, False)])
def test_friction_of_a_chain_holds_it_against_gravity_up_to_its_level(factor, sticks):
    arm = sg.load("rrr")
    level = factor * np.abs(sg.inverse_dynamics(arm)(*np.zeros((3, 3)))).max()
    joints = tuple(replace(joint, friction=level) for joint in arm.joints)
    simulator = sg.Simulator(replace(arm, joints=joints), friction=True)
    simulator.step(steps=200)
    assert (np.abs(simulator.qd).max() <= CREEP) == sticks


def test_a_block_that_a_moving_spring_pulls_sticks_then_slips():
    """It sticks until the spring pulls with F; from there on x = V s - V / w sin(w s), with w^2 = k / m."""
    level, k, V, dt = 4.0, 50.0, 0.3, 1e-3
    simulator = sg.Simulator(block(friction=level), dt, friction=True, parameters=["slide.stiffness"])
    start, w = level / (k * V), np.sqrt(k / MASS)
    times, found = dt * np.arange(1, round((start + 2.5 * np.pi / w) / dt)), []
    for t in times:
        simulator.set_parameters({"slide.stiffness": (k, V * t)})
        simulator.step()
        found.append(float(simulator.q[0]))
    s = np.maximum(times - start, 0.0)
    np.testing.assert_allclose(found, V * s - V / w * np.sin(w * s), atol=3.0 * V * dt)
    assert abs(found[round(0.9 * start / dt)]) < CREEP


def test_a_stop_takes_the_velocity_and_holds():
    robot = block(limits=Limits(lower=-1.0, upper=1.0))
    q, qd = moved(robot, 1500, qd0=1.0, stops=True)
    assert q == pytest.approx(1.0, abs=2e-6)
    assert abs(qd) < 2e-6
    q, qd = moved(robot, 1500, q0=1.0, tau=50.0, stops=True)
    assert q == pytest.approx(1.0, abs=1e-6)
    q, qd = moved(robot, 1000, q0=-1.0, tau=2.0, stops=True)
    assert (q, qd) == (pytest.approx(-0.5, abs=1e-3), pytest.approx(1.0))


def test_a_joint_that_begins_out_of_range_is_not_thrown_back():
    q, qd = moved(block(limits=Limits(lower=-1.0, upper=1.0)), 500, q0=1.5, qd0=2.0, stops=True)
    assert q == pytest.approx(1.5, abs=1e-5)
    assert abs(qd) < 1e-4
    q, _ = moved(block(limits=Limits(lower=-1.0, upper=1.0)), 500, q0=1.5, tau=-2.0, stops=True)
    assert q == pytest.approx(1.5 - 0.125, abs=1e-3)


def test_without_stops_a_joint_leaves_its_range():
    q, _ = moved(block(limits=Limits(lower=-1.0, upper=1.0)), 1500, qd0=1.0)
    assert q == pytest.approx(1.5)


def test_effort_limits_cut_torques():
    _, qd = moved(block(limits=Limits(effort=3.0)), 1000, tau=100.0, effort_limits=True)
    assert qd == pytest.approx(1.5)


@pytest.mark.parametrize("options", [{"friction": True}, {"stops": True}, {"springs": {"slide": 1.0}}])
def test_explicit_methods_have_no_implicit_forces(options):
    robot = block(friction=1.0, limits=Limits(lower=-1.0, upper=1.0))
    with pytest.raises(sg.InputError, match=r"by method 'rk4'.*method='semi_implicit'"):
        sg.Simulator(robot, method="rk4", **options)


def test_springs_of_joints_that_there_are_none_of_are_refused_before_a_step_is_compiled(monkeypatch):
    def compile_step(self, options, dt):
        pytest.fail("a step is compiled")

    monkeypatch.setattr("screwgraph.motion.simulation.robot_dynamics.RobotDynamics.compile_step", compile_step)
    with pytest.raises(sg.InputError, match="springs: no joint is called 'knee'"):
        sg.simulate(block(), springs={"knee": 1.0}, contacts=[sg.Contact("block")])


@pytest.mark.parametrize("springs", [{"knee": 1.0}, {"slide": -1.0}, {"slide": (1.0, 2.0, 3.0)}])
def test_springs_that_are_none_are_refused(springs):
    with pytest.raises(sg.InputError, match="joint"):
        sg.Simulator(block(), springs=springs)
    with pytest.raises(
        sg.InputError, match=r"Simulator: springs: expected a mapping, \{name: a number or a list of numbers\}"
    ):
        sg.Simulator(block(), springs={"slide": "soft"})
