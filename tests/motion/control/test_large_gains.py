"""Weights and gains of any size: limits that can be kept are kept, and rounding makes no torque."""

import numpy as np
import pytest
from benchmarks.controller_cases import a1
from benchmarks.controller_programs import draw_ticks

import screwgraph as sg
from screwgraph.motion.control import stack_gains
from tests.motion.control.robots import crouched
from tests.motion.control.test_controllers import BODY_TASKS, LIMITS, body_controller

TICKS = 12


def draw(rng, robot):
    """Return the arguments of a tick without gains, and gains."""
    q, qd = crouched(robot), 0.3 * rng.standard_normal(robot.nv)
    q[7:] += rng.uniform(-0.2, 0.2, 9)
    goal = sg.forward_kinematics(robot, "body")(q)
    goal[:3, 3] += 0.02 * rng.standard_normal(3)
    com = sg.center_of_mass(robot)(q) + 0.01 * rng.standard_normal(3)
    still = np.zeros((2, 6)), np.zeros((2, 9)), np.zeros((2, 3))
    references = goal, still[0], q[7:] + 0.1 * rng.standard_normal(9), still[1], com, still[2]
    return (q, qd, *references), stack_gains(BODY_TASKS) * rng.uniform(0.5, 2.0, (3, 3))


@pytest.mark.parametrize("columns", [slice(0, 2), slice(2, 3), slice(0, 3)], ids=["gains", "weights", "all"])
@pytest.mark.parametrize("factor", [1e2, 1e4, 1e8])
def test_limits_are_kept_whatever_the_gains(columns, factor):
    """Limits do not depend on gains: what is feasible with small ones is so with large ones, too."""
    robot, f = body_controller()
    rng, kept = np.random.default_rng(4), 0
    contacts = np.array([(1.0, 0.6), (1.0, 0.6), (0.0, 0.6)])
    for k in range(TICKS):
        contacts[k % 3, 0] = 1.0 - contacts[k % 3, 0]
        arguments, gains = draw(rng, robot)
        last = contacts, np.zeros(f.arguments[-1].shape)
        if f(*arguments, gains, *last)[-1][0] != 0.0:
            continue
        gains[:, columns] *= factor
        tau, qdd, forces, _, (status, _, violation) = f(*arguments, gains, *last)
        assert status == 0.0
        assert violation < 1e-6
        assert abs(tau).max() <= 60.0 + 1e-6
        # Accelerations and forces are those of the torques: nothing of them is rounding.
        q, qd = arguments[:2]
        arms = [J[3:] for J in (_jacobian(robot, side, q) for side in ("front", "left", "right"))]
        left = sg.inverse_dynamics(robot)(q, qd, qdd) - sum(J.T @ x for J, x in zip(arms, forces, strict=True))
        np.testing.assert_allclose(left[6:], tau, atol=1e-5)
        np.testing.assert_allclose(left[:6], 0.0, atol=1e-5)
        for bounds in LIMITS.list_bounds(robot):
            low, up = LIMITS.bound_acceleration(bounds, float(q[bounds.at]), float(qd[bounds.along]))
            assert low - 1e-4 < qdd[bounds.along] < up + 1e-4
        kept += 1
    assert kept > 4


def _jacobian(robot, side, q):
    """Return the Jacobian (6, nv) of the lowest point of a foot."""
    frame = f"{side}_knee_link"
    J = sg.frame_jacobian(robot, frame, reference="local_world_aligned")(q)
    arm = sg.forward_kinematics(robot, frame)(q)[:3, :3] @ [0.0, 0.0, -0.2] - [0.0, 0.0, 0.02]
    return np.vstack([J[:3], J[3:] + np.cross(J[:3].T, arm).T])


def test_weights_are_relative():
    """Ten thousand times the weight of every task is the same controller, small weights aside."""
    robot, f = body_controller()
    rng, contacts = np.random.default_rng(5), np.tile([1.0, 0.6], (3, 1))
    for _ in range(TICKS):
        arguments, gains = draw(rng, robot)
        tau = f(*arguments, gains, contacts, np.zeros(f.arguments[-1].shape))[0]
        gains[:, 2] *= 1e4
        again = f(*arguments, gains, contacts, np.zeros(f.arguments[-1].shape))[0]
        np.testing.assert_allclose(again, tau, atol=0.05)


def test_goals_that_are_far_keep_their_direction():
    """A stiffness of 1e9 asks for 1e8 m/s2 along x: the body goes as fast as the limits allow, as with 1e4 m/s2."""
    robot, f = body_controller()
    q, still = crouched(robot), [np.zeros((2, 6)), np.zeros((2, 9)), np.zeros((2, 3))]
    goal = sg.forward_kinematics(robot, "body")(q)
    goal[:3, 3] += [0.1, 0.0, 0.0]
    gains, fastest = stack_gains(BODY_TASKS), list[float]()
    contacts, com = np.tile([1.0, 0.6], (3, 1)), sg.center_of_mass(robot)(q)
    for stiffness in (1e5, 1e9):
        gains[0] = stiffness, 0.0, 1.0
        arguments = q, np.zeros(robot.nv), goal, still[0], q[7:], still[1], com, still[2], gains, contacts
        _, qdd, *_, (status, _, _) = f(*arguments, np.zeros(f.arguments[-1].shape))
        assert status == 0.0
        fastest.append(qdd[3])
    assert fastest[0] > 3.0
    np.testing.assert_allclose(fastest[1], fastest[0], rtol=1e-2)


@pytest.mark.parametrize("factor", [1.0, 1e3, 1e6])
def test_states_without_a_solution_have_one_that_gives_way(factor):
    """Speeds and goals that limits forbid, with gains and weights of any size: passages end before they are most."""
    case = a1()
    drawn = draw_ticks(case.body, 2000, seed=3)
    drawn["gains"] = drawn["gains"] * factor
    given = {a.name: drawn[a.name] for a in case.function.arguments[:-1]}
    solution = case.function(**given, active=np.zeros(case.function.arguments[-1].shape))[-1]
    assert set(solution[:, 0]) == {0.0, 1.0}
