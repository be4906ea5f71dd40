"""Wheels: contacts whose point moves on the link as it rolls."""

from dataclasses import dataclass

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Planner, Task
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.contacts.contact_constraints import NoSlip, ZeroContactVelocity
from screwgraph.motion.planning.contacts.foot import Foot
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Point, Position, Velocity
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import so3

RADIUS = 0.3
COIN = "bodies:\n  - {link: coin, joint: free, type: floating, mass: 1, inertia: [0.02, 0.04, 0.02]}\n"
ROVER = """
bodies: # a wheel with a motor at its hub, under a trunk on rails along x and z
  - {link: slide, joint: x, type: prismatic, axis: x}
  - {link: trunk, joint: z, type: prismatic, axis: z, mass: 4}
  - {link: leg, joint: length, type: prismatic, axis: -z, mass: 0.5, limits: {lower: 0.2, upper: 0.6}}
  - {link: wheel, joint: hub, axis: y, mass: 1, inertia: [0.02, 0.04, 0.02]}
"""


@pytest.fixture(scope="module")
def coin():
    mechanics = Mechanics(sg.load(COIN))
    return mechanics, Foot(mechanics, "coin", ((0.0, 0.0, 0.0),), radius=RADIUS, axis=(0.0, 1.0, 0.0))


def lowest(R):
    """Return the lowest point of the rim from its centre, by a search over the rim."""
    turn = np.linspace(0.0, 2.0 * np.pi, 100001)
    rim = RADIUS * (np.outer(np.cos(turn), R[:, 0]) + np.outer(np.sin(turn), R[:, 2]))
    return rim[rim[:, 2].argmin()]


def test_a_leaning_wheel_touches_where_it_comes_lowest(coin):
    mechanics, foot = coin
    for seed in range(3):
        q = mechanics.robot.random(np.random.default_rng(seed))
        T = sg.forward_kinematics(mechanics.robot, ["coin"])(q)[0]
        assert foot.touch(T[:3, :3]) == pytest.approx(lowest(T[:3, :3]), abs=1e-4)
        assert foot.heights(q)[0] == pytest.approx(T[2, 3] + lowest(T[:3, :3])[2], abs=1e-8)


def test_a_rolling_wheel_keeps_its_height_and_its_point_at_rest(coin):
    """Velocities that the contact allows: the height stays, and the material point that touches stands still."""
    mechanics, foot = coin
    robot, rng = mechanics.robot, np.random.default_rng(5)
    law = ZeroContactVelocity(foot, settling=1e9)
    q = robot.random(rng)
    slope = np.stack([law(q, e, ground=0.0) for e in np.eye(6)], axis=1)
    for qd in np.linalg.svd(slope)[2][3:]:
        ahead, back = (foot.heights(robot.manifold.retract(q, s * 1e-5 * qd))[0] for s in (1, -1))
        assert (ahead - back) / 2e-5 == pytest.approx(0.0, abs=1e-8)
        T = sg.forward_kinematics(robot, ["coin"])(q)[0]
        omega, v = T[:3, :3] @ qd[:3], T[:3, :3] @ qd[3:]
        assert v + np.cross(omega, foot.touch(T[:3, :3])) == pytest.approx(np.zeros(3), abs=1e-9)


def test_an_upright_wheel_is_a_ball_and_rolls_as_far_as_it_turns(coin):
    mechanics, wheel = coin
    ball = Foot(mechanics, "coin", wheel.points, radius=RADIUS)
    robot, turn = mechanics.robot, np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0])
    q = robot.manifold.retract(robot.neutral(), 3.0 * turn)
    after = robot.manifold.retract(q, turn)
    after[0] += 0.1 * RADIUS
    for foot in (wheel, ball):
        assert foot.heights(q) == pytest.approx([q[2] - RADIUS])
        assert NoSlip(foot)(q, after) == pytest.approx(np.zeros(2), abs=0.1**3 / 6.0 * RADIUS * 1.01), "of third order"
        assert foot.arms(so3.about_axis(np.array([0.0, 1.0, 0.0]), 0.3)).shape == (3, 1)


def test_a_rover_rolls_leaps_and_rolls_on():
    """While the wheel rolls, x is its radius times its angle; in flight the robot's centre falls; friction is kept."""
    robot = sg.load(ROVER)
    start = np.array([0.0, RADIUS + 0.4, 0.4, 0.0])
    phases = [Phase(8, d, n) for n, d in (("roll", 0.4), ("leap", 0.2), ("on", 0.4))]
    contact = PointContact("wheel", phases=["roll", "on"], radius=RADIUS, axis=(0, 1, 0), friction=0.8)
    task = Task(
        robot,
        tuple(phases),
        start=start,
        goals=(Position({"x": 1.0, "length": 0.4}), Velocity(0.0), Point("wheel", [0.36], 0.5, axes="z")),
        costs=(Effort(1.0), Acceleration(1e-3)),
        contacts=(contact,),
        actuated=("length", "hub"),
        collocation="trapezoidal",
    )
    plan = Planner(task).solve()
    assert plan.converged, plan
    x, z, length, hub = plan.q.T
    roll, leap, on = plan.transcription.steps.states
    assert x[roll] - x[0] == pytest.approx(RADIUS * (hub[roll] - hub[0]), abs=2e-3)
    assert x[on] - x[-1] == pytest.approx(RADIUS * (hub[on] - hub[-1]), abs=2e-3)
    assert (z - length)[roll] == pytest.approx(RADIUS, abs=1e-3)
    assert (z - length)[leap].max() >= 0.36 - 1e-6
    force, steps = plan.values["contact 1 force"], plan.transcription.steps
    (wrench,) = contact.wrenches(steps, "contact 1")
    ax, az, al, turn = plan.values["qdd"][wrench.samples].T
    assert force[:, 0] == pytest.approx(5.5 * ax, abs=1e-6), "Newton's law along x"
    assert force[:, 2] == pytest.approx(5.5 * (9.81 + az) - 1.5 * al, abs=1e-6), "and z; the leg slides down by al"
    motor = plan.values["tau"][wrench.samples, 1]
    assert motor == pytest.approx(0.04 * turn + RADIUS * force[:, 0], abs=1e-6), "Euler's law of the wheel"
    assert (np.hypot(*force[:, :2].T) <= 0.8 * force[:, 2] + 1e-6).all()
    assert force[:, 2].min() >= -1e-6


@dataclass(frozen=True)
class Refused:
    fields: dict
    said: str


@pytest.mark.parametrize(
    "case",
    [
        Refused({"axis": (0, 1, 0)}, "has 1 points and the radius 0.0"),
        Refused({"axis": (0, 0, 0), "radius": 0.1}, "the axis of 'wheel' is"),
    ],
)
def test_wheels_that_are_none_are_refused(case):
    robot = sg.load(ROVER)
    contacts = (PointContact("wheel", **case.fields),)
    with pytest.raises(InputError, match=case.said):
        Planner(Task(robot, (Phase(2, 0.1),), start=robot.neutral(), contacts=contacts))
