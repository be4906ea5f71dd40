"""Whether what is known determines what is unknown: by the rank of the equations."""

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
CHANGE_POINT = 1e-4
"""Singular value of constraints, relative to the largest, at which a position counts as singular."""
PREFERRED = (("tau",), ("q", "z"), ("v", "w"), ("a", "b"), ("lambda",))
"""Families, those first that are named as what would settle a motion, with those before."""
SETTLED = 1e-3
"""Singular values of what is free in some unknowns, relative to the largest, that these settle."""


def check_determined(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> None:
    """Check that the factors determine all unknowns at x.

    Raises:
        InputError: they do not; the message says how many degrees of freedom are left, and names as many unknowns.
    """
    layout, free = problem.layout, _find_undetermined(problem, x, laws)
    if free:
        count = "1 degree of freedom is" if len(free) == 1 else f"{len(free)} degrees of freedom are"
        names = [laws.name_unknown(*layout.place(i)) for i in free]
        more, size = ", ..." if len(names) > NAMED else "", layout.size
        rank = f"{size - len(free)}" if size <= DENSE else "fewer"
        raise InputError(
            f"{count} left undetermined by what is known",
            why=f"the laws and the known values have {rank} independent equations for {size} unknowns there",
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
    R = np.asarray(np.linalg.qr(J, mode="r"))
    s = np.linalg.svd(R, compute_uv=False)  # without the vectors, a quarter of the time
    rank = int((s > SINGULAR * s.max(initial=0.0)).sum())
    if rank == R.shape[1]:
        return []
    free = np.linalg.svd(R)[2][rank:]
    families = np.array([problem.layout.place(i)[0] for i in range(free.shape[1])])
    chosen = np.zeros(free.shape[1], dtype=bool)
    for names in PREFERRED:
        chosen |= np.isin(families, names)
        own = np.linalg.svd(free[:, chosen], compute_uv=False)
        if len(own) == len(free) and own[-1] > SETTLED * own[0]:
            break
    order = np.asarray(qr(free[:, chosen], mode="r", pivoting=True)[-1])
    return sorted(np.flatnonzero(chosen)[order[: len(free)]].tolist())


def _unit(matrix: Float[np.ndarray, "m n"], axis: int) -> Float[np.ndarray, "m n"]:
    """Return a matrix whose rows (axis 1) or columns (axis 0) have the length 1, or 0."""
    lengths = np.sqrt((matrix * matrix).sum(axis=axis, keepdims=True))
    return matrix / np.where(lengths > 0.0, lengths, 1.0)


def _find_singular_steps(laws: NetworkFactors, q: Float[np.ndarray, "steps nq"]) -> set[int]:
    """Return steps at which constraints lose rank: beside a change point only steps of time tell all coordinates."""
    if not laws.model.rank or laws.steps == 1:
        return set()
    values = (np.linalg.svd(_unit(laws.model.closing(row)[1], axis=1), compute_uv=False) for row in q)
    return {k for k, s in enumerate(values) if not s[-1] > CHANGE_POINT * s[0]}


def _jacobian(problem: Problem, x: Float[np.ndarray, " s"], laws: NetworkFactors) -> Float[np.ndarray, "m n"]:
    """Return the Jacobian of whitened residuals, those rows that count."""
    layout, blocks = problem.layout, []
    views = layout.views(x)
    singular = _find_singular_steps(laws, views["q"])
    for batch in (single for f in problem.factors for single in make_batches([f])):
        _, slopes, _ = batch.factors.kernels.whitened_jacobian(*batch.inputs(views))
        rows = laws.select_rows(batch.factors.name, slopes.shape[1])
        for k, at in enumerate(batch.directions(layout)):
            counted = slice(None) if k in singular or k + 1 in singular else rows
            block = np.zeros((len(slopes[k][counted]), layout.size))
            block[:, at] = slopes[k][counted]
            blocks.append(block)
    return np.concatenate(blocks)
