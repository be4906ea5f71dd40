"""Where searches begin: a motion through what is known, on one branch, with the forces that it takes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.branches import find_branches
from screwgraph.motion.estimation.bayes.instant import complete_velocity, move_to_known, solve_dynamics
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.optimize.manifold_code import difference_values


def guess_motion(
    known: KnownMotion, near: Float[np.ndarray, "steps nq"], *, has_forces: bool
) -> dict[str, Float[np.ndarray, "steps _"]]:
    """Return a motion by kind: each position is on the branch of the one before, or of `near`: at the
    first, or at all where these differ.

    Known positions are gone through, between them others are interpolated; velocities are the smallest that go with
    what is known, or those from step to step; accelerations, efforts and multipliers solve the equations of motion,
    where the network `has_forces`.
    """
    model = known.model
    with np.errstate(all="ignore"):
        q = _guess_positions(known, near)
        qd = _guess_velocities(known, q)
        if not has_forces:
            return {"q": q, "qd": qd}
        tables = known.motion("qdd"), known.tables["Q"], known.tables["lambda"]
        solved = [solve_dynamics(model, *row) for row in zip(q, qd, *tables, strict=True)]
    qdd, tau, multipliers = (np.array(rows) for rows in zip(*solved, strict=True))
    return {"q": q, "qd": qd, "qdd": qdd, "Q": tau, "lambda": multipliers}


def _guess_positions(known: KnownMotion, near: Float[np.ndarray, "steps nq"]) -> Float[np.ndarray, "steps nq"]:
    model, wanted, found = known.model, known.interpolate_positions(), near.copy()
    is_moved, is_one = False, (near == near[0]).all()
    for k in range(len(near)):
        here = found[k - 1] if is_moved and is_one else near[k]
        if np.isnan(wanted[k]).all() and not is_moved:
            continue
        try:
            found[k] = move_to_known(model, here, wanted[k])
        except (InputError, np.linalg.LinAlgError):
            others = find_branches(model, here, wanted[k])
            found[k] = others[0] if len(others) else np.where(np.isnan(wanted[k]), here, wanted[k])
        is_moved = is_moved or not np.isnan(wanted[k]).all()
    return found


def _guess_velocities(known: KnownMotion, q: Float[np.ndarray, "steps nq"]) -> Float[np.ndarray, "steps nv"]:
    model, given = known.model, known.motion("qd")
    near = _mean_velocities(model, q, known.dt) if len(q) > 1 else np.zeros((1, model.nv))
    return np.array([complete_velocity(model, *row) for row in zip(q, given, near, strict=True)])


def _mean_velocities(model: NetworkModel, q: Float[np.ndarray, "steps nq"], dt: float) -> Float[np.ndarray, "steps nv"]:
    """Return velocities from each position to the next, means of both sides inside."""
    ahead = difference_values(model.positions, q[:-1], q[1:]) / dt
    return np.concatenate([ahead[:1], (ahead[:-1] + ahead[1:]) / 2.0, ahead[-1:]])
