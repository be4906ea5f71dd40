"""Screw theory on every kind of number: rotations, rigid transforms, twists, inertias, manifolds."""

from screwgraph.spatial import quaternions, so3
from screwgraph.spatial.arrays import (
    Array,
    atan2,
    choose,
    concatenate,
    concatenate_columns,
    cos,
    exp,
    floor,
    log,
    matrix,
    maximum,
    minimum,
    sin,
    sqrt,
    tan,
    tanh,
    vector,
)
from screwgraph.spatial.exponential import (
    exp3,
    exp6,
    log3,
    log6,
    log_rate,
    log_rate_change,
    screw_to,
    turn_and_shift,
    vanishing,
)
from screwgraph.spatial.finite import finite_vector
from screwgraph.spatial.inertia import SpatialInertia
from screwgraph.spatial.rank import has_independent_rows, null_space
from screwgraph.spatial.se3 import Ad, from_rows, from_xyz_rpy, inverse, rotation, to_rows, transform, translation
from screwgraph.spatial.so3 import from_rpy, skew, to_rpy
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
    "concatenate_columns",
    "cos",
    "exp",
    "exp3",
    "exp6",
    "finite_vector",
    "floor",
    "from_rows",
    "from_rpy",
    "from_xyz_rpy",
    "gradient",
    "has_independent_rows",
    "inverse",
    "log",
    "log3",
    "log6",
    "log_rate",
    "log_rate_change",
    "matrix",
    "maximum",
    "minimum",
    "null_space",
    "quaternions",
    "rotation",
    "screw_to",
    "sin",
    "skew",
    "so3",
    "sqrt",
    "tan",
    "tanh",
    "to_rows",
    "to_rpy",
    "transform",
    "translation",
    "turn_and_shift",
    "vanishing",
    "vector",
]
