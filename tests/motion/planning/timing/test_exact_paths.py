"""Exact paths with their fastest timing: closed forms, TOPP-RA's library, Pinocchio's torques at fine times."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.motion.planning import ExactPath, Planner, Task, TimedPath, horizon, read_task
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.limits import AccelerationLimit, EffortLimit, JerkLimit, PositionLimit, VelocityLimit
from tests.oracle import Oracle, pinocchio_model

RAIL = """
name: rail
gravity: [0, 0, 0]
bodies:
  - {link: cart, joint: x, type: prismatic, axis: x, mass: 2}
"""
HOIST = """
name: hoist
gravity: [0, 0, -10]
bodies:
  - {link: load, joint: z, type: prismatic, axis: z, mass: 2, damping: 0}
"""


def timed(robot, positions, *limits, steps=200) -> TimedPath:
    found: Any = sg.plan(Task(robot, limits=limits, path=ExactPath(positions, steps)))
    assert isinstance(found, TimedPath)
    return found


def test_bang_bang_of_one_joint():
    """Half the way with the largest acceleration, half with the least: T = 2 sqrt(d / a)."""
    found = timed(sg.load(RAIL), [[0.0], [1.5]], AccelerationLimit(3.0), steps=64)
    assert found.solved, found
    assert found.cost == pytest.approx(2.0 * np.sqrt(1.5 / 3.0), rel=1e-9)


def test_a_largest_velocity_between():
    """T = d / v + v / a; edges of the grid are not where the speed is reached, which costs at most a step."""
    found = timed(sg.load(RAIL), [[0.0], [1.5]], AccelerationLimit(3.0), VelocityLimit(1.0), steps=400)
    assert 0.0 <= found.cost - (1.5 / 1.0 + 1.0 / 3.0) < 1e-4
    assert np.abs(found.qd).max() <= 1.0 + 1e-9


def test_a_load_is_lifted_within_a_force():
    """Up with F - m g, down with gravity and the least force: different accelerations, d = a b T^2 / (2 (a + b))."""
    found = timed(sg.load(HOIST), [[0.0], [2.0]], EffortLimit({"z": (5.0, 30.0)}), steps=400)
    up, down = 30.0 / 2.0 - 10.0, 10.0 - 5.0 / 2.0
    assert found.cost == pytest.approx(np.sqrt(2.0 * 2.0 * (up + down) / (up * down)), rel=1e-4)
    assert found.tau.max() <= 30.0 * (1.0 + 1e-9)
    assert found.tau.min() >= 5.0 * (1.0 - 1e-9)


def test_damping_takes_its_part_of_the_force():
    """v' = (F - d v) / m up to the switch, v' = (-F - d v) / m after it, which ends at rest."""
    robot = sg.load(RAIL.replace("mass: 2", "mass: 2, damping: 3"))
    found = timed(robot, [[0.0], [1.0]], EffortLimit(4.0), steps=400)
    force, d, m = 4.0, 3.0, 2.0
    v = lambda t: force / d * (1.0 - np.exp(-d * t / m))  # noqa: E731
    way = lambda t: force / d * (t - m / d * (1.0 - np.exp(-d * t / m)))  # noqa: E731
    stop = lambda v0: m / d * np.log1p(d * v0 / force)  # noqa: E731
    rest = lambda v0: m / d * (v0 - force / d * np.log1p(d * v0 / force))  # noqa: E731
    low, high = 0.0, 10.0
    for _ in range(100):
        t = 0.5 * (low + high)
        low, high = (t, high) if way(t) + rest(v(t)) < 1.0 else (low, t)
    assert found.solved, found
    assert found.cost == pytest.approx(low + stop(v(low)), rel=6e-3)
    assert np.abs(found.at(np.linspace(0.0, found.t[-1], 5001)).tau).max() <= 4.0 * (1.0 + 1e-6)


def fine_excess(found: TimedPath, velocity, acceleration, effort) -> float:
    """The largest part by which limits are exceeded at 20001 times; torques are Pinocchio's."""
    robot = found.task.robot
    oracle = Oracle(robot, *pinocchio_model(robot))
    state = found.at(np.linspace(0.0, found.t[-1], 20001))
    tau = np.array([oracle.inverse_dynamics(*row) for row in zip(state.q, state.qd, state.qdd, strict=True)])
    parts = (state.qd / velocity, state.qdd / acceleration, tau / effort)
    return max(float(np.abs(part).max()) for part in parts) - 1.0


