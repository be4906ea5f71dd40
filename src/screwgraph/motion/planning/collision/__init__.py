"""What a robot could touch, and how near it is: shapes, tables of distances, spheres on links, factors of all these."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.motion.planning.collision.automatic_spheres import AUTO, automatic_spheres, placed_spheres
from screwgraph.motion.planning.collision.capsules import (
    CAPSULES,
    BodyCapsule,
    Capsules,
    automatic_capsules,
    placed_capsules,
)
from screwgraph.motion.planning.collision.collision_pairs import apart_pairs, pairs_of
from screwgraph.motion.planning.collision.fields import DistanceGrid, height_map, load_distance_grid
from screwgraph.motion.planning.collision.minimal_distance import minimal_distance
from screwgraph.motion.planning.collision.moving_frames import Waypoints
from screwgraph.motion.planning.collision.shapes import SHAPES, Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from screwgraph.motion.planning.collision.spheres import BodySphere, Spheres, place_spheres

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
    "Waypoints",
    "apart_pairs",
    "automatic_capsules",
    "automatic_spheres",
    "height_map",
    "load_distance_grid",
    "minimal_distance",
    "pairs_of",
    "place_spheres",
    "placed_capsules",
    "placed_spheres",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
