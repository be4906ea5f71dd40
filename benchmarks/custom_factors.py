"""Problems whose factors GTSAM calls: as custom factors in Python, as its users write them, and as ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.api.interop.pose_graph import Between, Prior
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize import SE3, Problem, Variables, Vector, each, soft
from screwgraph.spatial import inverse, log6

SIGMA = 0.1
"""Of all factors: rad, m."""


@dataclass(frozen=True, eq=False)
class Case:
    """One problem: as graphs of GTSAM with factors in Python, and as ours; values to begin with, by family."""

    name: str
    theirs: Callable[[], Any]
    problem: Problem
    start: dict[str, np.ndarray]


def chain(count: int) -> Case:
    """Return a chain of poses, each seen from the last one, the first one known; GTSAM has such factors in C++, too."""
    gtsam, rng = import_module("gtsam"), np.random.default_rng(0)
    steps = [gtsam.Pose3.Expmap([*0.1 * rng.standard_normal(3), 1.0, 0.0, 0.0]) for _ in range(count - 1)]
    poses = [gtsam.Pose3()]
    for step in steps:
        poses.append(poses[-1].compose(step))
    seen = list(range(0, count, 50))
    x = Variables("x", SE3(), count)
    factors = [
        soft(Between(SE3()), x[:-1], x[1:], z=each(np.array([s.matrix() for s in steps])), sigma=SIGMA),
        soft(Prior(SE3()), x[seen], z=each(np.array([poses[i].matrix() for i in seen])), sigma=SIGMA),
    ]
    start = np.array([p.retract(0.02 * rng.standard_normal(6)).matrix() for p in poses])

    def theirs() -> Any:
        noise, graph = gtsam.noiseModel.Isotropic.Sigma(6, SIGMA), gtsam.NonlinearFactorGraph()
        for i, step in enumerate(steps):
            graph.add(gtsam.CustomFactor(noise, [i, i + 1], _between(gtsam, step.inverse())))
        for i in seen:
            graph.add(gtsam.PriorFactorPose3(i, poses[i], noise))
        return graph

    return Case(f"chain of {count} poses", theirs, Problem(factors), {"x": start})


def arm(count: int) -> Case:
    """Return the positions of a Panda whose hand is seen; neighbours are near each other."""
    gtsam, rng = import_module("gtsam"), np.random.default_rng(0)
    robot = sg.load("panda")
    mechanics, frame = Mechanics(robot), robot.links[-1].name
    pose, n = mechanics.pose_of(frame), robot.nq
    middle = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    turns = 0.4 * np.sin(np.linspace(0.0, 6.0, count)[:, None] + np.arange(n))
    poses = np.array([pose(q) for q in middle + turns], dtype=float)
    q = Variables("q", Vector(n), count)

    def sees(x: Any, *, z: Any) -> Any:
        return log6(inverse(z) @ pose(x))

    factors = [
        soft(sees, q, z=each(poses), sigma=SIGMA),
        soft(Between(Vector(n)), q[:-1], q[1:], z=np.zeros(n), sigma=SIGMA),
    ]

    def theirs() -> Any:
        seen, near = gtsam.noiseModel.Isotropic.Sigma(6, SIGMA), gtsam.noiseModel.Isotropic.Sigma(n, SIGMA)
        graph, home = gtsam.NonlinearFactorGraph(), np.asarray(pose(np.zeros(n)), dtype=float)
        screws = _screws(pose, n)
        for i, T in enumerate(poses):
            graph.add(gtsam.CustomFactor(seen, [i], _sees(gtsam, screws, gtsam.Pose3(home), gtsam.Pose3(T).inverse())))
        for i in range(count - 1):
            graph.add(gtsam.BetweenFactorVector(i, i + 1, np.zeros(n), near))
        return graph

    start = {"q": middle + turns + 0.05 * rng.standard_normal((count, n))}
    return Case(f"Panda, {count} positions", theirs, Problem(factors), start)


def _screws(pose: Callable[[Any], Any], n: int) -> np.ndarray:
    """Return the screw axes (n, 6) in the base's frame at zero, from what each joint alone does."""
    home = np.asarray(pose(np.zeros(n)), dtype=float)
    ends = [np.asarray(pose(e), dtype=float) for e in np.eye(n)]
    return np.array([log6(T @ np.asarray(inverse(home), dtype=float)) for T in ends], dtype=float)


def _between(gtsam: Any, back: Any) -> Callable[..., np.ndarray]:
    def error(this: Any, values: Any, slopes: Any) -> np.ndarray:
        a, b = this.keys()
        A, B, C = (np.zeros((6, 6), order="F") for _ in range(3))
        r = gtsam.Pose3.Logmap(back.compose(values.atPose3(a).between(values.atPose3(b), A, B)), C)
        if slopes is not None:
            slopes[0], slopes[1] = C @ A, C @ B
        return r

    return error


def _sees(gtsam: Any, screws: np.ndarray, home: Any, back: Any) -> Callable[..., np.ndarray]:
    """Return a factor of the product of exponentials. Lynch & Park (2017), sections 4.1 and 5.1."""

    def error(this: Any, values: Any, slopes: Any) -> np.ndarray:
        T, columns = gtsam.Pose3(), []
        for S, angle in zip(screws, values.atVector(this.keys()[0]), strict=True):
            if slopes is not None:
                columns.append(T.AdjointMap() @ S)
            T = T.compose(gtsam.Pose3.Expmap(angle * S))
        hand, C = T.compose(home), np.zeros((6, 6), order="F")
        r = gtsam.Pose3.Logmap(back.compose(hand), C)
        if slopes is not None:
            slopes[0] = C @ hand.inverse().AdjointMap() @ np.array(columns).T
        return r

    return error