def waypoints(seed: int, robot) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (4, robot.nv))


@pytest.mark.extra
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_as_fast_as_toppra_and_within_limits_at_fine_times(seed):
    """The same spline and grid; toppra keeps limits at both ends of each step, and is faster by its excess between."""
    ta = pytest.importorskip("toppra")
    from toppra import algorithm, constraint

    ta.setup_logging("ERROR")
    robot = sg.load("puma560")
    q, n = waypoints(seed, robot), robot.nv
    v, a, tau = np.full(n, 2.0), np.full(n, 6.0), np.array([120.0, 150.0, 80.0, 8.0, 8.0, 8.0])
    limits = VelocityLimit(2.0), AccelerationLimit(6.0), EffortLimit(dict(zip(robot.joint_names, tau, strict=True)))
    found = timed(robot, q, *limits, steps=200)
    assert found.solved, found
    assert fine_excess(found, v, a, tau) < 1e-6
    path = ta.SplineInterpolator(ExactPath(q).edges, q)
    oracle = Oracle(robot, *pinocchio_model(robot))
    both = [np.stack([-x, x], axis=1) for x in (v, a, tau)]
    asked = [
        constraint.JointVelocityConstraint(both[0]),
        constraint.JointAccelerationConstraint(both[1], constraint.DiscretizationType.Interpolation),
        constraint.JointTorqueConstraint(
            oracle.inverse_dynamics, both[2], np.zeros(n), constraint.DiscretizationType.Interpolation
        ),
    ]
    solver = algorithm.TOPPRA(asked, path, gridpoints=found.s, solver_wrapper="seidel")
    rival: Any = solver.compute_trajectory(0, 0)
    assert found.cost == pytest.approx(rival.duration, rel=5e-4)


def test_the_motion_is_exactly_on_the_path_and_moves_as_it_says():
    robot = sg.load("rr")
    found = timed(robot, [[0.0, 0.0], [0.6, -0.4], [1.2, 0.3]], VelocityLimit(2.0), EffortLimit(60.0))
    assert found.solved, found
    times = np.linspace(0.0, found.t[-1], 4001)
    state = found.at(times)
    path: Any = found.task.path
    dense = path.at(np.linspace(0.0, path.edges[-1], 20001))
    off = [np.linalg.norm(dense - q, axis=1).min() for q in state.q[::40]]
    assert max(off) < 1e-4
    middle = 0.5 * (times[1:] + times[:-1])
    assert np.diff(state.q, axis=0) / np.diff(times)[:, None] == pytest.approx(found.at(middle).qd, abs=1e-3)
    assert found.q[[0, -1]] == pytest.approx(np.array([[0.0, 0.0], [1.2, 0.3]]), abs=1e-12)
    assert found.qd[[0, -1]] == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    run = sg.inverse_trajectory(robot, found.trajectory)
    assert np.median(np.abs(run.tau - found.tau)) < 0.05 * np.abs(found.tau).max()


def test_finer_grids_come_to_the_same_time():
    robot = sg.load("rr")
    q = [[0.0, 0.0], [0.6, -0.4], [1.2, 0.3]]
    times = [timed(robot, q, VelocityLimit(2.0), EffortLimit(60.0), steps=n).cost for n in (100, 200, 400, 800)]
    gaps = np.abs(np.diff(times))
    assert gaps[-1] < 1e-3 * times[-1]
    assert gaps[2] < gaps[0]


