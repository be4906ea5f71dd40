"""Functions as JAX functions: answers are the machine code's, derivatives those of a step in the complex plane."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, quaternion_places
from screwgraph.compiler.backends.jax import _registered_code
from screwgraph.compiler.backends.llvm.tiering import wait_for_optimised
from screwgraph.compiler.unit_quaternions import normalising
from tests.random_trees import random_tree

jax = pytest.importorskip("jax")
STEP = 1e-100


@pytest.fixture(scope="module", autouse=True)
def double() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def forward() -> Function:
    return sg.forward_dynamics(sg.load("rrr"))


def state(f: Function, *batch: int) -> list[np.ndarray]:
    """Return random arguments, quaternions of other lengths than 1, and parameters as in the file."""
    rng = np.random.default_rng(0)
    return [np.array(a.nominal or rng.standard_normal((*batch, *a.shape))) for a in f.arguments]


def stepped(f: Function, values: list[np.ndarray], by: int) -> np.ndarray:
    """Return derivatives of f by the numbers of an argument, from steps in the complex plane."""
    code = normalising(f.program, f.arguments, quaternion_places(f.arguments))
    flat = np.concatenate([np.ravel(v) for v in values])
    numbers = dict(zip((n for a in f.arguments for n in a.names), flat, strict=True))
    columns = []
    for name in f.arguments[by].names:
        found = code.evaluate([np.complex128(numbers[n], STEP * (n == name)) for n in code.input_names])
        columns.append(np.imag(found) / STEP)
    return np.transpose(columns)


def test_answers_are_those_of_the_machine_code(forward):
    g, values = forward.jax(), state(forward, 5, 4)
    wanted = forward(*values)
    np.testing.assert_array_equal(g(*values), wanted)
    np.testing.assert_array_equal(jax.jit(g)(*values), wanted)
    np.testing.assert_array_equal(jax.vmap(jax.vmap(g))(*values), wanted)


def test_arguments_that_a_map_leaves_out_broadcast(forward):
    g, (q, qd, tau) = forward.jax(), state(forward, 4)
    mapped = jax.vmap(jax.vmap(g, (0, None, None)), (None, 0, None))(q, qd, tau[0])
    np.testing.assert_array_equal(mapped, forward(q, qd[:, None], tau[0]))
    mapped = jax.vmap(g, (0, None, 0))(q[:, None], qd[None, :3], tau[:, None])
    np.testing.assert_array_equal(mapped, forward(q[:, None, None], qd[None, :3], tau[:, None, None]))
    mapped = jax.vmap(g, (1, None, None))(q.T, qd[0], tau[0])
    np.testing.assert_array_equal(mapped, forward(q, qd[0], tau[0]))


@pytest.mark.parametrize("name", ["rrr", "five_bar", "floating"])
@pytest.mark.sampled(3)
def test_derivatives_are_exact_forward_and_reverse(name):
    robot = sg.load(random_tree(3, lambda i: 0), base="floating") if name == "floating" else sg.load(name)
    f = sg.forward_dynamics(robot)
    values, g = state(f), f.jax()
    for jacobian in (jax.jacfwd, jax.jacrev):
        for i, found in enumerate(jacobian(g, argnums=(0, 1, 2))(*values)):
            wanted = stepped(f, values, i)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


def test_derivatives_by_live_parameters():
    f = sg.inverse_dynamics(sg.load("rrr"), parameters=["link3"])
    values = state(f)
    wanted = stepped(f, values, 3)
    found = jax.jacrev(f.jax(), argnums=3)(*values)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_second_derivatives_are_derivatives_of_the_first(forward):
    q, qd, tau = state(forward)
    hessian = jax.hessian(lambda x: forward.jax()(x, qd, tau)[0])(q)
    wanted = stepped(forward.jacobian("q"), [q, qd, tau], 0).reshape(3, 3, 3)[0]
    np.testing.assert_allclose(hessian, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_several_results_and_derivatives_in_batches(forward):
    f = forward.jacobian("q", "tau")
    values, (_, qd, tau) = state(f, 7), state(f)
    for found, wanted in zip(f.jax()(*values), f(*values), strict=True):
        np.testing.assert_array_equal(found, wanted)
    slopes = jax.vmap(jax.jacrev(forward.jax(), argnums=2))(*values)
    np.testing.assert_allclose(slopes, f(*values)[1], rtol=1e-12, atol=1e-12)
    change = jax.jvp(forward.jax(), (values[0], qd, tau), (np.ones((7, 3)), np.zeros(3), np.ones(3)))[1]
    by_q, by_tau = f(values[0], qd, tau)
    np.testing.assert_allclose(change, (by_q + by_tau) @ np.ones(3), rtol=1e-12, atol=1e-12)


def test_a_rollout_is_differentiated_through_its_steps(forward):
    q, qd, tau = state(forward)
    g, step = forward.jax(), 0.01

    def end(speed: jax.Array) -> jax.Array:
        def move(x: tuple, _: None) -> tuple:
            speed = x[1] + step * g(*x, tau)
            return (x[0] + step * speed, speed), None

        return jax.lax.scan(move, (q, speed), None, length=20)[0][0][0]

    h = 1e-6
    wanted = [(end(qd + h * e) - end(qd - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(jax.jit(jax.grad(end))(qd), wanted, rtol=0, atol=1e-7)


def test_single_precision_needs_no_double_precision_of_jax(forward):
    values = state(forward)
    g, double = forward.astype("float32").jax(), forward.jax()
    jax.config.update("jax_enable_x64", False)
    try:
        found = g(*values)
        with pytest.raises(InputError, match="computes in double precision, JAX in single"):
            forward.jax()
        with pytest.raises(InputError, match="computes in double precision, JAX in single"):
            double(*values)  # made before
    finally:
        jax.config.update("jax_enable_x64", True)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, forward(*values), rtol=1e-4, atol=1e-4)


def gradient(g: Callable[..., Any], values: list[np.ndarray]) -> np.ndarray:
    """Return the gradient by q of the sum of results, by a compiled function of the process in which it is called."""
    q, *others = values
    return np.asarray(jax.jit(jax.grad(lambda x: g(x, *others).sum()))(q))


def in_double() -> None:
    """Let JAX compute in double precision in this process."""
    jax.config.update("jax_enable_x64", True)


def test_functions_are_pickled_and_copied(forward):
    g, values = forward.jax(), state(forward, 4)
    for again in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        np.testing.assert_array_equal(again(*values), g(*values))
        np.testing.assert_array_equal(gradient(again, values), gradient(g, values))
    with jax.enable_x64(False), pytest.raises(InputError, match="double precision, JAX in single"):
        pickle.loads(pickle.dumps(g))(*values)


@pytest.mark.suite
def test_other_processes_compile_functions_that_they_are_given(forward):
    g, values = forward.jax(), state(forward, 4)
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=in_double) as pool:
        found = pool.submit(gradient, g, values).result()
    np.testing.assert_array_equal(found, gradient(g, values))


def test_threads_share_a_function():
    f = sg.forward_dynamics(sg.load("rrr")).jacobian("tau")
    g, values = f.jax(), state(f, 20)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: g(*values), range(8)):
            np.testing.assert_array_equal(found, f(*values))


def test_fast_code_takes_the_place_of_a_draft(monkeypatch, tmp_path):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("SCREWGRAPH_DRAFT_STATES", "50")
    g = sg.forward_dynamics(sg.load(random_tree(4))).jax()
    values = np.random.default_rng(0).standard_normal((3, 20, 4))
    call = jax.jit(g)
    first = np.asarray(call(*values))
    for _ in range(4):
        np.testing.assert_array_equal(call(*values), first)
    wait_for_optimised()
    (entry, _), *_ = [kept for kept in _registered_code().values() if len(kept[0].kept_alive) > 1]
    assert entry.address == entry.kept_alive[-1].function("loop")
    np.testing.assert_array_equal(call(*values), first)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((np.ones(3), np.ones(3)), "takes 3 arguments"),
        ((np.ones(2), np.ones(3), np.ones(3)), r"q has the shape \(2,\), expected \(..., 3\)"),
        ((np.ones((2, 3)), np.ones((5, 3)), np.ones(3)), "batches do not broadcast"),
        ((np.ones(3), 1j * np.ones(3), np.ones(3)), "qd is not an array of real numbers"),
        ((np.ones(3), None, np.ones(3)), "qd is not an array of real numbers"),
        ((np.ones(3), jax.random.key(0), np.ones(3)), "qd is not an array of real numbers"),
    ],
)
def test_wrong_arguments_are_refused_as_by_the_function(forward, values, message):
    with pytest.raises(InputError, match=message):
        forward.jax()(*values)
