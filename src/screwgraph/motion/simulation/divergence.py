"""What to say where a step ends in no numbers: at which step, in which joint, by which method, and why."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.simulation.auto_method import is_stiff
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.system import Dynamics, acceleration, name_worst_owner, system_of

Given = tuple[Float[np.ndarray, "*B nq"], Float[np.ndarray, "*B nv"], Float[np.ndarray, "*B m"]]
"""q, qd and tau at the beginning of a step."""


LIGHT = 100.0
"""How many times as much as where the model is assembled a coordinate yields to efforts, near singular positions."""
SEARCHED = 100
"""Positions among which those are searched for."""


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
    if (times := _find_yielding(dynamics, q, qdd)) > LIGHT:
        return InputError(
            what,
            why=f"near gimbal lock, or another singular position, the joint yields {times:.0e} times as much to "
            "efforts as usually, and no step is small enough",
            fix='base="floating" in the place of three hinges, joints with an armature, or a motion that stays away',
        )
    speed, gain = float(np.abs(qd).max()), float(np.abs(qdd).max())
    cause = (
        f"velocities of {speed:.3g} rad/s or m/s"
        if speed > dt * gain
        else f"accelerations of {gain:.3g} rad/s^2 or m/s^2"
    )
    return InputError(
        what,
        why=f"{cause} are too large for steps of {dt:g} s",
        fix="take a smaller dt",
    )


def _find_yielding(dynamics: Dynamics, q: Float[np.ndarray, " nq"], qdd: Float[np.ndarray, " nv"]) -> float:
    """Return how much the coordinate of the largest acceleration yields to efforts somewhere, relative to the start."""
    worst, rest, manifold = int(np.abs(qdd).argmax()), np.zeros(len(qdd)), dynamics.model.manifold
    efforts, rng, away = np.eye(len(dynamics.check_efforts(None, "tau"))), np.random.default_rng(1), [q]

    def yields(at: Float[np.ndarray, " nq"]) -> float:
        idle = np.asarray(acceleration(dynamics, at, rest, 0.0 * efforts[0]))[worst]
        return float(max(abs(np.asarray(acceleration(dynamics, at, rest, e))[worst] - idle) for e in efforts))

    if not len(efforts):
        return 0.0
    with np.errstate(all="ignore"), suppress(InputError, ModelError):  # what is not assembled says nothing
        usual = dynamics.start(None, None)[0]
        for _ in range(SEARCHED):
            turned = np.asarray(manifold.retract(usual, rng.uniform(-np.pi, np.pi, manifold.dim)))
            with suppress(InputError, ModelError):  # loops do not close there
                away.append(dynamics.start(turned, None)[0])
        found = np.array([yields(at) for at in away]) / yields(usual)
        return float(found[np.isfinite(found)].max(initial=0.0))
    return 0.0
