"""How sure an optimum is: parts of the inverse of the normal equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.variables import selection

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
    assembly = problem.assembly
    _, _, entries = assembly.linearised(x)
    try:
        if assembly.equalities.count:
            _, slopes = assembly.equalities.linearised(layout.views(x))
            return assembly.kkt.factor(np.concatenate([entries, slopes]), 0.0).covariance(np.concatenate(places))
        return assembly.normal.factor(entries, 0.0).covariance(np.concatenate(places))
    except SingularError as error:
        raise InputError(
            f"the factors do not determine {problem.called(error.unknown)}", fix="add a prior, or leave it out"
        ) from None
