"""What controllers keep positive: distances, or any function of a state; one kind a file."""

from collections.abc import Mapping

from screwgraph.motion.control.barriers.base import Barrier, BarrierRow, differentiate_barrier
from screwgraph.motion.control.barriers.capsules import LinkCapsule
from screwgraph.motion.control.barriers.distance import BallBarrier, CapsuleBarrier, PlaneBarrier, ShapeBarrier
from screwgraph.motion.control.barriers.own import FunctionBarrier
from screwgraph.motion.control.barriers.self_collision import SelfCollisionBarrier

BARRIERS: Mapping[str, type[Barrier]] = {
    "from": CapsuleBarrier,
    "ball": BallBarrier,
    "plane": PlaneBarrier,
    "shape": ShapeBarrier,
    "self_collision": SelfCollisionBarrier,
}
"""Kinds of barriers by the keys of their entries in files."""

__all__ = [
    "BARRIERS",
    "BallBarrier",
    "Barrier",
    "BarrierRow",
    "CapsuleBarrier",
    "FunctionBarrier",
    "LinkCapsule",
    "PlaneBarrier",
    "SelfCollisionBarrier",
    "ShapeBarrier",
    "differentiate_barrier",
]
