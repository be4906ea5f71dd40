"""Goals of frames along a horizon: the optimum of dense equations, and errors of one line."""

from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.control import HorizonLimits, converge, stack_references, stack_weights
from screwgraph.spatial import log3

DT, STAGES, TIP = 0.05, 6, "tool"
FRAME_WEIGHTS = np.array([[0.3, 0.3, 0.3, 50.0, 50.0, 50.0]])


@cache
def reach():
    robot = sg.load("rr")
    limits = HorizonLimits(effort=1e3, velocity=1e3)
    control = sg.mpc(robot, DT, STAGES, frames=[TIP], limits=limits, barrier_steps=1)
    return robot, control, stack_weights(robot, position=1e-3, velocity=0.05, effort=1e-4)


def find_cost(robot, u, q, v, goals, weights):
    total = -DT * weights[4:] @ u[-1] ** 2
    for k, effort in enumerate([*u, u[-1]]):
        T = sg.forward_kinematics(robot, TIP)(q)
        turn = log3(goals[k, :3, :3].T @ T[:3, :3])
        total += DT * FRAME_WEIGHTS[0] @ np.concatenate([turn, T[:3, 3] - goals[k, :3, 3]]) ** 2
        total += DT * weights[:4] @ np.concatenate([q, v]) ** 2
        total += DT * weights[4:] @ effort**2
        v = v + DT * sg.forward_dynamics(robot)(q, v, effort)
        q = q + DT * v
    return total


def test_a_frame_follows_a_path_as_is_best():
    robot, control, weights = reach()
    q, v = np.array([0.4, 0.9]), np.array([0.3, -0.2])
    path = np.linspace([0.5, 0.8], [0.9, 0.5], STAGES + 1)
    goals = np.array([sg.forward_kinematics(robot, TIP)(x) for x in path])
    goals[:, 0, 3] += 0.05  # out of reach of its orientation
    references = stack_references(control, [0.0, 0.0])
    found = converge(control, q, v, references, weights, frames=goals[:, None], frame_weights=FRAME_WEIGHTS)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-8
    best, size = find_cost(robot, found.efforts, q, v, goals, weights), np.abs(found.efforts).max()
    assert abs(found.solution[1] / best - 1.0) < 1e-9
    rng = np.random.default_rng(0)
    for _ in range(6):
        way = rng.standard_normal(found.efforts.shape)
        h = 1e-4 * size
        ends = [find_cost(robot, found.efforts + s * h * way, q, v, goals, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / h**2
        assert curvature > 0.0
        assert abs(ends[0] - ends[1]) / (2.0 * h) < 1e-5 * curvature * size


def test_frames_without_sense():
    robot, control, weights = reach()
    with pytest.raises(sg.ScrewgraphError, match="'hand'"):
        sg.mpc(robot, DT, STAGES, frames=["hand"])
    with pytest.raises(sg.InputError, match="one is named twice"):
        sg.mpc(robot, DT, STAGES, frames=[TIP, TIP])
    with pytest.raises(sg.InputError, match="mpc takes frames"):
        converge(control, np.zeros(2), np.zeros(2), stack_references(control, np.zeros(2)), weights)
    for goals, match in [
        ([], "frames of the shape"),
        ([np.eye(4)] * 2, "frames of the shape"),
        (["hand"], "not numbers"),
    ]:
        with pytest.raises(sg.InputError, match=match):
            converge(
                control,
                np.zeros(2),
                np.zeros(2),
                stack_references(control, np.zeros(2)),
                weights,
                frames=goals,
                frame_weights=FRAME_WEIGHTS,
            )


@pytest.mark.parametrize("bad", ["scaled", "mirrored", "skewed", "nothing", "transposed rows", "NaN"])
def test_poses_that_are_none_have_no_effort(bad):
    robot, control, weights = reach()
    references, nothing = stack_references(control, [0.0, 0.0]), np.zeros(control.arguments[-1].shape)
    goals = np.tile(sg.forward_kinematics(robot, TIP)([0.5, 0.8]), (STAGES + 1, 1, 1, 1))

    def tick(frames):
        with np.errstate(all="ignore"):
            return control([0.4, 0.9], [0.3, -0.2], references, weights, frames, FRAME_WEIGHTS, 0.0, nothing)

    assert tick(goals)[-1][0] < 2.0
    assert np.abs(tick(goals)[0]).max() > 0.1
    for k in range(STAGES + 1):
        wrong = goals.copy()
        R = wrong[k, 0, :3, :3]
        R[:] = {
            "scaled": 1.01 * R,
            "mirrored": R @ np.diag([1.0, 1.0, -1.0]),
            "skewed": R + 0.01 * R[:, [1, 0, 2]],
            "nothing": 0.0 * R,
            "transposed rows": R[[1, 0, 2]],
            "NaN": np.nan * R,
        }[bad]
        tau, *_, solution = tick(wrong)
        assert solution[0] == 3.0
        assert not tau.any()
    rounded = goals.copy()
    rounded[..., :3, :3] = rounded[..., :3, :3].round(4)  # four digits of a camera are enough
    assert tick(rounded)[-1][0] < 2.0
    given = {"frames": wrong, "frame_weights": FRAME_WEIGHTS}
    with pytest.raises(sg.InputError, match="numbers without sense"), np.errstate(all="ignore"):
        converge(control, [0.4, 0.9], [0.3, -0.2], references, weights, **given, most=1)
