"""Capsules of one robot stay away from one another: pairs that can touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import compile_expression, robot_arguments, without_metadata
from screwgraph.graph import Key
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.model.robot import Robot, regular_states
from screwgraph.motion.control.barriers.base import Barrier
from screwgraph.motion.control.barriers.capsules import LinkCapsule, measure_distance, read_capsule
from screwgraph.tape import Number

SAMPLES, ROUNDS, TRIES = 2048, 24, 64
"""Random positions; rounds in which the nearest one of each pair is changed, and changes in each."""
Pair = tuple[LinkCapsule, LinkCapsule]
FAR = np.pi
"""Range (rad, m) in which joints without limits are tried."""


@dataclass(frozen=True)
class SelfCollisionBarrier(Barrier):
    """The distances (m) of those pairs of capsules of a robot that can touch within its joints' ranges.

    Pairs on one link, or on links that one joint connects, are left out, and those that touch at all positions. Pairs
    of closed chains are those that can touch where loops and couplings are open, which are all and some more.
    """

    capsules: tuple[LinkCapsule, ...]

    KEYS: ClassVar[Keys] = {"self_collision": Entry("capsules of which pairs that can touch stay apart", "list")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry. Raises ModelError, InputError."""
        return cls(tuple(map(read_capsule, entries["self_collision"].items())), **numbers)

    @property
    def name(self) -> str:
        """It is the robot's."""
        return "self_collision"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return none. Raises InputError where no pair can touch."""
        if not self.find_pairs(model):
            raise InputError("no pair of the capsules can touch", why="neighbours and one link's do not count")
        return {}

    def find_pairs(self, model: Any) -> list[Pair]:
        """Return the pairs that can touch. Raises InputError where the model has no links, or no such frame."""
        if not model.has_frames:
            raise InputError(
                f"self-collision of {model.name!r}",
                why="links of robots say which capsules are neighbours",
                fix="give each pair a barrier of its own, of one capsule from another",
            )
        return list(_find_pairs(model, self.capsules))

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the distance of each pair."""
        return [_measure(model, pair, q) for pair in self.find_pairs(model)]


@lru_cache(maxsize=32)
def _find_pairs(robot: Robot, capsules: tuple[LinkCapsule, ...]) -> tuple[Pair, ...]:
    """Return the pairs of capsules that can touch, by many positions: code asks more than once."""
    pairs = [pair for pair in combinations(capsules, 2) if not _are_neighbours(robot, *pair)]
    distances, q = _compile_distances(robot, pairs), _draw_positions(robot)
    found, apart = list[Pair](), distances(q)
    closed = distances(np.array(regular_states(robot, SAMPLES))) if robot.is_closed else apart
    for k, pair in enumerate(pairs):
        nearest = q[int(apart[k].argmin())]
        if closed[k].max() > 0.0 and (apart[k].min() <= 0.0 or _approach(robot, distances, nearest, k) <= 0.0):
            found.append(pair)
    return tuple(found)


def _approach(robot: Robot, distances: Any, best: Float[np.ndarray, " nq"], pair: int) -> float:
    """Return the least distance of a pair that random changes of a position find."""
    rng, least = np.random.default_rng(0), np.inf
    for k in range(ROUNDS):
        steps = rng.standard_normal((TRIES, robot.nv)) * 0.5 * 0.75**k
        tried = np.vstack([best, _clip(robot, np.array([robot.manifold.retract(best, step) for step in steps]))])
        apart = distances(tried)[pair]
        best, least = tried[int(np.argmin(apart))], min(least, float(apart.min()))
    return least


def _measure(model: Model, pair: Pair, q: Any) -> Number:
    first, second = pair
    return measure_distance(first.ends(model, q), second.ends(model, q)) - first.radius - second.radius


def _are_neighbours(robot: Robot, first: LinkCapsule, second: LinkCapsule) -> bool:
    a, b = (robot.frame(capsule.frame).link for capsule in (first, second))
    loops = [{loop.predecessor, loop.successor} for loop in robot.loops]
    joints = [{joint.parent, joint.child} for joint in robot.joints]
    return a == b or {a, b} in joints or {a, b} in loops


def _compile_distances(robot: Robot, pairs: Sequence[Pair]) -> Any:
    """Return the distances (pairs, N) as a function of positions (N, nq)."""
    arguments = robot_arguments(robot, [("q", [Key("q", name) for name in robot.joint_names])])

    def expression(q: Any) -> list[Number]:
        return [_measure(robot, pair, q) for pair in pairs]

    question = without_metadata(robot), tuple(pairs)
    code = compile_expression("capsule_distances", question, arguments, expression, branches=True).program

    def distances(q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "pairs N"]:
        return np.array([np.broadcast_to(x, len(q)) for x in code.evaluate(list(q.T))])

    return distances


def _draw_positions(robot: Robot) -> Float[np.ndarray, "N nq"]:
    """Return random positions within the joints' ranges; loops and couplings are open."""
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(SAMPLES)])
    for joint in robot.joints:
        at = robot.q_slices[joint.name].start
        if joint.type.nq == 1:
            low, up = robot.limits.lower[at], robot.limits.upper[at]
            q[:, at] = rng.uniform(low if np.isfinite(low) else -FAR, up if np.isfinite(up) else FAR, SAMPLES)
    return q


def _clip(robot: Robot, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
    return np.clip(q, robot.limits.lower, robot.limits.upper)
