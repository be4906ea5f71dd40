"""Screw theory on NumPy and on CasADi alike: rotations, rigid transforms, twists, inertias."""

from screwgraph.spatial import so3
from screwgraph.spatial.arrays import Array, concatenate, cos, matrix, sin, vector
from screwgraph.spatial.inertia import SpatialInertia
from screwgraph.spatial.se3 import Ad, from_xyz_rpy, inverse, rotation, transform, translation
from screwgraph.spatial.so3 import skew
from screwgraph.spatial.twist import ad

__all__ = [
    "Ad",
    "Array",
    "SpatialInertia",
    "ad",
    "concatenate",
    "cos",
    "from_xyz_rpy",
    "inverse",
    "matrix",
    "rotation",
    "sin",
    "skew",
    "so3",
    "transform",
    "translation",
    "vector",
]
