"""A Manhattan world of poses in the plane, solved pose by pose: on this package's Bayes tree, and on GTSAM's."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.api.interop.pose_graph import Between
from screwgraph.optimize import SE2, Incremental, Variables, each, soft

SIGMA = np.array([0.05, 0.05, 0.02])
"""Of relative poses: m, m, rad."""
HALF, BLOCK, APART = 25, 4, 20
"""Half the side of the town and its blocks (m); poses between two visits of a crossing, at least."""
RELINEARISE = 0.1
PASSED_ON = 1e-4
"""Changes (m, rad) that we pass on; iSAM2 passes on those of 1e-3, and solves for all poses at the end."""
AHEAD = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])

Pose = Float[np.ndarray, " 3"]


@dataclass(frozen=True, eq=False)
class World:
    """Relative poses of neighbours, and by pose those of earlier ones that are seen again."""

    odometry: Float[np.ndarray, "N 3"]
    loops: dict[int, list[tuple[int, Pose]]]

    @property
    def count(self) -> int:
        """How many poses there are."""
        return len(self.odometry) + 1


def manhattan(count: int, seen: float, seed: int = 0) -> World:
    """Drive through the streets of a square town at random; poses where one was before are seen with a probability."""
    rng, heading, place = np.random.default_rng(seed), 0, np.zeros(2)
    truth = [np.zeros(3)]
    for k in range(1, count):
        if k % BLOCK == 0:
            heading = (heading + rng.choice([-1, 0, 0, 1])) % 4
            if np.abs(place + BLOCK * AHEAD[heading]).max() > HALF:
                heading = (heading + 2) % 4
        place = place + AHEAD[heading]
        truth.append(np.array([*place, heading * np.pi / 2]))
    odometry = [relative(a, b) + SIGMA * rng.standard_normal(3) for a, b in pairwise(truth)]
    last: dict[tuple[int, int], int] = {}
    loops: dict[int, list[tuple[int, Pose]]] = {}
    for k, pose in enumerate(truth):
        crossing = (round(pose[0]), round(pose[1]))
        before = last.get(crossing, k)
        if k - before > APART and rng.random() < seen:
            loops[k] = [(before, relative(truth[before], pose) + SIGMA * rng.standard_normal(3))]
        last[crossing] = k
    return World(np.array(odometry), loops)


def relative(a: Pose, b: Pose) -> Pose:
    """Return pose b in a's frame."""
    c, s, d, turn = np.cos(a[2]), np.sin(a[2]), b[:2] - a[:2], b[2] - a[2]
    return np.array([c * d[0] + s * d[1], c * d[1] - s * d[0], np.arctan2(np.sin(turn), np.cos(turn))])


def composed(a: Pose, z: Pose) -> Pose:
    """Return the pose that stands in a's frame at z."""
    c, s = np.cos(a[2]), np.sin(a[2])
    return np.array([a[0] + c * z[0] - s * z[1], a[1] + s * z[0] + c * z[1], a[2] + z[2]])


def known(a: Any) -> Any:
    """Return a pose that should be zero."""
    return a


def ours(world: World, every: int) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N 3"]]:
    """Return the CPU seconds of each update, with the estimate of its pose, and all poses at the end."""
    between, x = Between(SE2()), Variables("x", SE2(), count=world.count)
    solver = Incremental([x], relinearise=RELINEARISE, iterations=1, every=every, threshold=PASSED_ON)
    solver.update(add=[soft(known, x[0], sigma=SIGMA)])
    last, seconds = np.zeros(3), []
    for k, z in enumerate(world.odometry, start=1):
        factors = [soft(between, x[k - 1], x[k], z=each(z[None]), sigma=SIGMA)]
        for j, seen in world.loops.get(k, ()):
            factors.append(soft(between, x[j], x[k], z=each(seen[None]), sigma=SIGMA))
        start = {x[k]: composed(last, z)}
        began = process_time()
        solver.update(add=factors, start=start, late=[x[k]])
        last = solver.value(x[k])[0]
        seconds.append(process_time() - began)
    return np.array(seconds), solver.values["x"]


def gtsams(world: World, every: int) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, "N 3"], Any]:
    """Return the same of `gtsam.ISAM2`, and its graph."""
    gtsam = import_module("gtsam")

    parameters = gtsam.ISAM2Params()
    parameters.setRelinearizeThreshold(RELINEARISE)
    parameters.relinearizeSkip = every
    isam, noise = gtsam.ISAM2(parameters), gtsam.noiseModel.Diagonal.Sigmas(SIGMA)
    whole, seconds, last = gtsam.NonlinearFactorGraph(), [], gtsam.Pose2(0, 0, 0)
    for k in range(world.count):
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        if k == 0:
            graph.add(gtsam.PriorFactorPose2(0, last, noise))
            values.insert(0, last)
        else:
            z = gtsam.Pose2(*world.odometry[k - 1])
            graph.add(gtsam.BetweenFactorPose2(k - 1, k, z, noise))
            values.insert(k, last.compose(z))
        for j, seen in world.loops.get(k, ()):
            graph.add(gtsam.BetweenFactorPose2(j, k, gtsam.Pose2(*seen), noise))
        whole.push_back(graph)
        began = process_time()
        isam.update(graph, values)
        last = isam.calculateEstimatePose2(k)
        seconds.append(process_time() - began)
    best = isam.calculateBestEstimate()
    poses = np.array([[p.x(), p.y(), p.theta()] for p in map(best.atPose2, range(world.count))])
    return np.array(seconds[1:]), poses, whole


def cost_in_gtsam(graph: Any, poses: Float[np.ndarray, "N 3"]) -> float:
    """Return what GTSAM's graph says that poses cost."""
    gtsam = import_module("gtsam")

    values = gtsam.Values()
    for k, pose in enumerate(poses):
        values.insert(k, gtsam.Pose2(*pose))
    return float(graph.error(values))
