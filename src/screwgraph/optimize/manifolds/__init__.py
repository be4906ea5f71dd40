"""Kinds of unknowns: one file each; a new one is a new file and a line in `MANIFOLDS`."""

from screwgraph.optimize.manifolds.base import Manifold, moving, number_names, symbol
from screwgraph.optimize.manifolds.se3 import SE3
from screwgraph.optimize.manifolds.so3 import SO3
from screwgraph.optimize.manifolds.vector import Vector

MANIFOLDS = {"vector": Vector(3), "SO3": SO3(), "SE3": SE3()}
"""An example of each kind, for tests."""

__all__ = ["MANIFOLDS", "SE3", "SO3", "Manifold", "Vector", "moving", "number_names", "symbol"]
