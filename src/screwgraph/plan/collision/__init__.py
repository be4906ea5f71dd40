"""What a robot could touch, and how near it is: shapes, tables of distances, spheres on links, factors of all these."""

from screwgraph.plan.collision.automatic import AUTO, automatic_spheres, placed_spheres
from screwgraph.plan.collision.capsules import CAPSULES, BodyCapsule, Capsules, automatic_capsules, placed_capsules
from screwgraph.plan.collision.fields import DistanceGrid, height_map, load_grid
from screwgraph.plan.collision.pairs import apart_pairs, pairs_of
from screwgraph.plan.collision.shapes import SHAPES, Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from screwgraph.plan.collision.spheres import BodySphere, Spheres, placed

__all__ = [
    "AUTO",
    "CAPSULES",
    "SHAPES",
    "BodyCapsule",
    "BodySphere",
    "Box",
    "Capsule",
    "Capsules",
    "Cylinder",
    "DistanceGrid",
    "HalfSpace",
    "Shape",
    "Sphere",
    "Spheres",
    "apart_pairs",
    "automatic_capsules",
    "automatic_spheres",
    "height_map",
    "load_grid",
    "pairs_of",
    "placed",
    "placed_capsules",
    "placed_spheres",
]
