"""Edited problems have the solution of the same problem solved as a whole."""

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.compiler.kernels import new_table
from screwgraph.optimize import (
    SE3,
    Incremental,
    Problem,
    Status,
    Tolerances,
    Variables,
    Vector,
    each,
    equality,
    inequality,
    refresh_parameters,
    soft,
    solve,
)
from screwgraph.optimize.fronts.tree_records import Link
from screwgraph.spatial import sin, sqrt
from tests.optimize.graphs import pose_ring, relative

N = 30
X = Variables("x", Vector(2), count=N)
EXACT = Tolerances(gradient=1e-13, violation=1e-13, dual=1e-12)


def away(x, *, z):
    return x - z


def step(a, b, *, z):
    return b - a - z + 0.02 * np.array([sin(a[1]), sin(b[0])])


def circle(a, *, r):
    return a[0] * a[0] + a[1] * a[1] - r * r


def below(a, *, top):
    return a[0] - top


def chain(rng):
    moves = 0.3 * rng.standard_normal((N - 1, 2))
    return [soft(away, X[0], z=np.zeros(2), sigma=0.1), soft(step, X[:-1], X[1:], z=each(moves), sigma=0.2)]


def gap(solver):
    assert solver.last.success
    whole = solve(solver.problem, solver.values, tolerances=EXACT)
    return max(np.abs(whole.values[n] - solver.values[n]).max() for n in whole.values)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(3)
def test_random_edits_equal_the_whole_problem(seed):
    rng = np.random.default_rng(seed)
    solver, names = Incremental(Problem(chain(rng))), []
    for k in range(12):
        kind = rng.integers(3) if names else 0
        if kind == 0:
            i, j = rng.choice(N, 2, replace=False)
            name = f"loop {k}"
            solver.update(add=[soft(step, X[i], X[j], z=rng.standard_normal(2), sigma=0.5, name=name)])
            names.append(name)
        elif kind == 1:
            solver.update(changed={rng.choice(names): {"z": rng.standard_normal(2)}})
        else:
            solver.update(remove=[names.pop(rng.integers(len(names)))], late=[X[rng.integers(N)]])
        assert gap(solver) < 1e-9


def test_factors_of_one_kind_are_linearised_where_unknowns_have_gone():
    """A square root by Newton's steps, as its square changes."""
    solver = Incremental(
        Problem([soft(square, X[:], z=each(np.full((N, 2), 4.0)), name="squares")]), {"x": np.ones((N, 2))}
    )
    for root in (2.5, 4.0):
        solver.update(changed={"squares": {"z": np.full((N, 2), root * root)}})
        np.testing.assert_allclose(solver.values["x"], root, atol=1e-9)


def square(x, *, z):
    return x * x - z


def test_hard_factors_come_and_go():
    solver = Incremental(Problem(chain(np.random.default_rng(1))))
    solver.update(add=[equality(circle, X[10], r=2.0)])
    assert gap(solver) < 1e-9
    assert solver.violation < 1e-9
    solver.update(changed={"circle": {"r": 1.5}})
    assert gap(solver) < 1e-9
    solver.update(remove=["circle"])
    assert gap(solver) < 1e-9


def test_inequalities_meet_the_conditions_of_an_optimum():
    solver = Incremental(Problem(chain(np.random.default_rng(2))))
    free = solver.values["x"][:, 0]
    top = float(np.quantile(free, 0.6))
    solver.update(add=[inequality(below, X[::3], top=top)])
    assert solver.last.success
    assert solver.violation < 1e-9
    found = solve(solver.problem, solver.values)  # an interior point: its distance from the bound is its own error
    assert found.cost == pytest.approx(solver.cost, abs=1e-6 * (1.0 + solver.cost))
    assert (solver.values["x"][::3, 0] > top - 1e-9).any()
    solver.update(changed={"below": {"top": top + 10.0}})
    assert np.abs(solver.values["x"][:, 0] - free).max() < 1e-9


