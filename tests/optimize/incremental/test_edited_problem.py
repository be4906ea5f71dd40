"""Solutions that follow edits equal those of the edited problem, and satisfy its KKT conditions."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize import EditedProblem, Problem, Tolerances, Variables, Vector, each, equality, inequality, soft
from screwgraph.optimize.solve import solve

STEPS = 12
TIGHT = Tolerances(violation=1e-11, dual=1e-11, step=1e-15)


def swing(x, x_next, u, *, h):
    """A pendulum's semi-implicit step: it bends, so that multipliers matter."""
    v = x_next[1] - x[1] - h * (u[0] - 4.0 * np.sin(x[0]))
    return np.stack([x_next[0] - x[0] - h * x_next[1], v])


def at(x, *, z):
    return x - z


def effort(u):
    return u


def beyond(u, *, most):
    return np.stack([u[0] - most, -u[0] - most])


def make_problem(*, most: float | None = 12.0, goal: float = 1.0) -> Problem:
    x, u = Variables("x", Vector(2), count=STEPS + 1), Variables("u", Vector(1), count=STEPS)
    factors = [
        equality(swing, x[:-1], x[1:], u, h=0.1, name="swing"),
        equality(at, x[0], z=[0.0, 0.0], name="start"),
        equality(at, x[STEPS], z=[goal, 0.0], name="goal"),
        soft(effort, u, name="effort"),
        soft(at, x, z=[0.0, 0.0], sigma=each(np.full((STEPS + 1, 2), 1e3)), name="seen"),
    ]
    if most is not None:
        factors.append(inequality(beyond, u, most=most, name="limit"))
    return Problem(factors)


def measure_kkt_error(edited: EditedProblem) -> tuple[float, np.ndarray]:
    """Return the least-squares residual of stationarity with multipliers of the right sign, and the active rows."""
    from scipy.optimize import lsq_linear

    problem, x = edited.problem, edited.result.iterate.x
    assembly = problem.assembly
    _, gradient, _ = assembly.linearise(x)
    views, rows, signs = problem.layout.views(x), [], []
    for hard in (assembly.equalities, assembly.inequalities):
        r, entries = hard.linearise(views)
        J = np.zeros((hard.count, problem.layout.size))
        np.add.at(J, (hard.rows, hard.columns), entries)
        chosen = np.ones(len(r), dtype=bool) if hard is assembly.equalities else r > -1e-9
        rows.append(J[chosen])
        signs += [-np.inf if hard is assembly.equalities else 0.0] * int(chosen.sum())
    A = np.concatenate(rows)
    bounds = (np.array(signs), np.full(len(signs), np.inf))
    found = lsq_linear(A.T, -gradient, bounds, tol=1e-14, lsq_solver="exact")
    left = np.abs(A.T @ found.x + gradient).max() / max(1.0, np.abs(gradient).max())
    return float(left), np.array(signs) == 0.0


def gap(edited: EditedProblem, other: dict[str, np.ndarray]) -> float:
    return max(float(np.abs(edited.values[n] - other[n]).max()) for n in other)


def test_edits_of_right_sides_need_one_matrix_and_equal_a_search() -> None:
    edited = EditedProblem(make_problem(most=None))
    for goal in (1.05, 1.1, 0.9):
        assert edited.update({"goal": {"z": [goal, 0.0]}}).success
        assert edited.last.cliques <= 1
        assert gap(edited, solve(make_problem(most=None, goal=goal), tolerances=TIGHT).values) < 1e-8
        assert edited.violation < 1e-8


def test_what_has_no_solution_yet_has_no_cliques() -> None:
    found = EditedProblem(make_problem(most=0.01)).last
    assert (found.success, found.cliques, found.relinearised) == (False, 0, 0)


def test_inequalities_become_active_and_leave() -> None:
    edited = EditedProblem(make_problem(most=1.2, goal=0.3))
    counts, followed = [], 0
    for goal in (0.3, 0.42, 0.44, 0.45, 0.4, 0.3):
        assert edited.update({"goal": {"z": [goal, 0.0]}}).success
        followed += edited.last.cliques > 0
        left, active = measure_kkt_error(edited)
        counts.append(int(active.sum()))
        assert left < 1e-8
        assert edited.violation < 1e-8
        fresh = solve(make_problem(most=1.2, goal=goal), tolerances=TIGHT)
        assert gap(edited, fresh.values) < 1e-6  # of barriers, divided by multipliers
    assert max(counts) > min(counts)
    assert followed == 4  # matrices in which cliques changed; where a search is asked, there are none


