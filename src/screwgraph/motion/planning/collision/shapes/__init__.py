"""Obstacles by shape: one file each; a new one is a new file and a line in `SHAPES`."""

from screwgraph.motion.planning.collision.shapes.base import Shape
from screwgraph.motion.planning.collision.shapes.box import Box
from screwgraph.motion.planning.collision.shapes.capsule import Capsule
from screwgraph.motion.planning.collision.shapes.cylinder import Cylinder
from screwgraph.motion.planning.collision.shapes.half_space import HalfSpace
from screwgraph.motion.planning.collision.shapes.sphere import Sphere

SHAPES: dict[str, type] = {c.kind: c for c in (Sphere, Box, Capsule, Cylinder, HalfSpace)}

__all__ = ["SHAPES", "Box", "Capsule", "Cylinder", "HalfSpace", "Shape", "Sphere"]
