"""Screw theory on NumPy and on CasADi alike: rotations, rigid transforms, twists, inertias."""

from screwgraph.spatial import so3
from screwgraph.spatial.arrays import Array, atan2, choose, concatenate, cos, log, matrix, sin, sqrt, vector
from screwgraph.spatial.exponential import exp3, exp6, log3, log6
from screwgraph.spatial.inertia import SpatialInertia
from screwgraph.spatial.se3 import Ad, from_xyz_rpy, inverse, rotation, transform, translation
from screwgraph.spatial.so3 import skew
from screwgraph.spatial.taylor import Taylor, gradient
from screwgraph.spatial.twist import ad

__all__ = [
    "Ad",
    "Array",
    "SpatialInertia",
    "Taylor",
    "ad",
    "atan2",
    "choose",
    "concatenate",
    "cos",
    "exp3",
    "exp6",
    "from_xyz_rpy",
    "gradient",
    "inverse",
    "log",
    "log3",
    "log6",
    "matrix",
    "rotation",
    "sin",
    "skew",
    "so3",
    "sqrt",
    "transform",
    "translation",
    "vector",
]
