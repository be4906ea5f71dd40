"""What to say where a step ends in no numbers: at which step, in which joint, by which method, and why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.simulation.auto_method import is_stiff
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.system import Dynamics, acceleration, name_worst_owner, system_of

Given = tuple[Float[np.ndarray, "*B nq"], Float[np.ndarray, "*B nv"], Float[np.ndarray, "*B m"]]
"""q, qd and tau at the beginning of a step."""


def make_divergence_error(
    dynamics_at: Callable[[int], Dynamics],
    method: str,
    step: int,
    dt: float,
    given: Given,
    found: Float[np.ndarray, "*B nv"],
) -> InputError:
    """Return the error for the step of number `step`, of length dt (s), whose velocities at the end are `found`.

    `dynamics_at` returns the model in motion, with the parameters of a state of the batch.
    """
    where, worst = "", 0
    if found.ndim == 2:
        worst = int(np.argmin(np.isfinite(found).all(axis=1)))
        given = tuple(x if x.ndim == 1 else x[worst] for x in given)  # pyright: ignore[reportAssignmentType]
        where = f" of state {worst}"
    dynamics, (q, qd, tau) = dynamics_at(worst), given
    if not np.isfinite(tau).all():
        driver = name_worst_owner(dynamics.model.drivers, tau)
        return InputError(f"tau{where} at step {step}, t = {step * dt:g} s, is not finite{driver}")
    with np.errstate(all="ignore"):
        qdd = np.asarray(acceleration(dynamics, q, qd, tau))
        joint = name_worst_owner(dynamics.model.owners, qdd)
        stiff = np.isfinite(qdd).all() and is_stiff(system_of(dynamics, tau, None), 0.0, MotionState(q, qd), dt)
    what = f"the simulation{where} diverged at step {step}, t = {step * dt:g} s{joint}, method {method!r}"
    if not np.isfinite(qdd).all():
        return InputError(
            what, why="accelerations are not determined there: the position is singular", fix="begin beside it"
        )
    if stiff and method not in ("semi_implicit", "rosenbrock"):
        return InputError(
            what,
            why=f"damping, or oscillations, faster than steps of {dt:g} s",
            fix='take method="semi_implicit" or "rosenbrock", by which damping is implicit, or a smaller dt',
        )
    return InputError(
        what,
        why=f"accelerations of {np.abs(qdd).max():.3g} rad/s^2 or m/s^2 are too large for steps of {dt:g} s",
        fix="take a smaller dt",
    )