def share(x, f, g, *, stiffness):
    return f + g - stiffness * x


def test_an_edit_that_breaks_a_limit_by_far_is_solved_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two forces hold a spring of 1e5 N/m. It is stretched by 1 cm more: the first step takes one 490 N too far."""
    x, f, g = (Variables(name, Vector(1)) for name in "xfg")
    problem = Problem(
        [
            equality(at, x, z=[1e-5], name="length"),
            equality(share, x, f, g, stiffness=1e5, name="spring"),
            soft(effort, f, name="one"),
            soft(effort, g, name="other"),
            inequality(lambda f: f - 10.0, f, name="limit"),
        ]
    )
    edited = EditedProblem(problem)
    monkeypatch.setattr("screwgraph.optimize.incremental.edited_problem.solve", None)  # nothing is solved as a whole
    assert edited.update({"length": {"z": [0.01]}}).success
    assert edited.values["f"][0, 0] == pytest.approx(10.0, abs=1e-8)
    assert edited.values["g"][0, 0] == pytest.approx(990.0, abs=1e-6)


def test_what_is_seen_pulls_with_its_weight() -> None:
    edited = EditedProblem(make_problem())
    seen, sure = np.zeros((STEPS + 1, 2)), np.full((STEPS + 1, 2), 1e-3)
    seen[4, 0], sure[4, 0] = 0.7, 1e2
    assert edited.update({"seen": {"1/sigma": each(sure)}}).success
    problem = edited.problem
    assert gap(edited, solve(problem, tolerances=TIGHT).values) < 1e-6
    assert abs(edited.value(problem.families[0][4])[0, 0]) < 0.1  # it was not told where


def test_weights_near_a_solution_change_one_matrix() -> None:
    """The last matrix gets the new weights; with the old ones steps would be far too long there."""
    edited, sure = EditedProblem(make_problem(most=None)), np.full((STEPS + 1, 2), 1e-3)
    for k in (1, 2, 3):
        sure[k] = 20.0
        assert edited.update({"seen": {"1/sigma": each(sure)}}).success
        assert edited.last.cliques == 1
        assert gap(edited, solve(edited.problem, tolerances=TIGHT).values) < 1e-8


def test_parameters_that_groups_share_become_their_own() -> None:
    """Both states have one z, as they are of one kind, until one of them has another."""
    x = Variables("x", Vector(2), count=3)
    chain = equality(lambda a, b: b - a - 1.0, x[:-1], x[1:], name="chain")
    ends = [soft(at, x[0], z=[1.0, 2.0], name="first"), soft(at, x[2], z=[1.0, 2.0], name="last")]
    edited = EditedProblem(Problem([chain, *ends]))
    assert edited.update({"last": {"z": [4.0, 5.0]}}).success
    np.testing.assert_allclose(edited.value(x[0])[0], [1.5, 2.5], atol=1e-9)
    assert edited.update({"first": {"z": [2.0, 3.0]}}).success
    np.testing.assert_allclose(edited.value(x[0])[0], [2.0, 3.0], atol=1e-9)


def test_problems_of_others_stay_as_they_are() -> None:
    problem = make_problem()
    before = problem.assembly.residuals(problem.start({}))["goal"].copy()
    edited = EditedProblem(problem)
    edited.update({"goal": {"z": [0.5, 0.0]}})
    np.testing.assert_array_equal(problem.assembly.residuals(problem.start({}))["goal"], before)
    np.testing.assert_array_equal(edited.problem["goal"].shared["z"], [0.5, 0.0])
    assert solve(edited.problem, edited.result).iterations <= 2


def test_edits_that_cannot_hold_fail_and_keep_the_values() -> None:
    edited = EditedProblem(make_problem(most=1.2, goal=0.3))
    before = edited.values["x"]
    assert not edited.update({"goal": {"z": [40.0, 0.0]}}).success
    np.testing.assert_array_equal(edited.values["x"], before)
    assert edited.update({"goal": {"z": [0.35, 0.0]}}).success
    assert abs(edited.values["x"][-1, 0] - 0.35) < 1e-9


def test_wrong_edits_are_refused() -> None:
    edited = EditedProblem(make_problem())
    with pytest.raises(InputError, match="no factors"):
        edited.update({"nothing": {"z": [0.0, 0.0]}})
    with pytest.raises(InputError, match="no parameter"):
        edited.update({"goal": {"y": 1.0}})
    with pytest.raises(InputError, match="shape"):
        edited.update({"goal": {"z": [1.0]}})
