"""Functions of float32 numbers: right to their rounding, with NumPy's rules for arrays of other types."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg


@pytest.fixture(scope="module")
def wide() -> sg.Function:
    return sg.forward_dynamics(sg.load("panda"), ordering="aba")


@pytest.fixture(scope="module")
def narrow(wide) -> sg.Function:
    return wide.astype("float32")


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.stack([rng.uniform(-3, 3, (37, 7)), *rng.normal(size=(2, 37, 7))]).astype("float32")


@pytest.mark.parametrize("make", [sg.inverse_dynamics, sg.forward_dynamics, sg.bias_forces, sg.mass_matrix])
def test_answers_are_those_of_float64_to_rounding(make, states):
    f = make(sg.load("panda"))
    arguments = states[: len(f.arguments)]
    exact, found = f(*arguments.astype(float)), make(sg.load("panda"), dtype="float32")(*arguments)
    assert found.dtype == np.float32
    size = np.abs(exact).max(axis=tuple(range(1, exact.ndim)), keepdims=True)
    np.testing.assert_allclose(found / size, exact / size, atol=2e-4)


def test_a_floating_base_too():
    robot = sg.load("a1", base="floating")
    f = sg.inverse_dynamics(robot)
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(33)])
    exact = f(q, *(x := rng.normal(size=(2, 33, robot.nv))))
    found = f.astype("float32")(q, *x)
    assert (np.abs(found - exact).max(axis=1) < 1e-5 * np.abs(exact).max(axis=1)).all()


def test_it_is_a_gufunc_of_floats(narrow):
    assert narrow.ufunc.types == ["fff->f"]
    assert narrow.dtype == "float32"
    assert "float32" in repr(narrow)
    assert narrow.program is narrow.astype("float64").program


def test_arrays_of_other_types_are_rounded_first(narrow, states):
    expected = narrow(*states)
    for kind in ("float64", ">f4", "longdouble"):
        np.testing.assert_array_equal(narrow(*states.astype(kind)), expected)
    whole = np.arange(21).reshape(3, 7)
    np.testing.assert_array_equal(narrow(*whole.tolist()), narrow(*whole.astype("float32")))
    with pytest.raises(sg.InputError, match="q is not an array of real numbers"):
        narrow(states[0] * 1j, *states[1:])


def test_results_are_converted_where_they_go(narrow, states):
    out = np.empty((37, 7))
    assert narrow(*states, out=out) is out
    np.testing.assert_array_equal(out, narrow(*states))
    with pytest.raises(sg.InputError, match="same_kind"):
        narrow(*states, out=np.empty((37, 7), int))


def test_both_layouts_give_the_same(narrow, states):
    columns = [np.asfortranarray(x) for x in states]
    np.testing.assert_allclose(narrow(*columns), narrow(*states), rtol=1e-3, atol=1e-3)


def test_functions_of_floats_are_asked_for_by_type(wide):
    assert wide.astype(np.float32).dtype == wide.astype("f4").dtype == "float32"
    for wrong in ("float16", "int64", "half a float", object()):
        with pytest.raises(sg.InputError, match="no type of numbers"):
            wide.astype(wrong)
    robot = sg.load("rr")
    assert sg.hybrid_dynamics(robot, ["joint1"], dtype="float32")(*np.ones((3, 2))).dtype == np.float32
    graph = sg.dynamics_graph(robot).given("q", "qd", "qdd")
    assert sg.compile(graph, "tau", dtype="float32")(*np.ones((3, 2))).dtype == np.float32


def test_derivatives_and_assembly_keep_the_type(narrow, states):
    by_tau = narrow.jacobian("tau")
    assert by_tau(*states[:, 0]).dtype == np.float32
    assert "float" in narrow.llvm_source()
    assert "store double" not in narrow.llvm_source()
