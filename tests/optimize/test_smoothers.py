import time
import tracemalloc

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.model.formats import read_state, write_state
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


def test_measurements_that_begin_at_the_second_step_stay_known():
    """What a step alone brings, and its first one not, is not on the step that leaves: it is a prior on the next."""

    def later(z):
        (_, moves), x = batch(z)
        return [soft(seen, x[1:], z=each(z[1:]), sigma=0.2), moves], x

    factors, x = later(Z)
    whole = solve(Problem([*factors, soft(anchor, x[0], at=np.ones(3), sigma=0.3)]))
    lag = FixedLag(Problem(later(Z[:WINDOW])[0]), {"x": np.ones((WINDOW, 3))}, prior={"x": 0.3})
    lag.solve()
    for z in Z[WINDOW:]:
        lag.advance(parameters={"seen": {"z": z}})
        lag.solve()
    assert np.allclose(lag.values["x"], whole.values["x"][-WINDOW:], rtol=0, atol=1e-12)
    assert np.allclose(lag.covariance(), whole.covariance(x[-1]), rtol=1e-9)


def test_one_step_solves_a_linear_window():
    factors, _ = batch(Z[:WINDOW])
    start = {"x": np.ones((WINDOW, 3))}
    solved, stepped = (FixedLag(Problem(factors), start, prior={"x": 0.3}) for _ in range(2))
    solved.solve()
    ended = stepped.step()
    assert ended.status is Status.ITERATION_LIMIT
    assert ended.iterations == 1
    assert np.allclose(stepped.values["x"], solved.values["x"], rtol=0, atol=1e-12)
    assert stepped.step().status is Status.CONVERGED


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


def biased(z):
    x, bias = Variables("x", Vector(3), len(z)), Variables("bias", Vector(2))
    return [soft(seen_with_bias, x, bias, z=each(z), sigma=0.2), soft(moved, x[:-1], x[1:], sigma=0.1)], x, bias


def biased_lag(steps):
    lag = FixedLag(Problem(biased(Z[:steps])[0]), {}, prior={"x": 0.3, "bias": 1.0})
    lag.solve()
    return lag


def test_covariances_are_those_of_the_batch():
    factors, x, bias = biased(Z)
    held = [
        soft(anchor, x[0], at=np.zeros(3), sigma=0.3, name="x0"),
        soft(anchor, bias, at=np.zeros(2), sigma=1.0),
    ]
    whole = solve(Problem([*factors, *held]))
    lag = biased_lag(WINDOW)
    lag.run(len(Z) - WINDOW, ({"seen_with_bias": {"z": z}} for z in Z[WINDOW:]))
    found = lag.covariances()
    assert np.allclose(found["x"], whole.covariances(x)[-WINDOW:], rtol=1e-9, atol=0)
    np.testing.assert_allclose(found["bias"], whole.covariances(bias), rtol=1e-9, strict=True)
    for step in (0, -1):
        there = len(Z) - WINDOW if step == 0 else len(Z) - 1
        assert np.allclose(lag.covariance(step), whole.covariance(x[there], bias), rtol=1e-8, atol=1e-12)
    with pytest.raises(InputError, match="step 4 is not in the window"):
        lag.covariance(4)
    with pytest.raises(InputError, match="do not determine all unknowns"):
        FixedLag(Problem(factors[1:]), {}).covariances()


def test_covariances_of_functions_of_the_last_step_are_those_of_the_step_that_was_taken():
    lag, rows = biased_lag(4), RNG.standard_normal((2, 3))
    lag.step()
    expected = rows @ lag.covariance()[:3, :3] @ rows.T  # linear: the same at all values
    assert np.allclose(lag.spread(rows), expected, rtol=1e-9)
    other = lag.copy()
    other.advance()
    other.step()
    assert np.allclose(lag.spread(rows), expected, rtol=1e-9)


def test_a_step_held_fast_has_no_covariance():
    lag = FixedLag(Problem(biased(Z[:WINDOW])[0]), {}, pinned=True)
    lag.solve()
    factors, x, _ = biased(Z[:WINDOW])
    fixed = Problem([*factors, equality(lambda a: a, x[0], name="held")])
    assert np.allclose(lag.covariances()["x"], solve(fixed).covariances(x), rtol=1e-6, atol=1e-9)
    assert not lag.covariances()["x"][0].any()


