"""Functions on GPUs: on a stand-in for the driver, which interprets kernels, and on a GPU where there is one."""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.compiler.backends.cuda.driver import current_gpu
from tests.compiler.backends.cuda.stand_in import SIZE, Foreign, StandIn

RNG = np.random.default_rng(8)
MODULE = "cuda.bindings.driver"


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    found = StandIn()
    monkeypatch.setitem(sys.modules, MODULE, found)
    return found


@pytest.fixture(scope="module")
def forward() -> Function:
    return sg.forward_dynamics(sg.load("rrr"))


@pytest.fixture
def states() -> np.ndarray:
    return RNG.standard_normal((3, 5, 3))


def near(found: np.ndarray, expected: np.ndarray) -> None:
    """Both round alike, but for processors without fused products."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_arrays_of_numpy_go_there_and_back(driver, forward, states):
    g = forward.cuda()
    found = g(*states)
    assert isinstance(found, np.ndarray)
    near(found, forward(*states))
    near(g(*states[:, 0]), forward(*states[:, 0]))
    near(g(states[0], states[1, 0], states[2]), forward(states[0], states[1, 0], states[2]))
    q, qd = states[0][:, None], states[1][:2]
    near(g(q, qd, states[2, 0]), forward(q, qd, states[2, 0]))
    assert g(*states[:, :0]).shape == (0, 3)
    assert not driver.owned
    assert len(driver.loaded) == 1
    assert repr(g) == "<forward_dynamics on the GPU (q: 3, qd: 3, tau: 3) -> 3, float64>"


def test_arrays_of_the_gpu_stay_in_place_whatever_their_layout(driver, forward, states):
    g, wanted = forward.cuda(), forward(*states)
    rows, columns = Foreign(driver, states[0]), Foreign(driver, np.asfortranarray(states[1]))
    wide = np.zeros((5, 10))
    wide[:, 4:7] = states[2]
    found = g(rows, columns, Foreign(driver, wide[:, 4:7]))
    assert repr(found) == "<array (5, 3) of float64 on the GPU>"
    near(found.numpy(), wanted)
    own = [g.array(x, name) for x, name in zip(states, ("q", "qd", "tau"), strict=True)]
    again = g(*own)
    near(again.numpy(), wanted)
    seen = again.__cuda_array_interface__
    assert (seen["shape"], seen["strides"], seen["typestr"]) == ((5, 3), (8, 40), "<f8")
    near(g(own[0], own[1], states[2]).numpy(), wanted)  # one is copied there
    near(g(own[0], own[1], Foreign(driver, states[2, 0])).numpy(), forward(*states[:2], states[2, 0]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_results_are_written_to_what_is_given(driver, forward, states, order):
    g = forward.cuda()
    out = Foreign(driver, np.zeros((5, 3), order=order))
    assert g(*states, out=out) is out
    near(out.numpy(), forward(*states))
    empty = g.empty(5)
    assert g(*states, out=empty) is empty
    near(empty.numpy(), forward(*states))
    same = Foreign(driver, states[0])
    g(same, *states[1:], out=same)
    near(same.numpy(), forward(*states))


def test_several_results_and_parameters(driver):
    robot = sg.load("rr")
    f = sg.inverse_dynamics(robot, parameters=["link2", "joint1.friction"]).jacobian("q", "parameters")
    g, rng = f.cuda(), np.random.default_rng(1)
    values = [np.array(a.nominal) if a.nominal else rng.standard_normal((4, *a.shape)) for a in f.arguments]
    for found, expected in zip(g(*values), f(*values), strict=True):
        assert found.shape == expected.shape
        near(found, expected)
    out = g.empty(4)
    assert g(*values, out=out) is out
    for found, expected in zip(out, f(*values), strict=True):
        near(found.numpy(), expected)


def test_streams_are_waited_for_only_where_another_one_computes(driver, forward, states):
    g = forward.cuda()
    own = [Foreign(driver, x, stream) for x, stream in zip(states, (None, 34, 34), strict=True)]
    found = g(*own, stream=34)
    assert driver.launched[-1] == (1, 1, 1, 128, 1, 1, 34)
    assert not driver.waited
    g(*own)
    assert driver.waited == [34]
    other = Foreign(driver, states[0], stream=1)  # the default stream
    g(other, *own[1:], out=found)
    g(other, *own[1:], stream=34)
    assert driver.waited == [34, 34, 0]


def test_kernels_are_for_one_type_of_numbers(driver, forward, states):
    g = forward.astype("float32").cuda()
    found = g(*states)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, forward(*states), rtol=0, atol=1e-4 * np.abs(forward(*states)).max())
    with pytest.raises(InputError, match=r"q is an array of float64 on the GPU, code computes with float32"):
        g(Foreign(driver, states[0]), *states[1:])


def test_quaternions_of_any_length_are_divided_by_it(driver):
    robot = sg.load("a1", base="floating")
    f, q = sg.mass_matrix(robot), robot.random(RNG)
    longer = q.copy()
    longer[3:7] *= 3.0
    near(f.cuda()(longer), f(q))


def test_a_function_is_pickled_without_its_kernels(driver, forward, states):
    g = forward.cuda()
    g(*states)
    near(pickle.loads(pickle.dumps(g))(*states), forward(*states))


def test_what_does_not_fit_is_said(driver, forward, states):
    g = forward.cuda()
    q, qd, tau = (Foreign(driver, x) for x in states)
    with pytest.raises(InputError, match="takes 3 arguments"):
        g(q, qd)
    with pytest.raises(InputError, match=r"tau has the shape \(5, 2\), expected \(\.\.\., 3\)"):
        g(q, qd, Foreign(driver, np.zeros((5, 2))))
    with pytest.raises(InputError, match="cut out of a larger array"):
        g(Foreign(driver, np.zeros((5, 4, 3))[:, :2]), qd, tau)
    with pytest.raises(InputError, match="do not broadcast"):
        g(q, qd, states[2, :4])
    with pytest.raises(InputError, match="on the GPU does not broadcast"):
        g(q, states[1][:, None], tau)
    with pytest.raises(InputError, match=r"out= is not on the GPU"):
        g(q, qd, tau, out=np.zeros((5, 3)))
    with pytest.raises(InputError, match=r"out= cannot be written to"):
        g(q, qd, tau, out=Foreign(driver, states[0], fixed=True))
    with pytest.raises(InputError, match=r"has 1 result, out= 2"):
        g(q, qd, tau, out=(q, qd))
    with pytest.raises(InputError, match=r"is for samples \(4,\), not \(5,\)"):
        g(q, qd, tau, out=g.empty(4))
    with pytest.raises(InputError, match="has no argument 'qdd'"):
        g.array(states[0], "qdd")
    with pytest.raises(InputError, match=r"too little memory left: cuMemAlloc: out of memory .*fewer samples"):
        g.empty(SIZE)


def test_where_no_gpu_can_be_used_it_is_said_why(forward, monkeypatch):
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(InputError, match=r"cuda-bindings is not installed \(pip install 'screwgraph\[cuda\]'\)"):
        forward.cuda()
    monkeypatch.setitem(sys.modules, MODULE, StandIn(devices=0))
    with pytest.raises(InputError, match=r"no GPU can be used: cuInit: no CUDA-capable device .*on the processor"):
        forward.cuda()

    class Missing(StandIn):
        def cuInit(self, flags: int) -> tuple[int]:
            raise RuntimeError("libcuda.so.1 was not found")

    monkeypatch.setitem(sys.modules, MODULE, Missing())
    with pytest.raises(InputError, match=r"CUDA's driver was not found: libcuda\.so\.1"):
        forward.cuda()


@pytest.fixture
def real() -> Iterator[None]:
    try:
        current_gpu()
    except InputError as error:
        pytest.skip(f"not launched: {error}")
    yield
    gc.collect()


@pytest.mark.extra
@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_gpu_computes_what_the_processor_does(dtype):
    robot = sg.load("a1", base="floating")
    count, tolerance = 10_000, {"float64": 1e-9, "float32": 1e-3}[dtype]
    q = np.array([robot.random(RNG) for _ in range(count)])
    qd, tau = RNG.standard_normal((2, count, robot.nv))
    for made in (sg.forward_dynamics, sg.inverse_dynamics):
        f = made(robot)
        expected = f(q, qd, tau)
        found = f.astype(dtype).cuda()(q, qd, tau)
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())
