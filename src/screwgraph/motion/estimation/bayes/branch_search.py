"""Which assembly branches explain what is known, and how probable each is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.branches import Path, find_branches, follow_branches
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.solution import BayesSolution, Branch

SAME = 1e-2
"""Largest difference of positions (m, rad) of motions on one branch."""
INTEGRATED = ("f_ei", "f_ti", "f_hs", "f_rk")
"""Factors of steps of time."""
IMPROBABLE = 1e-12
"""Probability below which a branch explains nothing."""

_NOWHERE = InputError(
    "no closed position has what is known", why="lengths or limits do not allow it", fix="check known positions"
)


def search_branches(
    known: KnownMotion, near: Float[np.ndarray, "steps nq"], solve_near: Callable[[Path | None], BayesSolution]
) -> BayesSolution:
    """Return the motion on the most probable branch, with all branches that explain what is known.

    Branches are alike before: the probability of each goes with exp(-cost), of the likeliest motion on it, errors of
    integration left aside. Ways through change points count as branches of their own. `near` has the branch that is
    looked at first.

    Raises:
        InputError: no branch explains what is known, for the reason of the last one.
    """
    starts = list(find_branches(known.model, near[0], _first_position(known, near[0])))
    found, error = list[BayesSolution](), _NOWHERE
    for path in follow_branches(known, starts):
        try:
            solution = solve_near(path)
        except InputError as failed:
            error = failed
            continue
        if all(known.model.is_assembled(q) for q in np.atleast_2d(solution["q"])):
            found.append(solution)
    if not found:
        raise error
    branches = _weigh_solutions(found)
    best = branches[0].solution
    return BayesSolution(best.model, best.values, best.result, branches)


def _weigh_solutions(found: Sequence[BayesSolution]) -> tuple[Branch, ...]:
    """Return distinct motions with their probabilities, the most probable first."""
    distinct = list[BayesSolution]()
    for solution in sorted(found, key=_cost):
        if all(np.abs(solution["q"] - other["q"]).max() > SAME for other in distinct):
            distinct.append(solution)
    weights = np.exp(_cost(distinct[0]) - np.array([_cost(solution) for solution in distinct]))
    pairs = zip((weights / weights.sum()).tolist(), distinct, strict=True)
    return tuple(Branch(p, solution) for p, solution in pairs if p > IMPROBABLE)


def _first_position(known: KnownMotion, near: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
    """Return what is known at first; where that is not enough, independent coordinates stand as they are nearby."""
    model, wanted = known.model, known.interpolate_positions()[0]
    if model.mark_rows("q", ~np.isnan(wanted)[None]).sum() < model.dof:
        for part in model.parts["q"]:
            if set(part.rows) & set(model.independent):
                columns = list(part.columns)
                wanted[columns] = np.where(np.isnan(wanted[columns]), near[columns], wanted[columns])
    return wanted


def _cost(solution: BayesSolution) -> float:
    """Return the cost of a motion but for that of steps of time, whose errors are not those of what is known."""
    return sum(cost for name, cost in solution.result.costs.items() if name.split()[0] not in INTEGRATED)
