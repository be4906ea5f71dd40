"""Predictive control of closed chains beside shooting in which loops are kept by multipliers."""

from dataclasses import replace

import numpy as np
import pytest
from tests.motion.control.predictive.plants import heavier
from tests.robots import robot_file

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian
from screwgraph.motion.control import HorizonLimits, converge, mpc, stack_references, stack_weights

DT, N = 0.02, 6
FREE = HorizonLimits(effort=np.inf, velocity=np.inf, lower=-np.inf, upper=np.inf)
WEIGHTS = {"position": 10.0, "velocity": 0.1, "effort": 1e-3}


class Chain:
    """A closed chain in NumPy: loops closed by Newton's method, accelerations by the multipliers of their rows."""

    def __init__(self, robot):
        self.robot, self.kept = robot, list(robot.mobility.kept)
        self.names = [name for name in robot.joint_names if name in robot.independent_joints]
        self.at = [robot.q_slices[name].start for name in self.names]
        self.along = [robot.v_slices[name].start for name in self.names]
        self.mass, self.bias = sg.mass_matrix(robot), sg.bias_forces(robot)

    def close(self, y, near):
        q = near.copy()
        q[self.at] = y
        return self.robot.close_loops(q, self.names)

    def accelerate(self, q, yd, u):
        """Return the accelerations of the independent joints under their efforts."""
        robot, kept, step = self.robot, self.kept, 1e-30
        qd = robot.complete_velocity(q, yd)
        K = constraint_jacobian(robot, q)[kept]
        drift = (constraint_jacobian(robot, q + 1j * step * qd)[kept].imag / step) @ qd
        tau = np.zeros(robot.nv)
        tau[self.along] = u
        A = np.block([[self.mass(q), K.T], [K, np.zeros((len(kept), len(kept)))]])
        found = np.linalg.solve(A, np.concatenate([tau - self.bias(q, qd), -drift]))
        return found[self.along]

    def roll(self, q, yd, u):
        """Return positions and velocities (N + 1, 2 n) of efforts (N, n) that are held."""
        states = [np.concatenate([q[self.at], yd])]
        for own in u:
            yd = yd + DT * self.accelerate(q, yd, own)
            q = self.close(q[self.at] + DT * yd, q)
            states.append(np.concatenate([q[self.at], yd]))
        return np.array(states)


@pytest.mark.parametrize(
    ("robot", "start", "goal"),
    [
        ("four_bar_linkage", [0.2], [0.7]),
        ("geared_leg", [0.3, -0.5], [0.0, 0.2]),
        pytest.param("crank_rocker", [0.3], [1.0], marks=pytest.mark.suite),
        pytest.param("planar_leg_linkage", [0.1, 0.1], [-0.1, 0.2], marks=pytest.mark.suite),
        pytest.param("five_bar", [0.1, -0.1], [0.2, 0.3], marks=pytest.mark.suite),
    ],
)
def test_optima_are_those_of_shooting(robot, start, goal):
    robot = sg.load(robot if robot in sg.zoo_names() else robot_file(f"{robot}.urdf"))
    chain = Chain(robot)
    check_optimum(robot, chain, chain.close(start, robot.neutral()), np.array(goal))


def check_optimum(model, chain, q, goal):
    """Compare with motions of a chain: states, cost, and that no step of Gauss and Newton is left."""
    control, n = mpc(model, DT, N, limits=FREE), len(chain.names)
    yd = np.linspace(0.5, -1.0, n)
    weights, references = stack_weights(model, **WEIGHTS), stack_references(control, goal)
    found = converge(control, q[chain.at], yd, references, weights, tolerance=1e-9)
    roots = np.sqrt(DT * weights)

    def missed(u):
        states = chain.roll(q, yd, u.reshape(N, n)) - [*goal, *np.zeros(n)]
        return np.concatenate([(roots[: 2 * n] * states).ravel(), (roots[2 * n :] * u.reshape(N, n)).ravel()])

    u, step = found.efforts.ravel(), 1e-4
    rolled = chain.roll(q, yd, found.efforts)
    np.testing.assert_allclose(found.states, rolled, atol=1e-7)
    assert found.solution[0] == 0.0
    assert found.solution[1] == pytest.approx(missed(u) @ missed(u), rel=1e-9)
    # A step of Gauss and Newton, with slopes by differences of motions, leads to the optimum: there is no way to go.
    slopes = np.array([missed(u + step * e) - missed(u - step * e) for e in np.eye(len(u))]).T / (2.0 * step)
    way = np.linalg.lstsq(slopes, -missed(u), rcond=None)[0]
    assert np.abs(way).max() < 1e-5 * max(1.0, np.abs(u).max())


