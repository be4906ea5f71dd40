"""What every manifold of the registry must do; a new one is tested by being in the registry."""

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.compiler import casadi_of
from screwgraph.spatial.manifolds import MANIFOLDS, SE3, SO3, FloatingPose, Product, UnitQuaternion, Vector, product
from screwgraph.tape import SAMPLES, WIDE, Tape, program

STEP = 1e-30
TURN = 2.8
"""Largest turn (rad): logarithms are unique below pi."""


@pytest.fixture(params=MANIFOLDS)
def kind(request):
    return MANIFOLDS[request.param]


def points(kind, count=5, largest=TURN):
    """Values x, and velocities whose turns are small enough."""
    rng = np.random.default_rng(1)
    d = rng.normal(size=(count, kind.dim))
    return [(kind.random(rng), v * min(1.0, largest / np.linalg.norm(v))) for v in d]


def test_random_values_lie_on_the_manifold(kind):
    values = np.array([kind.random(np.random.default_rng(i)) for i in range(5)])
    assert values.shape == (5, *kind.shape)
    assert not kind.is_off(values).any()
    assert not kind.is_off(kind.identity()[None]).any()


def test_differences_undo_steps(kind):
    for x, d in points(kind):
        y = kind.retract(x, d)
        np.testing.assert_allclose(kind.difference(x, y), d, rtol=0, atol=1e-12)
        assert not kind.is_off(y[None], 1e-14).any()


def test_near_and_defect_agree_with_steps_and_differences_to_second_order(kind):
    for x, d in points(kind):
        errors = [np.abs(kind.retract(x, h * d) - kind.near(x, h * d)).max() for h in (1e-2, 1e-3)]
        assert errors[1] <= errors[0] * 2e-3 + 1e-15
        lost = [np.abs(kind.defect(x, kind.retract(x, h * d))[: kind.dim] - h * d) for h in (1e-2, 1e-3)]
        assert (lost[1] <= lost[0] * 2e-2 + 1e-14).all()


def test_the_rate_is_the_derivative_of_steps(kind):
    for x, v in points(kind):
        along = kind.retract(x.astype(complex), 1j * STEP * v).imag / STEP
        np.testing.assert_allclose(kind.rate(x, v), along, rtol=0, atol=1e-14)


def test_the_rate_of_steps_gives_the_velocity_to_second_order(kind):
    for (x, d), (_, v) in zip(points(kind), points(kind)[::-1], strict=True):
        errors = []
        for h in (0.2, 0.1):
            y = kind.retract(x, h * d)
            moving = kind.retract(x.astype(complex), h * d + 1j * STEP * kind.step_rate(h * d, v))
            errors.append(np.abs(moving.imag / STEP - kind.rate(y, v)).max())
        assert errors[1] <= errors[0] / 12.0 + 1e-13  # what is left out is of the fourth order


def test_other_numbers_agree_with_floats(kind):
    (x, d), (_, v) = points(kind, 2, largest=0.9)
    y = kind.retract(x, d)
    methods = {
        "retract": (kind.retract, x, d),
        "near": (kind.near, x, d),
        "defect": (kind.defect, x, y),
        "rate": (kind.rate, x, v),
        "step_rate": (kind.step_rate, d, v),
        "difference": (kind.difference, x, y),
    }
    for name, (method, a, b) in methods.items():
        expected = method(a, b)
        np.testing.assert_allclose(on_casadi(method, a, b), expected, rtol=0, atol=1e-14, err_msg=name)
        np.testing.assert_allclose(
            method(a.astype(complex), b.astype(complex)), expected, rtol=0, atol=1e-14, err_msg=name
        )
        if name != "difference":  # tapes have no branches
            np.testing.assert_allclose(on_tape(method, a, b), expected, rtol=0, atol=1e-14, err_msg=name)


def on_casadi(method, a, b):
    return np.array(casadi_of(method, a.shape, b.shape)(a.ravel(), b.ravel())).reshape(method(a, b).shape)


def on_tape(method, a, b):
    tape, rng = Tape(), np.random.default_rng(1)
    numbers = [*a.ravel(), *b.ravel()]
    scalars = np.array([tape.input(f"x{i}", rng.normal(size=SAMPLES + WIDE).tolist()) for i in range(len(numbers))])
    result = method(scalars[: a.size].reshape(a.shape), scalars[a.size :].reshape(b.shape))
    return np.array(program(tape, list(result.flat)).evaluate(numbers)).reshape(result.shape)


def test_what_is_normalised_lies_on_the_manifold(kind):
    for x, _ in points(kind):
        np.testing.assert_allclose(kind.normalise(x), x, rtol=0, atol=1e-14)
        beside = x.copy()
        beside.flat[-2 if kind.shape == (7,) else 0] += 1e-2
        assert not kind.is_off(kind.normalise(beside)[None], 1e-14).any()


@pytest.mark.parametrize("kind", [UnitQuaternion(), FloatingPose(), SO3(), SE3()])
def test_zeros_are_no_rotation(kind):
    zeros = np.zeros(kind.shape)
    assert kind.is_off(zeros[None]).all()
    with pytest.raises(InputError, match=r"the quaternion is zero|not near a rotation"):
        kind.normalise(zeros)


def test_mirrors_are_no_rotations():
    assert SO3().is_off(np.array([np.eye(3), np.diag([1.0, 1.0, -1.0])])).tolist() == [False, True]
    assert SE3().is_off(np.array([np.eye(4), 2.0 * np.eye(4)])).tolist() == [False, True]


@pytest.mark.parametrize("kind", [SO3(), SE3(), UnitQuaternion(), FloatingPose()])
def test_turns_are_squared_angles(kind):
    d = np.arange(1.0, kind.dim + 1.0)
    assert kind.turns(d) == [14.0]


def test_a_floating_pose_moves_as_its_transform_does():
    pose, motions = FloatingPose(), SE3()
    for x, d in points(pose):
        T = pose.to_transform(x)
        np.testing.assert_allclose(pose.to_transform(pose.retract(x, d)), motions.retract(T, d), atol=1e-14)
        np.testing.assert_allclose(pose.to_transform(pose.of_transform(T)), T, atol=1e-14)


def test_products_join_neighbouring_vectors():
    joined = product([Vector(1, (2.0,)), Vector(2), Product(), UnitQuaternion(), Vector(1), Vector(1)])
    assert joined == Product((Vector(3), UnitQuaternion(), Vector(2)))
    assert isinstance(joined, Product)
    assert isinstance(joined.parts[0], Vector)
    assert joined.parts[0].reach == (2.0, 1.0, 1.0)
    assert product([Vector(1), Vector(3)]) == Vector(4)
    assert product([]).shape == (0,)


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_a_vector_has_a_positive_whole_size(size):
    with pytest.raises(InputError, match="give a positive whole number"):
        Vector(size)
