"""Shapes of links: primitive ones and meshes. Pictures, contacts and distances use them, equations of motion do not.

A new shape of a few lengths is a file with its class, by the protocol `Solid`, and an entry of `SHAPES`: files name it
by its word, drawings, contacts and distances ask it.
"""

from screwgraph.model.robot.shapes.base import Ball, Primitive, Segment, Solid
from screwgraph.model.robot.shapes.box import Box
from screwgraph.model.robot.shapes.capsule import Capsule
from screwgraph.model.robot.shapes.cylinder import Cylinder
from screwgraph.model.robot.shapes.ellipsoid import Ellipsoid
from screwgraph.model.robot.shapes.mesh import Mesh, Shape
from screwgraph.model.robot.shapes.sphere import Sphere
from screwgraph.model.robot.shapes.visual import Visual

SHAPES: dict[str, type[Solid]] = {shape.word: shape for shape in (Box, Ellipsoid, Sphere, Cylinder, Capsule)}
"""Shapes of a few lengths, by their words in files."""

__all__ = [
    "SHAPES",
    "Ball",
    "Box",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Mesh",
    "Primitive",
    "Segment",
    "Shape",
    "Solid",
    "Sphere",
    "Visual",
]
