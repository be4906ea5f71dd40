import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize import SE3, Problem, Status, Variables, Vector, each, equality, inequality, soft, solve
from screwgraph.optimize.solve import LATE, MAKING

from .graphs import anchor, bend, random_graph


def test_an_interrupted_search_keeps_its_last_values():
    problem, start = random_graph(2)

    def interrupt(progress):
        if progress.iteration == 2:
            raise KeyboardInterrupt

    result = solve(problem, start, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 2
    assert result.cost < solve(problem, start, iterations=0).cost
    assert np.isfinite(result.values["x"]).all()


def test_limits_and_callbacks_end_a_search_with_their_reason():
    problem, start = random_graph(2)
    assert solve(problem, start, iterations=1).status is Status.ITERATION_LIMIT
    assert solve(problem, start, seconds=0.0).status is Status.TIME_LIMIT
    stopped = solve(problem, start, callback=lambda p: p.iteration == 1)
    assert stopped.status is Status.STOPPED
    assert stopped.iterations == 1
    assert not stopped.success
    assert "stopped" in repr(stopped)


@pytest.mark.parametrize("ends", [StopIteration("over"), StopIteration((Status.CONVERGED, "")), ValueError("none")])
def test_what_callbacks_raise_is_the_caller_s(ends):
    """Also what iterators raise: it is not how the method ends."""
    problem, start = random_graph(2)

    def end(progress):
        raise ends

    told = np.geterr()
    with pytest.raises(type(ends)) as raised:
        solve(problem, start, callback=end)
    assert raised.value is ends
    assert np.geterr() == told


def test_callbacks_have_the_caller_s_units_and_warnings():
    """Costs are divided within a search, and numbers of points that are tried may overflow."""
    problem, start = random_graph(2)
    seen = []
    with np.errstate(over="raise", invalid="warn"):
        result = solve(problem, start, cost_scale=1e3, callback=lambda p: seen.append((p.cost, np.geterr())))
    plain = solve(problem, start)
    assert seen[-1][0] == result.cost == pytest.approx(plain.cost, rel=1e-6)
    assert all(told["over"] == "raise" and told["invalid"] == "warn" for _, told in seen)


def test_an_unknown_that_nothing_determines_is_named():
    x, y = Variables("x", Vector(2), 3), Variables("y", Vector(1))
    problem = Problem([soft(anchor, x[:2], at=np.zeros(2))], [x, y])
    result = solve(problem)
    assert result.status is Status.SINGULAR
    assert result.reason.startswith("x[2], direction 0, is not determined")
    loose = Problem([soft(lambda a, b: b - a, x[:-1], x[1:], name="tied")])
    assert solve(loose, {"x": np.eye(3, 2)}, method="gauss_newton").status is Status.SINGULAR


def test_a_residual_that_is_not_finite_is_named():
    x = Variables("x", Vector(1), 3)
    problem = Problem([soft(np.log, x, name="logarithm"), soft(anchor, x, at=[1.0])])
    for method in ("levenberg_marquardt", "gauss_newton", "dogleg", "interior_point", "augmented_lagrangian"):
        result = solve(problem, {"x": [[1.0], [-1.0], [2.0]]}, method=method)
        assert result.status is Status.NOT_FINITE
        assert result.reason == "the residual of logarithm[1] is not finite"


X = Variables("x", Vector(3), 4)
BAD = {
    "no factors": (lambda: Problem([]), "a problem without factors"),
    "no function": (lambda: soft(3, X), "expected a function, got"),
    "unknown parameter": (lambda: soft(anchor, X, ad=0.0), r"cannot be called so: .*'a[td]'"),
    "too many unknowns": (lambda: soft(anchor, X, X, at=0.0), "cannot be called so"),
    "no unknowns": (lambda: soft(anchor, at=0.0), "factors without unknowns"),
    "array as unknown": (lambda: soft(anchor, np.zeros(3), at=0.0), "expected variables, got"),
    "lengths differ": (lambda: soft(bend, X[:2], X[1:], k=0.1, m=0.0), "numbers of unknowns and parameters differ"),
    "parameters too short": (lambda: soft(anchor, X, at=each(np.zeros((3, 3)))), "numbers of unknowns and parameters"),
    "same unknown twice": (lambda: soft(bend, X, X, k=0.1, m=0.0), "takes one unknown of x twice"),
    "empty": (lambda: soft(anchor, X[[]], at=0.0), "a selection is empty"),
    "no such number": (lambda: X[7], r"x has no unknowns 7: there are 4"),
    "NaN parameter": (lambda: soft(anchor, X, at=np.nan), "at is not finite"),
    "text parameter": (lambda: soft(anchor, X, at="zero"), "at is not an array of real numbers"),
    "zero sigma": (lambda: soft(anchor, X, at=0.0, sigma=0.0), "sigma must be positive"),
    "long sigma": (lambda: soft(anchor, X, at=0.0, sigma=np.ones(4)), "does not fit a residual of 3"),
    "no square": (
        lambda: soft(anchor, X, at=0.0, sqrt_information=np.ones((2, 3)), name="tie"),
        r"^tie: sqrt_information has the shape \(2, 3\)",
    ),
    "two noises": (lambda: soft(anchor, X, at=0.0, sigma=1.0, covariance=np.eye(3)), "noise is given twice"),
    "no covariance": (lambda: soft(anchor, X, at=0.0, covariance=-np.eye(3)), "not symmetric and positive definite"),
    "unknown loss": (lambda: soft(anchor, X, at=0.0, loss="hubber"), "there is no loss 'hubber'"),
    "size of a vector": (lambda: Vector(0), "a vector of 0 numbers"),
    "kind": (lambda: Variables("x", 3), "expected a manifold, got"),
    "count": (lambda: Variables("x", Vector(3), 0), "a family of 0 unknowns"),
    "same name": (
        lambda: Problem([soft(anchor, X, at=0.0), soft(anchor, Variables("x", Vector(2)), at=0.0)]),
        "two families of unknowns are called 'x'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_refused_in_one_line(case):
    make, words = BAD[case]
    with pytest.raises(InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


PROBLEM = Problem([soft(anchor, X, at=0.0)])
STARTS = {
    "unknown name": ({"y": 0.0}, "there are no unknowns 'y'"),
    "shape": ({"x": np.zeros((3, 4))}, r"values of x have the shape \(3, 4\), expected \(4, 3\)"),
    "NaN": ({"x": np.full((4, 3), np.nan)}, "values of x are not finite"),
    "text": ({"x": "here"}, "values of x are not an array of real numbers"),
}


@pytest.mark.parametrize("case", STARTS)
def test_starts_that_do_not_fit_are_refused(case):
    start, words = STARTS[case]
    with pytest.raises(InputError, match=words):
        solve(PROBLEM, start)


def test_values_off_their_manifold_are_refused():
    T = Variables("T", SE3(), 2)
    problem = Problem([soft(lambda T, *, p: T[:3, 3] - p, T, p=np.zeros(3), name="at")])
    turned = np.array([np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])])
    with pytest.raises(InputError, match="number 1 is not a rigid motion"):
        solve(problem, {"T": turned})


def test_wrong_methods_and_parameters_are_refused():
    with pytest.raises(InputError, match="there is no method 'newton'"):
        solve(PROBLEM, method="newton")
    hard = Problem([*PROBLEM.factors, equality(anchor, X[0], at=0.0), inequality(anchor, X[1], at=0.0)])
    with pytest.raises(InputError, match="dogleg does not support hard factors"):
        solve(hard, method="dogleg")
    with pytest.raises(InputError, match="there are no factors 'goal'"):
        PROBLEM.replaced("goal", at=0.0)
    with pytest.raises(InputError, match="anchor has no parameter 'to'"):
        PROBLEM.replaced("anchor", to=0.0)
    with pytest.raises(InputError, match=r"at has the shape \(2,\)"):
        PROBLEM.replaced("anchor", at=np.zeros(2))


def test_a_time_limit_holds_while_code_is_made_and_another_call_goes_on():
    x = Variables("x", Vector(3))

    def unseen(x):
        return [x[0] ** 3 + x[1] - 1.25, x[1] ** 3 + x[2] - 0.75, x[2] ** 3 - x[0] + 3.5]  # of no other test

    problem, start = Problem([soft(unseen, x)]), {"x": [3.0, -5.0, 8.0]}
    endings = []
    while not endings or endings[-1].reason == MAKING:
        endings.append(solve(problem, start, seconds=0.0))
    assert len(endings) > 1
    assert {(end.status, end.iterations) for end in endings} == {(Status.TIME_LIMIT, 0)}
    assert endings[-1].reason == LATE
    assert np.isfinite(endings[-1].cost)
    assert not np.isfinite(endings[0].cost)
    assert solve(problem, start).success


@pytest.mark.parametrize("method", ["gauss_newton", "levenberg_marquardt", "interior_point"])
def test_residuals_that_depend_on_no_unknown_cost_and_change_nothing(method):
    """A camera sees the origin of the first link of an arm: no joint moves it."""
    x = Variables("x", Vector(2), 3)
    problem = Problem([soft(lambda x: x - 1.0, x), soft(lambda x, *, z: z - 1.0, x, z=each(np.full((3, 1), 3.0)))])
    result = solve(problem, {"x": np.zeros((3, 2))}, method=method)
    assert result.success
    np.testing.assert_allclose(result.values["x"], 1.0, atol=1e-9)
    np.testing.assert_allclose(result.cost, 3 * 0.5 * 2.0**2)
