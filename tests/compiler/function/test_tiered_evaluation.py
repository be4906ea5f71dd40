"""Code of long programs is made for one state, or for batches, when either is called."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.function import tiered_evaluation
from tests.model.robot.joint_instances import in_a_tree, instances


@pytest.fixture
def function(monkeypatch):
    """A function of a robot with quaternions, whose code counts as long."""
    monkeypatch.setattr(tiered_evaluation, "APART", 1)
    robot = in_a_tree(instances()["spherical-default"])
    return robot, sg.inverse_dynamics(robot)


def made(f):
    """Which machine code there is."""
    return {"single", "compiled"} & vars(f._evaluation).keys()


def states(robot, count):
    """Positions, velocities and accelerations."""
    rng = np.random.default_rng(0)
    return np.array([robot.random(rng) for _ in range(count)]), *rng.normal(size=(2, count, robot.nv))


def test_one_state_makes_no_code_for_batches(function):
    robot, f = function
    arrays = states(robot, 2 * tiered_evaluation.BATCH)
    each = np.array([f(*state) for state in zip(*arrays, strict=True)])
    assert f(*(x[:2] for x in arrays)) == pytest.approx(each[:2], rel=1e-13)
    assert made(f) == {"single"}
    assert f(*arrays) == pytest.approx(each, rel=1e-12, abs=1e-12)
    assert made(f) == {"single", "compiled"}


def test_batches_make_no_other_code_for_one_state(function):
    robot, f = function
    arrays = states(robot, 2 * tiered_evaluation.BATCH)
    found = f(*arrays)
    assert made(f) == {"compiled"}
    assert f(*(x[0] for x in arrays)) == pytest.approx(found[0], rel=1e-12, abs=1e-12)
    assert f._evaluation.single is f._evaluation.compiled


def test_the_quick_way_makes_code_when_it_is_called(function):
    robot, f = function
    state = [x[0] for x in states(robot, 1)]
    quick = f.quick
    assert made(f) == set()
    np.testing.assert_array_equal(quick(*state), f(*state))
    assert made(f) == {"single"}


@pytest.mark.parametrize("count", [1, 2 * tiered_evaluation.BATCH])
def test_quaternions_that_are_not_unit_are_found_in_either(function, count):
    robot, f = function
    q, qd, qdd = states(robot, count)
    with pytest.raises(sg.InputError, match="unit"):
        f(1.1 * q if count > 1 else 1.1 * q[0], qd if count > 1 else qd[0], qdd if count > 1 else qdd[0])


@pytest.mark.parametrize("count", [1, 3])
def test_arguments_may_be_given_by_name(function, count):
    robot, f = function
    q, qd, qdd = (x if count > 1 else x[0] for x in states(robot, count))
    first = f(qdd=qdd, q=q, qd=qd)  # before and after machine code answers in the place of Python
    assert (first == f(q, qd, qdd)).all()
    assert (first == f(q, qd=qd, qdd=qdd)).all()
    bound = sg.inverse_dynamics(robot, parameters=[robot.links[-1].name]).with_parameters({})
    assert bound(q=q, qd=qd, qdd=qdd) == pytest.approx(first, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    {
        "unknown": (lambda f, x: f(x, x, qddd=x), r"no argument is called 'qddd' \(did you mean qdd"),
        "twice": (lambda f, x: f(x, x, x, q=x), "inverse_dynamics: q is given twice"),
        "missing": (lambda f, x: f(x, qdd=x), "inverse_dynamics takes .*: qd is missing"),
        "derivatives by nothing": (lambda f, x: f.jacobian(), "derivatives by what: no argument is named"),
    }.values(),
)
def test_wrong_names_of_arguments_are_told(function, call, message):
    with pytest.raises(sg.InputError, match=message):
        call(function[1], np.zeros(1))
