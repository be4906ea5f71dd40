"""Every function gives the same on floats, complex numbers, tape scalars and CasADi symbols."""

import numpy as np
import pytest

from screwgraph.compiler import casadi_of
from screwgraph.spatial import (
    Ad,
    ad,
    concatenate,
    cos,
    exp3,
    exp6,
    inverse,
    matrix,
    quaternions,
    sin,
    skew,
    so3,
    transform,
    vanishing,
    vector,
)
from screwgraph.tape import SAMPLES, WIDE, Tape, program

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0

FUNCTIONS = {
    "sin": (1, lambda x: vector([sin(x[0])])),
    "cos": (1, lambda x: vector([cos(x[0])])),
    "vector": (3, lambda x: vector([x[2], 1.0, x[0]])),
    "matrix": (3, lambda x: matrix([[x[0], 0.0], [x[1], x[2]]])),
    "concatenate": (3, lambda x: concatenate(np.ones(2), x)),
    "skew": (3, skew),
    "about_axis": (1, lambda x: so3.about_axis(AXIS, x[0])),
    "about_z": (1, lambda x: so3.about_axis(np.array([0.0, 0.0, 1.0]), x[0])),
    "from_rpy": (3, so3.from_rpy),
    "to_rotation": (4, quaternions.to_rotation),
    "quaternion_product": (8, lambda x: quaternions.product(x[:4], x[4:])),
    "quaternion_exponential": (3, lambda x: quaternions.exponential(0.5 * x)),
    "quaternion_rate": (7, lambda x: quaternions.rate(x[:4], x[4:])),
    "exp3": (3, lambda x: exp3(0.5 * x)),
    "exp6": (6, lambda x: exp6(0.5 * x)),
    "vanishing": (4, lambda x: vanishing(pose(x))),
    "transform": (4, lambda x: pose(x)),
    "inverse": (4, lambda x: inverse(pose(x))),
    "Ad": (4, lambda x: Ad(pose(x))),
    "ad": (6, ad),
}


def pose(x):
    return transform(so3.about_axis(AXIS, x[0]), x[1:])


def on_casadi(function, x):
    return np.array(casadi_of(function, x.shape)(x))


def on_tape(function, x):
    tape, rng = Tape(), np.random.default_rng(1)
    scalars = np.array([tape.input(f"x{i}", rng.normal(size=SAMPLES + WIDE).tolist()) for i in range(len(x))])
    result = function(scalars)
    return np.array(program(tape, list(result.flat)).evaluate(x)).reshape(result.shape)


def on_complex(function, x):
    return function(x.astype(complex)).real


@pytest.mark.parametrize("evaluate", [on_casadi, on_tape, on_complex])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_numbers_agree_with_floats(name, evaluate):
    size, function = FUNCTIONS[name]
    x = np.random.default_rng(0).normal(size=size)
    expected, actual = function(x), evaluate(function, x)
    np.testing.assert_allclose(actual.reshape(expected.shape), expected, atol=1e-14)