def test_an_edit_of_a_chain_touches_few_cliques():
    n = 4000
    x = Variables("x", Vector(2), count=n)
    factors = [
        soft(away, x[[0, n - 1]], z=np.zeros(2), name="ends"),
        soft(step, x[:-1], x[1:], z=np.zeros(2)),
        soft(away, x[n // 2], z=np.zeros(2), name="seen"),
    ]
    solver = Incremental(Problem(factors), relinearise=np.inf)
    for at in (n // 2, 17):
        solver.update(add=[soft(away, x[at], z=np.ones(2))])
        assert solver.last.cliques < 2 * np.log2(n)


def test_poses_on_their_manifold():
    problem, start, _ = pose_ring(8, 0.02)
    solver = Incremental(problem, start)
    assert gap(solver) < 1e-9
    poses = problem.families[0]
    seen = soft(relative, poses[1], poses[5], T_ab=SE3().identity(), sigma=10.0, name="seen")
    solver.update(add=[seen])
    assert gap(solver) < 1e-9


def test_factors_are_linearised_anew_in_every_third_update():
    rng = np.random.default_rng(8)
    solver, counts = Incremental([X], iterations=1, every=3), []
    solver.update(add=[*chain(rng), soft(away, X[::5], z=np.ones(2))])
    for _ in range(45):
        solver.update()
        counts.append(solver.last.relinearised)
    counted = np.array(counts)
    assert counted[2] > 0
    assert not counted[np.arange(45) % 3 != 2].any()
    assert gap(solver) < 1e-9
    with pytest.raises(InputError, match="every 0 updates"):
        Incremental([X], every=0)


def test_what_is_asked_for_is_solved_for():
    solver = Incremental(Problem(chain(np.random.default_rng(4))))
    solver.update(add=[soft(away, X[N - 1], z=np.ones(2), sigma=0.1, name="goal")], wanted=X[3])
    one = solver.value(X[20])[0]
    assert np.abs(one - solver.values["x"][20]).max() < 1e-9


def test_unknowns_enter_with_their_factors_and_leave():
    solver = Incremental([X])
    solver.update(add=[soft(away, X[0], z=np.zeros(2))], start={X[1]: np.array([5.0, 6.0])})
    assert (solver.values["x"][1] == [5.0, 6.0]).all()
    solver.update(add=[soft(step, X[0], X[1], z=np.ones(2), name="move")])
    assert solver.last.success
    solver.update(remove=["move"])
    assert solver.last.success
    assert np.abs(solver.values["x"][0]).max() < 1e-9


def test_undetermined_unknowns_are_named_and_can_be_determined_later():
    solver = Incremental(Problem([soft(step, X[0], X[1], z=np.ones(2))], [X]))
    assert solver.last.status is Status.SINGULAR
    assert "x[" in solver.last.reason
    solver.update(add=[soft(away, X[0], z=np.zeros(2))])
    assert gap_of_two(solver) < 1e-9


def gap_of_two(solver):
    assert solver.last.success
    return float(np.abs(solver.problem.assembly.linearise(solver.problem.start(solver.values))[1]).max())


@pytest.mark.parametrize("stiff", [1e2, 1e4])
def test_badly_scaled_chains(stiff):
    rng = np.random.default_rng(5)
    factors = [*chain(rng), soft(away, X[::7], z=each(rng.standard_normal((5, 2))), sigma=1.0 / stiff, name="fixed")]
    solver = Incremental(Problem(factors))
    solver.update(changed={"fixed": {"z": each(rng.standard_normal((5, 2)))}})
    assert gap(solver) < 1e-9


def test_wrong_edits_are_refused():
    solver = Incremental(Problem(chain(np.random.default_rng(6))))
    with pytest.raises(InputError, match="no factors"):
        solver.update(remove=["loop"])
    with pytest.raises(InputError, match="no family"):
        solver.update(add=[soft(away, Variables("y", Vector(2)), z=np.zeros(2))])
    with pytest.raises(InputError, match="no parameter"):
        solver.update(changed={"away": {"w": 1.0}})
    with pytest.raises(InputError, match=r"Incremental\.update: changed: expected a mapping"):
        solver.update(changed={"away": 3.0})
    with pytest.raises(InputError, match=r"Incremental\.value: unknowns: expected"):
        solver.value("x")
    with pytest.raises(InputError, match=r"Incremental: relinearise: expected a number"):
        Incremental(Problem(chain(np.random.default_rng(6))), relinearise="never")
    with pytest.raises(InputError, match="expected a list of Factors, got"):
        solver.update(add=[away])
    with pytest.raises(InputError, match="no family of this problem"):
        solver.value(Variables("y", Vector(2)))


def test_an_edit_that_needs_more_memory_for_its_order_than_there_is():
    solver = Incremental(Problem(chain(np.random.default_rng(8))))
    tree = solver._tree
    tree._work.members, tree._work.links = np.zeros(8, dtype=np.int64), new_table(Link, 8)
    tree._store_pointers()
    solver.update(add=[soft(step, X[3], X[20], z=np.ones(2), sigma=0.5, name="loop")])
    assert tree._work.members.size > 8
    assert gap(solver) < 1e-9
    tree._work.members, tree._work.links = np.zeros(8, dtype=np.int64), new_table(Link, 8)
    tree._store_pointers()
    solver.update(remove=["loop"])
    assert gap(solver) < 1e-9


def test_values_are_those_of_before_where_an_update_fails():
    solver = Incremental(Problem(chain(np.random.default_rng(9))))
    before = solver.values["x"]
    y = Problem([soft(away, X[0], z=np.zeros(2))], [X])
    loose = Incremental(y, {"x": np.ones((N, 2))})
    loose.update(add=[soft(step, X[3], X[4], z=np.ones(2))])
    assert loose.last.status is Status.SINGULAR
    assert (loose.values["x"][3:5] == 1.0).all()
    assert np.isfinite(loose.value(X[4])).all()
    solver.update(add=[soft(root_of, X[2], sigma=1e-9, name="root")])
    assert solver.last.status is Status.NOT_FINITE
    assert np.abs(solver.values["x"] - before).max() < 1e-6
    solver.update(remove=["root"])
    assert gap(solver) < 1e-9


def root_of(x):
    return sqrt(x[0] - 100.0) + x


def test_factors_of_one_name_are_numbered():
    solver = Incremental(Problem([soft(away, X[0], z=np.zeros(2), sigma=0.1, name="held")]))
    for _ in range(2):
        solver.update(add=[soft(away, X[0], z=np.zeros(2), sigma=0.1, name="held")])
    assert [f.name for f in solver.problem.factors] == ["held", "held 2", "held 3"]


def test_an_update_without_an_edit_is_one_turn_that_makes_no_clique():
    solver = Incremental(Problem(chain(np.random.default_rng(0))))
    assert solver.last.success
    again = solver.update()
    assert (again.success, again.iterations, again.cliques, again.relinearised) == (True, 1, 0, 0)


def beside_a_table(x, *, at, slope, value, z):
    return value + slope * (x - at) - z


def look_up(x):
    """A table of the sine, about where the unknowns are."""
    return {"at": x, "slope": np.cos(x), "value": np.sin(x)}


def test_parameters_that_are_made_again_stand_beside_those_that_stay():
    z, none = np.array([[0.3, -0.4], [0.6, 0.1], [-0.2, 0.5]]), np.zeros((3, 2))
    own = {"at": each(none), "slope": each(none), "value": each(none), "z": each(z)}
    some = refresh_parameters(soft(beside_a_table, X[:3], sigma=0.1, **own), look_up)
    solver = Incremental(Problem([some, soft(away, X[3:], z=np.zeros(2), sigma=1.0)]))
    assert solver.last.success
    np.testing.assert_allclose(solver.values["x"][:3], np.arcsin(z), atol=1e-9)
