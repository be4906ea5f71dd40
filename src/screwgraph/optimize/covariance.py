"""How sure an optimum is: parts of the inverse of the normal equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.optimize.linear import Factored, SingularError
from screwgraph.optimize.variables import Variables, selection

if TYPE_CHECKING:
    from screwgraph.optimize.problem import Problem


def covariance(problem: Problem, x: Float[np.ndarray, " s"], unknowns: Sequence[Any]) -> Float[np.ndarray, "n n"]:
    """Return the joint covariance of unknowns at x, in the order in which they are named."""
    if not unknowns:
        raise InputError("the covariance of nothing", fix="name families or selections of unknowns")
    layout, places = problem.layout, []
    for chosen in map(selection, unknowns):
        if chosen.variables not in problem.families:
            raise InputError(f"{chosen.variables.name} is not in this problem")
        dim = chosen.variables.manifold.dim
        first = layout.directions[chosen.variables.name].start + chosen.indices * dim
        places.append((first[:, None] + np.arange(dim)).ravel())
    with _name_undetermined(problem):
        return _factor_problem(problem, x).covariance(np.concatenate(places))


def covariances(
    problem: Problem, x: Float[np.ndarray, " s"], families: Sequence[Variables]
) -> Float[np.ndarray, "N n n"]:
    """Return the joint covariance of the unknowns of the same number of some families, number by number."""
    counts = {family.count for family in families}
    if len(counts) != 1:
        raise InputError(f"covariances of {len(families)} families with {sorted(counts)} unknowns", fix="equal counts")
    places = []
    for family in families:
        if family not in problem.families:
            raise InputError(f"{family.name} is not in this problem")
        first, dim = problem.layout.directions[family.name].start, family.manifold.dim
        places.append(first + np.arange(family.count * dim).reshape(family.count, dim))
    with _name_undetermined(problem):
        return np.array(_factor_problem(problem, x).marginal_covariances(list(np.hstack(places))))


def _factor_problem(problem: Problem, x: Float[np.ndarray, " s"]) -> Factored:
    assembly = problem.assembly
    _, _, entries = assembly.linearise(x)
    if assembly.equalities.count:
        _, slopes = assembly.equalities.linearise(problem.layout.views(x))
        return assembly.kkt.factor(np.concatenate([entries, slopes]), 0.0)
    return assembly.normal.factor(entries, 0.0)


@contextmanager
def _name_undetermined(problem: Problem) -> Iterator[None]:
    try:
        yield
    except SingularError as error:
        raise InputError(
            f"the factors do not determine {problem.called(error.unknown)}", fix="add a prior, or leave it out"
        ) from None
