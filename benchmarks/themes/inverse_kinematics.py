"""Inverse kinematics of random reachable poses, beside pin-pink, PyRoki and Pinocchio's iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from time import process_time_ns
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.peers import inverse_peers
from benchmarks.subjects import chosen
from benchmarks.tables import NOTHING, Remarks, Sheet, verdict
from screwgraph.ui.bench import NotMeasuredError, make_depth_first_tree

ROBOTS = ("ur5", "panda7")
POSES, FEW = 10_000, 200
"""Poses that we are asked for, and of these the first that peers are."""
SOLVED, MEDIAN = 0.999, 50.0
"""Part of the poses that is to be solved to `CLOSE` (rad, m), in so many microseconds (median)."""
CLOSE = 1e-6
ATTEMPTS = 20
"""Starts of peers: the middle of the limits, then random ones."""
COLUMNS = (
    "robot (velocities)",
    "solver",
    "poses",
    "solved to 1e-6",
    "median, us",
    "mean, us",
    "worst, us",
    "batch: a pose, us",
    "median: x ours",
    f"{SOLVED:.1%} in {MEDIAN:g} us",
)
NOTES = (
    "CPU time of the process, one call from Python a pose, code made and called before. Poses are those of random "
    "positions within the limits, solved within the limits; 1e-6 is the distance (m) and the angle (rad), by our "
    f"forward kinematics, which tests compare with Pinocchio's. We make 100 attempts at most, peers {ATTEMPTS}; the "
    "first from the middle of the limits, others from random positions. pin-pink: `solve_ik` with one `FrameTask`, "
    "gain 1, and integration, at most 50 times an attempt. PyRoki: its pose and limit costs, Levenberg-Marquardt under "
    "`jax.jit`, float32. Pinocchio: the iteration of its documentation, damped and cut to the limits, from Python.",
)


@dataclass(frozen=True, eq=False)
class Times:
    """CPU time (us) of each pose, and whether it is solved."""

    each: np.ndarray
    is_solved: np.ndarray


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Solve; `entries` only name robots."""
    asked = dict.fromkeys(entry.subject.name for entry in entries)
    remarks, lines = Remarks(), []
    for subject, robot in chosen([name for name in ROBOTS if name in asked] or ROBOTS):
        name = f"{subject.name} ({robot.nv})"
        lines += rows(name, robot, tools.say, remarks)
    return Sheet("Inverse kinematics", COLUMNS, lines, [*NOTES, *remarks.notes()])


def rows(name: str, robot: sg.Robot, say: Callable[[str], None], remarks: Remarks) -> list[list[str]]:
    """Return our row, and one of each peer."""
    frame = make_depth_first_tree(robot).bodies[-1].joint.child
    T = sg.forward_kinematics(robot, frame)(sg.random(robot, (POSES,), seed=1))
    say(f"inverse kinematics: {name} screwgraph")
    ik = sg.inverse_kinematics(robot, frame)
    ours = timed(robot, frame, T, lambda pose: ik(pose).q)
    ik(T)
    start = process_time_ns()
    ik(T)
    batch = f"{(process_time_ns() - start) / 1e3 / len(T):.1f}"
    median, share = float(np.median(ours.each)), float(ours.is_solved.mean())
    reached = verdict(share >= SOLVED and median <= MEDIAN)
    found = [[name, "screwgraph", *cells(ours), batch, NOTHING, reached]]
    with TemporaryDirectory() as folder:
        path = f"{folder}/robot.urdf"
        sg.save(robot, path)
        for peer, make in inverse_peers.PEERS.items():
            say(f"inverse kinematics: {name} {peer}")
            try:
                theirs = timed(robot, frame, T[:FEW], make(robot, path, frame, ATTEMPTS, CLOSE))
            except NotMeasuredError as reason:
                found.append([name, peer, remarks.cell(peer, name, str(reason)), *[NOTHING] * 7])
                continue
            ratio = f"{float(np.median(theirs.each)) / median:.0f} x"
            found.append([name, peer, *cells(theirs), NOTHING, ratio, NOTHING])
    return found


def timed(robot: sg.Robot, frame: str, T: np.ndarray, solve: Callable[[np.ndarray], Any]) -> Times:
    """Solve for poses one by one; the first once before, unmeasured."""
    solve(T[0])
    each, q = np.empty(len(T)), np.empty((len(T), robot.nq))
    for i, pose in enumerate(T):
        start = process_time_ns()
        found = solve(pose)
        each[i] = (process_time_ns() - start) / 1e3
        q[i] = found
    found = sg.forward_kinematics(robot, frame)(q)
    distance = np.linalg.norm(found[:, :3, 3] - T[:, :3, 3], axis=1)
    turn = np.swapaxes(T[:, :3, :3], 1, 2) @ found[:, :3, :3]
    angle = np.linalg.norm(turn - np.eye(3), axis=(1, 2)) / np.sqrt(2.0)  # of small angles
    limits = [joint.limits for joint in robot.joints]
    lower = np.array([-np.inf if x.lower is None else x.lower for x in limits])
    upper = np.array([np.inf if x.upper is None else x.upper for x in limits])
    within = np.all((q >= lower - CLOSE) & (q <= upper + CLOSE), axis=1)
    return Times(each, (distance <= CLOSE) & (angle <= CLOSE) & within)


def cells(found: Times) -> list[str]:
    """Return the cells of a solver."""
    times = (np.median(found.each), found.each.mean(), found.each.max())
    return [
        str(len(found.each)),
        f"{found.is_solved.mean():.2%}",
        *(f"{t:.1f}" if t < 100.0 else f"{t:.0f}" for t in times),
    ]
