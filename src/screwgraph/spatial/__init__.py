"""Screw theory on every kind of number: rotations, rigid transforms, twists, inertias, manifolds."""

from screwgraph.spatial import quaternions, so3
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
from screwgraph.spatial.generic_math import (
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
from screwgraph.spatial.inertia import SpatialInertia, second_moments
from screwgraph.spatial.products import cross, dot
from screwgraph.spatial.rank import has_independent_rows, null_space
from screwgraph.spatial.se3 import Ad, from_rows, from_xyz_rpy, inverse, rotation, to_rows, transform, translation
from screwgraph.spatial.so3 import from_rpy, skew, to_rpy
from screwgraph.spatial.taylor import Taylor, gradient
from screwgraph.spatial.twist import ad
from screwgraph.spatial.vector_checks import finite_vector

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
    "cross",
    "dot",
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
    "second_moments",
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
