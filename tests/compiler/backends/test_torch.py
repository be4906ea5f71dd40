"""Functions as PyTorch operators: answers are the machine code's, derivatives those of its Jacobians."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.errors import InputError

torch = pytest.importorskip("torch")
func = torch.func
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def forward() -> Function:
    return sg.forward_dynamics(sg.load("rrr"))


def tensors(*batch: int) -> list[torch.Tensor]:
    return [torch.tensor(x) for x in np.random.default_rng(0).standard_normal((3, *batch, 3))]


def arrays(values: list[torch.Tensor]) -> list[np.ndarray]:
    return [x.numpy() for x in values]


def test_answers_are_those_of_the_machine_code(forward):
    g, values = forward.torch(), tensors(5, 4)
    wanted = forward(*arrays(values))
    np.testing.assert_array_equal(g(*values), wanted)
    np.testing.assert_array_equal(func.vmap(func.vmap(g))(*values), wanted)
    q, qd, tau = values
    mapped = func.vmap(func.vmap(g, (0, None, None)), (None, 0, None))(q[0], qd[:, 0], tau[0, 0])
    np.testing.assert_array_equal(mapped, forward(q[0].numpy(), qd[:, :1].numpy(), tau[0, 0].numpy()))


def test_derivatives_are_those_of_the_jacobian(forward):
    g, values = forward.torch(), tensors(4)
    wanted = forward.jacobian("q", "qd", "tau")(*arrays(values))
    for jacobian in (func.jacrev, func.jacfwd):
        found = func.vmap(jacobian(g, (0, 1, 2)))(*values)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
    q, qd, tau = (x.clone().requires_grad_() for x in (values[0], values[1][0], values[2]))
    g(q, qd, tau).sum().backward()
    np.testing.assert_allclose(qd.grad, func.vmap(func.jacrev(g, 1), (0, None, 0))(q, qd, tau).sum((0, 1)).detach())


def test_second_derivatives_are_symmetric_and_those_of_the_first(forward):
    q, qd, tau = (x.requires_grad_() for x in tensors())
    hessian = torch.autograd.functional.hessian(lambda x: forward.torch()(x, qd, tau)[0], q)
    again = forward.jacobian("q").jacobian("q")(*(x.detach().numpy() for x in (q, qd, tau)))[0]
    np.testing.assert_allclose(hessian, again, rtol=0, atol=1e-12 * np.abs(again).max())


def test_compiled_graphs_have_no_breaks_and_the_same_gradients(forward):
    g, (q, qd, tau) = forward.torch(), tensors(6)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return (g(x, qd, tau) ** 2).sum()

    found = []
    for way in (loss, torch.compile(loss, fullgraph=True, backend="aot_eager")):
        x = q.clone().requires_grad_()
        way(x).backward()
        found.append(x.grad)
    np.testing.assert_allclose(*found, rtol=1e-14)


def test_single_precision(forward):
    values = tensors()
    found = forward.astype("float32").torch()(*values)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found, forward(*arrays(values)), rtol=1e-4, atol=1e-4)


def test_wrong_arguments_are_refused_as_by_the_function(forward):
    g, (q, qd, tau) = forward.torch(), tensors()
    with pytest.raises(InputError, match="takes 3 arguments"):
        g(q, qd)
    with pytest.raises(InputError, match=r"q has the shape \(2,\), expected \(..., 3\)"):
        g(q[:2], qd, tau)
    with pytest.raises(InputError, match="tau is not a tensor of real numbers"):
        g(q, qd, 1j * tau)