def test_where_no_speed_holds_is_told():
    """The arm cannot hold its own weight half-way."""
    robot = sg.load(HOIST)
    found = timed(robot, [[0.0], [1.0]], EffortLimit(15.0))
    assert not found.feasible
    assert found.status.startswith("infeasible at")
    assert "holding still there takes 20 (N m, N) of joint 'z', beyond its limit" in found.reason
    with pytest.raises(InputError, match="there is no motion: infeasible at"):
        found.at(0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"path": ExactPath([[0.0], [1.0]])}, "path: positions have 1 numbers: the robot has nq = 2"),
        ({"limits": ()}, "a path without limits would be passed in no time"),
        ({"limits": (JerkLimit(1.0),)}, "limit 1: the timing of an exact path keeps no such item"),
        ({"limits": (VelocityLimit(1.0, sigma=0.1),)}, "limit 1: the timing of an exact path keeps no such item"),
        ({"costs": (Effort(1.0),)}, "cost 1: the timing of an exact path keeps no such item"),
        ({"limits": (PositionLimit((-0.5, 0.5)), VelocityLimit(1.0))}, "path: joint 'joint1' stands at 1 at 100 %"),
        ({"robot": sg.load_mechanism("four_bar")}, "an exact path is for robots with a number for each joint"),
    ],
)
def test_what_cannot_be_timed_is_refused(change, said):
    task = Task(sg.load("rr"), limits=(VelocityLimit(1.0),), path=ExactPath([[0.0, 0.0], [1.0, 0.2]]))
    with pytest.raises(InputError, match=said) as caught:
        sg.plan(replace(task, **change))
    assert "\n" not in str(caught.value)


def test_a_planner_leaves_paths_to_plan():
    with pytest.raises(InputError, match=r"nothing but its timing is sought \(sg.plan finds it\)"):
        Planner(Task(sg.load("rr"), limits=(VelocityLimit(1.0),), path=ExactPath([[0.0, 0.0], [1.0, 0.2]])))


def test_paths_that_are_none_are_refused():
    for positions, said in (
        ("here", "positions of a path"),
        ([[0.0]], "two or more"),
        ([[0.0], [0.0]], "twice in a row"),
    ):
        with pytest.raises(InputError, match=said):
            ExactPath(positions)
    with pytest.raises(InputError, match="a path has 1 steps"):
        ExactPath([[0.0], [1.0]], 1)
    with pytest.raises(InputError, match="the path's timing is found"):
        Task(sg.load("rr"), horizon(2, 0.1), path=ExactPath([[0.0, 0.0], [1.0, 0.2]]))


FILE = """
robot: rr
path: {positions: [[0, 0], [0.6, -0.4], [1.2, 0.3]], steps: 100}
limits: [{velocity: 2}, {effort: 60}]
"""


def test_files_have_a_path(tmp_path):
    (tmp_path / "task.yaml").write_text(FILE)
    found = sg.plan(read_task(tmp_path / "task.yaml"))
    assert found.solved, found
    direct = timed(sg.load("rr"), [[0, 0], [0.6, -0.4], [1.2, 0.3]], VelocityLimit(2.0), EffortLimit(60.0), steps=100)
    assert found.t[-1] == direct.t[-1]
    for old, new, said in (
        ("[0.6, -0.4]", "[0.6]", "task.yaml:3: .*it must be 2 numbers"),
        ("positions:", "points:", "task.yaml:3: .*there is no key 'points'"),
        ("steps: 100", "steps: 0", "task.yaml:3: path: a path has 0 steps"),
        (
            "limits:",
            "costs: {effort: 1}\nlimits:",
            "task.yaml:4: cost 1: the timing of an exact path keeps no such item",
        ),
        ("{velocity: 2}", "velocity", "task.yaml:4: limit 1: robot 'rr' has no velocity limits"),
        ("limits:", "horizon: {steps: 2, dt: 0.1}\nlimits:", "the path's timing is found"),
    ):
        (tmp_path / "task.yaml").write_text(FILE.replace(old, new))
        with pytest.raises(ScrewgraphError, match=said) as caught:
            sg.plan(read_task(tmp_path / "task.yaml"))
        assert "\n" not in str(caught.value)
