"""Round cones of a quadruped's controller along a motion, beside an interior-point method of cones."""

from functools import cache

import numpy as np
import pytest
from benchmarks.controller_cases import a1
from benchmarks.controller_programs import find_unknowns

from screwgraph.motion.control import ControlLimits
from screwgraph.optimize.active_set.round_cones import ROWS

clarabel = pytest.importorskip("clarabel")
sparse = pytest.importorskip("scipy.sparse")


@cache
def case():
    return a1(ControlLimits(round_cones=True))


def solve_by_clarabel(named, k):
    """Return the cost of u of a tick and the terms H, g."""
    body = case().body
    given = np.concatenate([np.ravel(named[a.name][k]) for a in body.given])
    terms = np.array([float(x) for x in body.code.evaluate(list(given))])
    sizes = [int(np.prod(shape)) for shape in body.shapes.values()]
    parts = dict(zip(body.shapes, np.split(terms, np.cumsum(sizes)[:-1]), strict=True))
    n, below = body.unknowns, np.tril_indices(body.unknowns)
    H = np.zeros((n, n))
    H[below] = parts["H"]
    H = H + H.T - np.diag(np.diag(H))
    A = parts["A"].reshape(body.rows, -1)
    A = A[:, :n] + A[:, n:] @ parts["E"].reshape(-1, n)
    feet = named["contacts"][k]
    joints = body.held_start - len(feet) * (ROWS + 1)
    rows = [*range(joints), *(joints + (ROWS + 1) * c + ROWS for c in range(len(feet)))]
    sides = [(A[r], parts["upper"][r]) for r in rows if parts["upper"][r] < 1e8]
    sides += [(-A[r], -parts["lower"][r]) for r in rows]
    G, h, cones = [x for x, _ in sides], [b for _, b in sides], [clarabel.NonnegativeConeT(len(sides))]
    for (flag, friction), leg in zip(feet, body.motion.legs, strict=True):
        if flag:
            cone = np.zeros((3, n))
            cone[np.arange(3), [body.motion.place[i] for i in leg.own]] = np.array([friction, 1.0, 1.0]) / 135.0
            G, h, cones = [*G, *-cone], [*h, 0.0, 0.0, 0.0], [*cones, clarabel.SecondOrderConeT(3)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    upper, sides = sparse.csc_matrix(np.triu(H)), sparse.csc_matrix(np.array(G))
    found = clarabel.DefaultSolver(upper, parts["g"], sides, np.array(h), cones, settings).solve()
    return found.obj_val, H, parts["g"], parts["F"]


@pytest.mark.parametrize("ticks", [range(950, 962), range(1693, 1703)])
def test_ticks_in_a_row_have_the_least_cost(ticks):
    """At some of these a force's curvature of the tick before held it; at one, a force that vanishes never settles."""
    own, named = case(), case().name_arguments()
    f, active = own.function, np.zeros(case().function.arguments[-1].shape)
    for k in ticks:
        given = {a.name: named[a.name][k] for a in own.body.given}
        found = dict(zip((r.name for r in f.results), f(**given, active=active), strict=True))
        active = found["active"]
        best, H, g, axes = solve_by_clarabel(named, k)
        batch = {name: x[None] for name, x in found.items()}
        (u,) = find_unknowns(own.body, batch, {"contacts": given["contacts"][None]}, axes[None])
        assert found["solution"][0] == 0.0
        assert abs(0.5 * u @ H @ u + g @ u - best) < 1e-8 * (1.0 + abs(best))