def test_a_smoother_goes_on_from_a_file_to_the_last_digit(tmp_path):
    lag = biased_lag(WINDOW)
    lag.run(5, ({"seen_with_bias": {"z": z}} for z in Z[WINDOW:]))
    lag.save(tmp_path / "state.npz")
    other = biased_lag(WINDOW).loaded(tmp_path / "state.npz")
    for one in (lag, other):
        one.run(9, ({"seen_with_bias": {"z": z}} for z in Z[WINDOW + 5 :]))
    assert all(np.array_equal(lag.values[name], other.values[name]) for name in lag.values)
    assert all(np.array_equal(a, b) for a, b in zip(lag.prior, other.prior, strict=True))
    with pytest.raises(InputError, match="another window"):
        biased_lag(WINDOW + 1).loaded(tmp_path / "state.npz")
    (tmp_path / "other.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="holds no saved smoother"):
        lag.loaded(tmp_path / "other.npz")
    with pytest.raises(InputError, match="cannot be written"):
        lag.save(tmp_path / "nowhere" / "state.npz")


@pytest.mark.parametrize("change", ["negative", "turned", "nan"])
def test_a_prior_that_is_none_is_refused(tmp_path, change):
    lag, path = biased_lag(WINDOW), tmp_path / "state.npz"
    lag.save(path)
    arrays = read_state(path, "saved smoother")
    n = len(lag.prior[0])
    prior = arrays["prior"].copy()
    information = prior[: n * n].reshape(n, n)
    match change:
        case "negative":
            information[0, 0] *= -1.0
        case "turned":
            information[0, 1] += information[0, 0]
        case "nan":
            information[0, 0] = np.nan
    before = path.read_bytes()
    if change == "nan":
        with pytest.raises(InputError, match=r"prior of the state .* is not finite"):
            write_state(path, {**arrays, "prior": prior})
        assert path.read_bytes() == before
        return
    write_state(path, {**arrays, "prior": prior})
    with pytest.raises(InputError, match="its information is not symmetric and positive semi-definite"):
        lag.loaded(path)


@pytest.mark.parametrize("name", ["values", "parameters", "prior"])
def test_arrays_of_another_kind_or_shape_are_refused(tmp_path, name):
    lag, path = biased_lag(WINDOW), tmp_path / "state.npz"
    lag.save(path)
    arrays = read_state(path, "saved smoother")
    own = arrays[name]
    for other in (own.astype(str), own.astype(complex), own.astype(int), own[None], own[:-1], np.append(own, 0.0)):
        write_state(path, {**arrays, name: other})
        with pytest.raises(InputError, match="another window"):
            lag.loaded(path)


def test_a_prior_that_leaves_something_open_is_loaded(tmp_path):
    """Information on some unknowns alone, or on differences, is positive semi-definite."""
    lag, path = biased_lag(WINDOW), tmp_path / "state.npz"
    lag.save(path)
    arrays = read_state(path, "saved smoother")
    n = len(lag.prior[0])
    for information in (np.diag([1e4] + [0.0] * (n - 1)), np.full((n, n), 1e-3), np.zeros((n, n))):
        prior = arrays["prior"].copy()
        prior[: n * n] = information.ravel()
        write_state(path, {**arrays, "prior": prior})
        np.testing.assert_array_equal(lag.loaded(path).prior[0], information)


def test_a_long_run_keeps_its_size_and_its_answer():
    """Nothing grows from step to step: the prior settles at the stationary one, and so does what is held in memory."""
    lag, rng = biased_lag(WINDOW), np.random.default_rng(3)
    tracemalloc.start()
    taken = []
    for _ in range(4):
        lag.run(100, ({"seen_with_bias": {"z": z}} for z in rng.standard_normal((100, 2))))
        taken.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert taken[-1] - taken[0] < 50_000
    assert np.isfinite(lag.values["x"]).all()


@pytest.mark.suite
def test_three_hours_take_constant_time_a_step():
    """10 800 s at 10 Hz. Instructions differ by Newton steps only, so processor time does by little."""
    lag, rng, spent = biased_lag(WINDOW), np.random.default_rng(3), []
    for _ in range(12):
        start = time.process_time()
        lag.run(9_000, ({"seen_with_bias": {"z": z}} for z in rng.standard_normal((9_000, 2))))
        spent.append(time.process_time() - start)
    assert min(spent[-4:]) < 1.5 * min(spent[:4])
    information, _ = lag.prior
    assert np.linalg.eigvalsh(information)[0] > 0.0


def test_programs_are_kept_between_processes(monkeypatch):
    """A closure's code is found by what it writes: making it again writes nothing."""
    from screwgraph.optimize import kernels
    from screwgraph.optimize.smoothers import window

    def begun(weight):
        x = Variables("x", Vector(3), WINDOW)
        own = [
            soft(lambda a, *, z: weight * (H @ a) - z, x, z=each(Z[:WINDOW]), name="own"),
            soft(moved, x[:-1], x[1:], sigma=0.1),
        ]
        lag = FixedLag(Problem(own), {}, prior={"x": 0.3})
        lag.solve()
        lag.advance()
        return lag

    first = begun(0.7)
    kernels.kernels.cache_clear()

    def refuse(*_):
        raise AssertionError("written again")

    with monkeypatch.context() as patch:
        patch.setattr(kernels.Kernels, "_write_code", refuse)
        patch.setattr(window.Window, "_step_outputs", refuse)
        patch.setattr(window.Window, "_advance_outputs", refuse)
        assert np.array_equal(begun(0.7).values["x"], first.values["x"])
        with pytest.raises(AssertionError, match="written again"):
            begun(0.71)


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
