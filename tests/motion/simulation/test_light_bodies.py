"""Free bodies of any inertia move, by every rule of a step and every back end."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import BACKENDS, Library
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Floating
from screwgraph.motion.simulation import Simulator
from screwgraph.motion.simulation.step_rules import STEP_RULES
from screwgraph.spatial import SpatialInertia
from tests.motion.simulation.robots import WEIGHTLESS

START, ALONG, SPIN = np.array([1.0, 2.0, 3.0]), np.array([1.0, -0.5, 0.25]), np.array([0.3, -0.4, 1.2])
DT, STEPS = 1e-2, 50


def ball(mass: float, inertia: float) -> Robot:
    """A body with equal moments of inertia: it turns at a constant rate, and its centre moves straight."""
    body = SpatialInertia.of_body(mass, np.zeros(3), inertia * np.eye(3))
    return tree(
        "ball", [Link("base"), Link("ball", body)], [Joint("free", Floating(), "base", "ball")], gravity=WEIGHTLESS
    )


def after(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where the centre is, and the quaternion, after a start without rotation."""
    half, rate = 0.5 * time * np.linalg.norm(SPIN), np.linalg.norm(SPIN)
    return START + ALONG * time, np.array([*(np.sin(half) * SPIN / rate), np.cos(half)])


def check(q: np.ndarray, q_after: tuple[np.ndarray, np.ndarray], order: float) -> None:
    place, turn = q_after
    np.testing.assert_allclose(q[:3], place, atol=order)
    np.testing.assert_allclose(q[3:], turn * np.sign(turn @ q[3:]), atol=order)


@pytest.mark.parametrize("method", sorted(STEP_RULES))
@pytest.mark.parametrize("inertia", [1e-12, 1e-6, 1e-2, 1e6])
def test_a_ball_flies_straight_and_spins(method, inertia):
    """The velocity turns in the body's own frame: the path of a rule of first order is off by |w| |v| dt t."""
    q0, qd0 = np.array([*START, 0.0, 0.0, 0.0, 1.0]), np.array([*SPIN, *ALONG])
    simulator = Simulator(ball(1.0, inertia), DT, q0, qd0, method=method)
    simulator.step(steps=STEPS)
    time = STEPS * DT
    order = 1e-7 if method == "rk4" else 2.0 * float(np.linalg.norm(SPIN) * np.linalg.norm(ALONG)) * DT * time
    check(simulator.q, after(time), order)


@pytest.mark.parametrize("length", [1e-12, 1e-6, 1e-3, 1e-1])
def test_the_code_of_every_back_end_moves_it(length):
    """NumPy's, CasADi's and LLVM's code of a step, of all lengths: q moves by V dt up to second order."""
    step = Simulator(ball(1e-3, 1e-9), length).function
    q, qd, tau, dt = np.array([*START, 0.0, 0.0, 0.0, 1.0]), np.array([*SPIN, *ALONG]), np.zeros(6), np.array([length])
    (source,) = BACKENDS["numpy"].files(Library("", (step.listing(),))).values()
    written = dict[str, Any]()
    exec(source, written)
    ways = {
        "llvm": step(q, qd, tau, dt),
        "numpy": written["step"](q, qd, tau, dt),
        "casadi": [np.array(ca.DM(x)).ravel() for x in step.casadi(q, qd, tau, dt)],
    }
    moved = length * np.array([*ALONG, *(0.5 * SPIN)])
    for name, (ahead, velocity) in ways.items():
        np.testing.assert_allclose((ahead - q)[:6], moved, atol=2.0 * length**2 + 1e-15, err_msg=name)
        np.testing.assert_allclose(velocity, qd, atol=2.0 * length, err_msg=name)


def test_a_closed_chain_stays_where_it_begins():
    """In ten steps of 1 ms a legged robot with loops falls by half a millimetre, from where it was."""
    robot = sg.load("five_bar", base="floating")
    q0 = Simulator(robot).q.copy()
    q0[:3] = START
    simulator = Simulator(robot, 1e-3, q0)
    simulator.step(steps=10)
    np.testing.assert_allclose(simulator.q[:3], START, atol=5e-3)
    assert (simulator.q[:3] - START) @ np.array(robot.gravity) > 0.0


def test_hinges_that_pass_gimbal_lock_are_named():
    """Three hinges in a row carry a body that spins: where their axes lie in a plane, no step is small enough."""
    body = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{body if name == "body" else ""}</link>' for name in ("w", "a", "b", "body"))
    rows = (("yaw", "w", "a", "0 0 1"), ("pitch", "a", "b", "0 1 0"), ("roll", "b", "body", "1 0 0"))
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{above}"/><child link="{below}"/>'
        f'<axis xyz="{axis}"/></joint>'
        for name, above, below, axis in rows
    )
    robot, rng = sg.load(f'<robot name="gimbals">{links}{joints}</robot>'), np.random.default_rng(0)
    states = rng.uniform(-1.0, 1.0, (100, 3)), rng.uniform(-10.0, 10.0, (100, 3))
    with pytest.raises(sg.InputError, match="gimbal lock") as refused:
        sg.Simulator(robot, 1e-3, *states).step(steps=2000)
    assert "armature" in str(refused.value)
