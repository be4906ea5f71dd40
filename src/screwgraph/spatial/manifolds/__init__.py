"""Manifolds: one file each; a new one is a new file and a line in `MANIFOLDS`."""

from screwgraph.spatial.manifolds.base import Manifold, unwrap_quaternions
from screwgraph.spatial.manifolds.floating_pose import FloatingPose
from screwgraph.spatial.manifolds.product import Product, product
from screwgraph.spatial.manifolds.se2 import SE2
from screwgraph.spatial.manifolds.se3 import SE3
from screwgraph.spatial.manifolds.so3 import SO3
from screwgraph.spatial.manifolds.unit_quaternion import UnitQuaternion
from screwgraph.spatial.manifolds.vector import Vector

MANIFOLDS: dict[str, Manifold] = {
    "vector": Vector(3),
    "SO3": SO3(),
    "SE2": SE2(),
    "SE3": SE3(),
    "unit_quaternion": UnitQuaternion(),
    "floating_pose": FloatingPose(),
    "product": Product((FloatingPose(), Vector(2), UnitQuaternion())),
}
"""An example of each kind, for tests."""

__all__ = [
    "MANIFOLDS",
    "SE2",
    "SE3",
    "SO3",
    "FloatingPose",
    "Manifold",
    "Product",
    "UnitQuaternion",
    "Vector",
    "product",
    "unwrap_quaternions",
]
