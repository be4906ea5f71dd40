"""What our incremental solver eliminated, as GTSAM's Bayes net, and the order in which it did."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.values import Keys, validate_keys
from screwgraph.base.argument_checks import check_arguments
from screwgraph.optimize import Incremental


@check_arguments
def bayes_net(solver: Incremental, keys: Keys | None = None) -> Any:
    """Return the Bayes tree of a solver, unrolled to a `gtsam.GaussianBayesNet`: one conditional for each unknown.

    It is what GTSAM's `eliminateSequential` gives of the graph of `to_gtsam`, linearised at `solver.origin`, in the
    order of `elimination_order`; its pivots are positive.

    Args:
        solver: whose last update found all unknowns determined.
        keys: by family, one for each unknown; by default those of `symbols`.

    Raises:
        InputError: an unknown is not determined, keys do not fit, or GTSAM is not installed.
    """
    gtsam, found, names = import_gtsam(), import_gtsam().GaussianBayesNet(), _names(solver, keys)
    sizes = solver.layout.sizes
    for c in solver.conditionals:
        members = [*c.own.tolist(), *c.above.tolist()]
        ends = np.cumsum([0, *sizes[members]]).tolist()
        for i in range(len(c.own)):
            rows = slice(ends[i], ends[i + 1])
            blocks = zip(members[i:], ends[i:], ends[i + 1 :], strict=False)
            terms = [(names[v], np.asfortranarray(c.rows[rows, a:b])) for v, a, b in blocks]
            unit = gtsam.noiseModel.Unit.Create(ends[i + 1] - ends[i])
            found.push_back(gtsam.GaussianConditional(terms, 1, c.d[rows], unit))
    return found


@check_arguments
def elimination_order(solver: Incremental, keys: Keys | None = None) -> Any:
    """Return the order in which a solver eliminated its unknowns as a `gtsam.Ordering`.

    Arguments and errors are those of `bayes_net`.
    """
    order, names = import_gtsam().Ordering(), _names(solver, keys)
    for c in solver.conditionals:
        for v in c.own.tolist():
            order.push_back(names[v])
    return order


def _names(solver: Incremental, keys: Keys | None) -> list[int]:
    """Return the keys of all unknowns, family by family."""
    return [key for _, own in validate_keys(solver.problem, keys) for key in own]