def test_a_heavier_five_bar_follows_a_point_with_noise_and_stops_at_its_effort():
    robot = sg.load("five_bar")
    frame, dt, rng = "end_effector", 0.01, np.random.default_rng(2)
    control = mpc(robot, dt, 16, frames=[frame], limits=HorizonLimits(effort=25.0))
    chain, pose = Chain(robot), sg.forward_kinematics(robot, frame)
    goal = np.tile(pose(chain.close([0.3, -0.2], robot.neutral())), (17, 1, 1, 1))
    weights = stack_weights(robot, position=0.0, velocity=0.05, effort=1e-5)
    plant = sg.Simulator(robot, 1e-3, robot.neutral(), parameters=heavier(robot, 0.05))
    references, previous = stack_references(control, np.zeros(2)), np.zeros(control.arguments[-1].shape)
    late = np.zeros(2)  # commands act one tick later
    for k in range(150):
        y = plant.q[chain.at] + 1e-4 * rng.standard_normal(2)
        yd = plant.qd[chain.along] + 1e-3 * rng.standard_normal(2)
        tau, *_, previous, solution = control(
            y, yd, references, weights, goal, [[0.0, 0.0, 0.0, 200.0, 200.0, 0.0]], float(k > 0), previous
        )
        assert solution[0] in (0.0, 1.0)
        assert np.abs(tau).max() <= 25.0
        efforts = np.zeros(robot.nv)
        efforts[chain.along] = late
        plant.step(efforts, steps=10)
        late = tau
    assert np.abs(pose(plant.q)[:2, 3] - goal[0, 0, :2, 3]).max() < 5e-3


def test_loops_are_closed_near_a_position_that_is_given():
    """The same linkage, with its coupler below: the other assembly mode falls otherwise."""
    robot = sg.load("four_bar_linkage")
    chain, q = Chain(robot), robot.neutral()
    below = chain.close([0.2], q + np.array([0.0, -2.5, -2.5]))
    assert np.abs(below - chain.close([0.2], q)).max() > 0.5
    references = None
    for near in (q, below):
        control = mpc(robot, DT, 4, limits=FREE, near=near)
        references = stack_references(control, [0.7]) if references is None else references
        found = converge(control, [0.2], [0.3], references, stack_weights(robot, **WEIGHTS))
        states = [np.array([0.2, 0.3])]
        place = chain.close([0.2], near)
        for u in found.efforts:
            yd = states[-1][1:] + DT * chain.accelerate(place, states[-1][1:], u)
            states.append(np.concatenate([states[-1][:1] + DT * yd, yd]))
            place = chain.close(states[-1][:1], place)
        np.testing.assert_allclose(found.states, states, atol=1e-8)


@pytest.mark.parametrize(("goal", "speed"), [(-0.5, 0.0), (-0.5, -8.0), (1.5, 0.0)])
def test_horizons_end_where_loops_close(goal, speed):
    """A rocker whose goal is beyond where its crank turns back: the last state is linearised about in the next call."""
    robot = replace(sg.load(robot_file("crank_rocker.urdf")), independent=("follower",))
    chain, control = Chain(robot), mpc(robot, DT, 2, limits=FREE)
    weights = stack_weights(robot, position=10.0, velocity=0.01, effort=1e-6)
    references = stack_references(control, [goal])
    previous, q, yd = np.zeros(control.arguments[-1].shape), robot.neutral(), np.array([speed])
    for k in range(8):
        _, states, *_, previous, solution = control(q[chain.at], yd, references, weights, float(k > 0), previous)
        assert solution[0] < 3.0
        assert previous[0] >= 1.0  # the next call goes on
        closed = [chain.close(position, q) for position in states[:, :1]]  # raises where there is no such position
        q, yd = closed[1], states[1, 1:]
