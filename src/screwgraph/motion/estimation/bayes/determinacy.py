"""Whether factors determine all unknowns, and if not, which of them would settle the others."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.factors import NetworkFactors
from screwgraph.optimize import Problem
from screwgraph.optimize.batch import make_batches
from screwgraph.optimize.linear import SingularError

SINGULAR = 1e-9
"""Singular values, relative to the largest, of what is not determined; columns of the Jacobian are unit vectors."""
DENSE = 1000
"""Up to so many unknown numbers, singular values are computed; beyond, only what no factor holds at all is noticed."""
NAMED = 4


def check_determined(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> None:
    """Check that the factors determine all unknowns at x.

    Raises:
        InputError: they do not; the message says how many degrees of freedom are left, and names as many unknowns.
    """
    layout, free = problem.layout, _find_undetermined(problem, x, laws)
    if free:
        count = "1 degree of freedom is" if len(free) == 1 else f"{len(free)} degrees of freedom are"
        names = [laws.name_unknown(*layout.place(i)) for i in free]
        more = ", ..." if len(names) > NAMED else ""
        raise InputError(
            f"{count} left undetermined by what is known",
            why="the laws and the known values have fewer independent equations than unknowns there",
            fix=f"give as many more, such as {', '.join(names[:NAMED])}{more}, or ask for fewer kinds by solve=",
        )


def _find_undetermined(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> list[int]:
    """Return as many directions as are free, which would settle them; one of them where unknowns are many."""
    if problem.layout.size > DENSE:
        _, gradient, entries = problem.assembly.linearise(x)
        try:
            problem.assembly.normal.factor(entries, 0.0).solve(gradient)
        except SingularError as error:
            return [error.unknown]
        return []
    from scipy.linalg import qr  # imports take a moment, and few networks are refused

    J = _unit(_unit(_jacobian(problem, x, laws), axis=1), axis=0)  # neither weights nor units decide
    if not np.isfinite(J).all():
        return []  # the search went astray, which its status says
    _, s, Vt = np.linalg.svd(np.linalg.qr(J, mode="r"))
    free = Vt[int((s > SINGULAR * s.max(initial=0.0)).sum()) :]
    if not len(free):
        return []
    order = np.asarray(qr(free, mode="r", pivoting=True)[-1])
    return sorted(order[: len(free)].tolist())


def _unit(matrix: Float[np.ndarray, "m n"], axis: int) -> Float[np.ndarray, "m n"]:
    """Return a matrix whose rows (axis 1) or columns (axis 0) have the length 1, or 0."""
    lengths = np.sqrt((matrix * matrix).sum(axis=axis, keepdims=True))
    return matrix / np.where(lengths > 0.0, lengths, 1.0)


def _jacobian(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> Float[np.ndarray, "m n"]:
    """Return the Jacobian of whitened residuals, those rows that count."""
    layout, blocks = problem.layout, []
    views = layout.views(x)
    for batch in (single for f in problem.factors for single in make_batches([f])):
        _, slopes, _ = batch.factors.kernels.whitened_jacobian(*batch.inputs(views))
        slopes = slopes[:, laws.select_rows(batch.factors.name, slopes.shape[1])]
        block = np.zeros((*slopes.shape[:2], layout.size))
        for k, at in enumerate(batch.directions(layout)):
            block[k][:, at] = slopes[k]
        blocks.append(block.reshape(-1, layout.size))
    return np.concatenate(blocks)
