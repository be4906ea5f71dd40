import numpy as np
import pytest

from screwgraph.errors import InputError
from screwgraph.optimize import FixedLag, Problem, Status, Variables, Vector, each, equality, soft, solve

from .graphs import anchor

RNG = np.random.default_rng(1)
A = np.eye(3) + 0.1 * RNG.standard_normal((3, 3))
H = RNG.standard_normal((2, 3))
Z = RNG.standard_normal((30, 2))
WINDOW = 4


def seen(x, *, z):
    return H @ x - z


def moved(a, b):
    return b - A @ a


def seen_with_bias(x, bias, *, z):
    return H @ x + bias - z


def batch(z):
    x = Variables("x", Vector(3), len(z))
    return [soft(seen, x, z=each(z), sigma=0.2), soft(moved, x[:-1], x[1:], sigma=0.1)], x


@pytest.fixture(params=["straight", "assembled"], autouse=True)
def engine(request, monkeypatch):
    """Windows are small here: also as large ones are solved."""
    if request.param == "assembled":
        monkeypatch.setattr("screwgraph.optimize.smoothers.fixed_lag.STRAIGHT", 0)


def test_a_window_that_marginalises_equals_the_batch_on_a_linear_chain():
    factors, x = batch(Z)
    whole = solve(Problem([*factors, soft(anchor, x[0], at=np.ones(3), sigma=0.3)]))
    window, _ = batch(Z[:WINDOW])
    lag = FixedLag(Problem(window), {"x": np.ones((WINDOW, 3))}, prior={"x": 0.3})
    assert lag.solve().status is Status.CONVERGED
    for z in Z[WINDOW:]:
        lag.advance(parameters={"seen": {"z": z}})
        assert lag.solve().status is Status.CONVERGED
    assert np.allclose(lag.values["x"], whole.values["x"][-WINDOW:], rtol=0, atol=1e-12)


def test_what_all_steps_share_is_estimated_as_in_the_batch():
    def problem(z):
        x, bias = Variables("x", Vector(3), len(z)), Variables("bias", Vector(2))
        ties = [soft(seen_with_bias, x, bias, z=each(z), sigma=0.2), soft(moved, x[:-1], x[1:], sigma=0.1)]
        return ties, x, bias

    factors, x, bias = problem(Z)
    held = [
        soft(anchor, x[0], at=np.zeros(3), sigma=0.3, name="x0"),
        soft(anchor, bias, at=np.zeros(2), sigma=[1.0, 2.0]),
    ]
    whole = solve(Problem([*factors, *held]))
    lag = FixedLag(Problem(problem(Z[:WINDOW])[0]), {}, prior={"x": 0.09 * np.eye(3), "bias": [1.0, 2.0]})
    lag.solve()
    record, ended = lag.run(len(Z) - WINDOW, ({"seen_with_bias": {"z": z}} for z in Z[WINDOW:]))
    assert all(e.status is Status.CONVERGED for e in ended)
    assert np.allclose(lag.values["bias"], whole.values["bias"], rtol=0, atol=1e-11)
    assert np.allclose(record["x"][-1], whole.values["x"][-1], rtol=0, atol=1e-11)
    information, _ = lag.prior
    assert np.allclose(information, information.T)


def test_a_pinned_window_integrates_by_the_trapezoidal_rule():
    dt, steps = 1e-2, 200

    def swings(q, v, qn, vn):
        rate = np.sin(q) + np.sin(qn)
        return np.array([qn[0] - q[0] - dt / 2 * (v[0] + vn[0]), vn[0] - v[0] + dt / 2 * rate[0]], dtype=object)

    q, v = Variables("q", Vector(1), 2), Variables("v", Vector(1), 2)
    problem = Problem([soft(swings, q[:-1], v[:-1], q[1:], v[1:])])
    lag = FixedLag(problem, {"q": np.ones((2, 1))}, pinned=True, predict=lambda q, v: (q + dt * v, v - dt * np.sin(q)))
    lag.solve()
    record, ended = lag.run(steps)
    energy = record["v"] ** 2 / 2 - np.cos(record["q"])
    assert np.abs(energy + np.cos(1.0)).max() < 1e-5
    assert all(e.status is Status.CONVERGED and e.iterations <= 4 for e in ended)
    qs, vs = np.ones(1), np.zeros(1)
    for _ in range(20):  # the rule by fixed-point iteration
        qn, vn = qs, vs
        for _ in range(60):
            qn, vn = qs + dt / 2 * (vs + vn), vs - dt / 2 * (np.sin(qs) + np.sin(qn))
        qs, vs = qn, vn
    assert record["q"][18] == pytest.approx(qs, abs=1e-12)  # the first window holds two steps


def test_what_is_no_window_is_refused():
    factors, x = batch(Z[:WINDOW])
    jump = soft(lambda a, b: b - a, x[:-2], x[2:], name="jump")
    hard = equality(lambda a: a, x[0], name="zero")
    for extra, words in (
        (jump, "jump connects steps that are not neighbours"),
        (hard, "does not support hard factors"),
    ):
        with pytest.raises(InputError, match=words):
            FixedLag(Problem([*factors, extra]), {})
    lag = FixedLag(Problem(factors), {})
    with pytest.raises(InputError, match=r"no factor has its own seen\.y"):
        lag.advance(parameters={"seen": {"y": 1.0}})
    with pytest.raises(InputError, match=r"z has the shape \(3,\), expected \(2,\)"):
        lag.advance(parameters={"seen": {"z": np.ones(3)}})
    with pytest.raises(InputError, match="prior of x is not a covariance"):
        FixedLag(Problem(factors), {}, prior={"x": -np.eye(3)})
    with pytest.raises(InputError, match="a pinned window has no prior"):
        FixedLag(Problem(factors), {}, prior={"x": 1.0}, pinned=True)
