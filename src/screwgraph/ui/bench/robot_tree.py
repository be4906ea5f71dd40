"""A robot as peers want it: bodies depth-first, one joint each, fixed joints merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Joint, Robot, merge_fixed
from screwgraph.spatial import SpatialInertia
from screwgraph.ui.bench.peers.base import NotMeasuredError


@dataclass(frozen=True, eq=False)
class Body:
    """A moving link: its joint, what it weighs, and the number of its parent in the list; -1 is the base."""

    __repr__ = one_line

    joint: Joint
    parent: int
    inertia: SpatialInertia

    @property
    def kind(self) -> str:
        """Which of the peers' joints it is."""
        return _kind(self.joint)

    @property
    def axis(self) -> tuple[float, float, float]:
        """The joint's axis in both of its frames; zero for a floating joint."""
        axes = (self.joint.turning_axis, self.joint.sliding_axis)
        x, y, z = next((axis.tolist() for axis in axes if axis is not None), (0.0, 0.0, 0.0))
        return (x, y, z)


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies, each subtree side by side; where their coordinates stand in ours, linear velocities before angular ones.

    `q[..., tree.q_places]` and `qd[..., tree.v_places]` are ours in that order.
    """

    __repr__ = one_line

    bodies: tuple[Body, ...]
    q_places: np.ndarray
    v_places: np.ndarray

    def back(self, answers: np.ndarray) -> np.ndarray:
        """Return a peer's results (N, nv) or (N, nv, k nv) in our order: rows, and columns in blocks of nv."""
        nv = len(self.v_places)
        inverse = np.argsort(self.v_places)
        if answers.ndim == 2:
            return answers[:, inverse]
        blocks = np.concatenate([inverse + nv * k for k in range(answers.shape[2] // nv)])
        return answers[:, inverse][:, :, blocks]


def make_depth_first_tree(robot: Robot) -> Tree:
    """Return the bodies of a robot.

    Raises:
        NotMeasuredError: a joint neither turns nor slides nor floats, or loops or couplings tie them.
    """
    if robot.is_closed:
        raise NotMeasuredError("no peer gets loops and couplings")
    merged = merge_fixed(robot)
    for joint in merged.joints:
        _kind(joint)
    bodies: list[Body] = []
    _append(merged, merged.links[0].name, -1, bodies)
    q_places = [_range(robot.q_slices[b.joint.name]) for b in bodies]
    v_places = [_linear_first(_range(robot.v_slices[b.joint.name])) for b in bodies]
    return Tree(tuple(bodies), np.concatenate(q_places), np.concatenate(v_places))


def _kind(joint: Joint) -> str:
    """Return which of the peers' joints it is. Raises NotMeasuredError."""
    asked = {"revolute": joint.turning_axis is not None, "prismatic": joint.sliding_axis is not None}
    kinds = [kind for kind, holds in (asked | {"floating": joint.has_pose}).items() if holds]
    if not kinds:
        raise NotMeasuredError(f"no peer gets {type(joint.type).__name__.lower()} joints")
    return kinds[0]


def _append(robot: Robot, link: str, number: int, bodies: list[Body]) -> None:
    for joint in robot.children(link):
        bodies.append(Body(joint, number, robot.link(joint.child).inertia))
        _append(robot, joint.child, len(bodies) - 1, bodies)


def _range(places: slice) -> Sequence[int]:
    return range(places.start, places.stop)


def _linear_first(places: Sequence[int]) -> Sequence[int]:
    return [*places[3:], *places[:3]] if len(places) == 6 else places
