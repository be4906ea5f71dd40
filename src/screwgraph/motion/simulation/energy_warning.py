"""What speaks against a motion: energy that is not accounted for, torques that no method follows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from screwgraph.motion.integration_rules import RULES
from screwgraph.motion.simulation.methods import AUTO, METHODS
from screwgraph.motion.simulation.system import Dynamics

DOUBTFUL = 0.1
"""Energy balance residual, relative to the energy that moves, beyond which a motion is not to be trusted."""
OPEN = 1e-6
"""Closure error (rad, m) that is more than steps leave which close loops."""
ROUNDING = 1e-9
"""The same in J: nothing moves."""


def exchanged_energy(T: np.ndarray, U: np.ndarray, work: np.ndarray) -> float:
    """Return the energy (J) that moves in a motion of kinetic and potential energies T and U: what errors count by."""
    return float(T.max() + np.ptp(U) + np.ptp(work))


def advice(method: str) -> str:
    """Return what to do where the method that was asked for is not accurate."""
    if method == AUTO:
        return "take a smaller dt, or smaller rtol and atol"
    if method in METHODS and method not in RULES:
        return "take smaller rtol and atol"
    return 'take method="auto", or a smaller dt'


def imbalance(method: str, residual: float, moved: float, fix: str) -> tuple[str, ...]:
    """Return a doubt where the energy balance residual (J), less what it is uncertain by, is large."""
    if not residual > max(DOUBTFUL * moved, ROUNDING):
        return ()
    return (
        f"the simulation by {method} is not accurate, or diverged: {residual:.3g} J of the {moved:.3g} J that move "
        f"are not accounted for by work and damping ({fix})",
    )


def open_loops(dynamics: Dynamics, q: np.ndarray, violation: np.ndarray) -> tuple[str, ...]:
    """Return a doubt where closure errors (rad, m) at positions q grow, though every step closes the loops.

    Constraints that follow from others to first order only, as at a double root, leave motions that they forbid.
    """
    if violation.max() <= OPEN + 10.0 * violation[0]:
        return ()
    rows, fix = dynamics.describe_opening(q[0], q[int(np.argmax(violation))])
    return (
        f"loops open by up to {violation.max():.3g} (rad, m): some of their constraints{rows} hold to first order "
        f"only, and forbid a motion that the dynamics allow ({fix})",
    )


def left_to_steps(by: Sequence[tuple[str, float]], dt: float) -> tuple[str, ...]:
    """Return a doubt where adaptive methods gave up, and fixed steps of dt (s) went on; `by` are methods and times."""
    if len(by) < 2 or by[-1][0] not in RULES:
        return ()
    return (
        f"from t = {by[-1][1]:g} s on, the torques of tau jump too often for adaptive steps; {by[-1][0]} steps of "
        f"{dt:g} s go on, whose error nothing bounds (make tau smooth, as tanh(qd / 0.01) for sign(qd), take a smaller "
        "dt, friction=True for Coulomb friction, or sg.Simulator, which holds torques over its steps)",
    )


def not_a_function(before: np.ndarray, again: np.ndarray) -> tuple[str, ...]:
    """Return a doubt where tau returned other torques when it was asked again at the start."""
    if np.array_equal(before, again):
        return ()
    return (
        f"tau returned other torques for the same t, q and qd, by {np.abs(again - before).max():.3g} (N m, N): methods "
        "ask it several times a step, and again (compute it of t, q and qd alone; sg.Simulator steps controllers that "
        "keep a state)",
    )


def warn_of(doubts: Iterable[str]) -> None:
    """Warn (RuntimeWarning) of each doubt."""
    for doubt in doubts:
        warnings.warn(doubt, RuntimeWarning, stacklevel=4)
