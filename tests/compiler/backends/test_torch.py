"""Functions as PyTorch operators: answers are the machine code's, derivatives those of its Jacobians."""

from __future__ import annotations

import copy
import io
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, quaternion_places

torch = pytest.importorskip("torch")
func = torch.func
pytestmark = [
    pytest.mark.extra,
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]


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


def test_compiled_graphs_take_maps_and_batches_of_any_size(forward):
    g, (q, qd, tau) = forward.torch(), tensors(5)
    mapped = torch.compile(func.vmap(g, (0, None, 0)), fullgraph=True, backend="aot_eager")
    np.testing.assert_array_equal(mapped(q, qd[0], tau), g(q, qd[0], tau))
    batches = torch.compile(g, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (2, 5, 3):
        values = tensors(count)
        np.testing.assert_array_equal(batches(*values), g(*values))


def test_pytorchs_own_checks_of_operators_pass(forward):
    several = forward.jacobian("q", "tau").torch()
    for g, batch in ((forward.torch(), ()), (several, (4,))):
        torch.library.opcheck(g.operator, tuple(x.requires_grad_() for x in tensors(*batch)))


@pytest.mark.parametrize("shapes", [((), (), ()), ((2, 1), (3,), ())])
def test_gradients_of_gradients_are_those_of_differences(forward, shapes):
    values = [tensors(*shape)[i].requires_grad_() for i, shape in enumerate(shapes)]
    assert torch.autograd.gradcheck(forward.torch(), values, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(forward.torch(), values, check_fwd_over_rev=not any(shapes))


def test_several_results_and_single_numbers_have_gradients(forward):
    several = forward.jacobian("q", "tau").torch()
    values = [x.requires_grad_() for x in tensors()]
    several(*values)[1].sum().backward()  # of one result of two
    wanted = forward.jacobian("tau").jacobian("q")(*(x.detach().numpy() for x in values)).sum((0, 1))
    np.testing.assert_allclose(values[0].grad, wanted, rtol=1e-10)
    energy = sg.kinetic_energy(sg.load("rrr")).torch()
    assert energy(*tensors(4)[:2]).shape == (4,)
    assert torch.autograd.gradcheck(energy, values[:2])


def test_gradients_in_batches_and_by_forward_derivatives_are_the_jacobian(forward):
    g, (q, qd, tau) = forward.torch(), tensors()
    wanted = forward.jacobian("q")(*arrays([q, qd, tau]))
    for strategy in ("reverse-mode", "forward-mode"):
        found = torch.autograd.functional.jacobian(lambda x: g(x, qd, tau), q, vectorize=True, strategy=strategy)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(q, torch.ones_like(q))
        change = torch.autograd.forward_ad.unpack_dual(g(dual, qd, tau)).tangent
    np.testing.assert_allclose(change, wanted.sum(1), rtol=1e-12)


def test_traces_and_fake_tensors_see_an_operator(forward):
    g, values = forward.torch(), tensors()
    graph = torch.fx.experimental.proxy_tensor.make_fx(g)(*tensors(1))
    np.testing.assert_array_equal(graph(*values), g(*values))
    with torch._subclasses.fake_tensor.FakeTensorMode() as mode:
        assert g(*(mode.from_tensor(x) for x in tensors(4))).shape == (4, 3)


class Pushed(torch.nn.Module):
    """A module that holds dynamics."""

    def __init__(self, g) -> None:
        super().__init__()
        self.g, self.gain = g, torch.nn.Parameter(torch.ones(3, dtype=torch.float64))

    def forward(self, q: torch.Tensor, qd: torch.Tensor) -> torch.Tensor:
        return self.g(q, qd, self.gain * q)


def test_modules_that_hold_one_are_copied_pickled_and_saved(forward):
    module, (q, qd, _), file = Pushed(forward.torch()), tensors(), io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for again in (
        copy.deepcopy(module),
        pickle.loads(pickle.dumps(module)),
        torch.load(file, weights_only=False),
        torch.compile(module, fullgraph=True, backend="aot_eager"),
    ):
        np.testing.assert_array_equal(again(q, qd).detach(), module(q, qd).detach())


def test_threads_share_a_function():
    def gradient(_: int) -> np.ndarray:
        q, qd, tau = tensors(20)
        sg.forward_dynamics(sg.load("rrr")).torch()(q.requires_grad_(), qd, tau).sum().backward()
        return q.grad.numpy()

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(gradient, range(8))
    for other in others:
        np.testing.assert_array_equal(other, first)


CASES = {
    "five_bar": lambda: sg.forward_dynamics(sg.load("five_bar")),
    "independent": lambda: sg.forward_dynamics(sg.load("five_bar"), coordinates="independent"),
    "parameters": lambda: sg.inverse_dynamics(sg.load("rrr"), parameters=["link3"]),
    "kinematics": lambda: sg.forward_kinematics(sg.load("rrr"), sg.load("rrr").links[-1].name),
    "floating": lambda: sg.inverse_dynamics(sg.load("rrr", base="floating")),
}


@pytest.mark.parametrize("name", CASES)
def test_closed_chains_live_parameters_kinematics_and_floating_bases(name):
    f, rng = CASES[name](), np.random.default_rng(1)
    values = [torch.tensor(np.array(a.nominal or rng.standard_normal(a.shape))) for a in f.arguments]
    for place in quaternion_places(f.arguments):
        values[place[0]][place[1] : place[1] + 4] /= values[place[0]][place[1] : place[1] + 4].norm()
    np.testing.assert_allclose(f.torch()(*values), f(*arrays(values)), rtol=1e-13, atol=1e-13)
    assert torch.autograd.gradcheck(f.torch(), [x.requires_grad_() for x in values], check_forward_ad=True, atol=1e-4)


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
    with pytest.raises(InputError, match="qd is not an array of real numbers"):
        g(q, "fast", tau)
    with pytest.raises(InputError, match="q is on the device meta"):
        g(q.to("meta"), qd, tau)
    with pytest.raises(InputError, match="q is not dense"):
        g(q.to_sparse(), qd, tau)
    with pytest.raises(InputError, match="batches do not broadcast"):
        g(tensors(2)[0], tensors(5)[1], tau)


def test_other_numbers_are_converted(forward):
    g, (q, qd, tau) = forward.torch(), tensors()
    wanted = g(torch.ones(3, dtype=torch.float64), qd, tau)
    for ones in (torch.ones(3), torch.ones(3, dtype=torch.int32), np.ones(3), [1.0, 1.0, 1.0]):
        np.testing.assert_array_equal(g(ones, qd, tau), wanted)
    np.testing.assert_array_equal(g(torch._neg_view(q), qd, tau), g(-q, qd, tau))
    single = torch.ones(3, requires_grad=True)
    g(single, qd, tau).sum().backward()
    assert single.grad.dtype == torch.float32
