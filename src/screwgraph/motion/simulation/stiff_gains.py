"""Feedback that is too stiff for the steps between which torques are held: velocities change their sign each time."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from screwgraph.motion.simulation.system import Dynamics, acceleration

FIRST, EVERY, SELDOM, WINDOW = 1, 128, 1024, 6
"""Steps before velocities are looked at, from the first look to the next, from later ones at most, and in a look.

Each time all is well, the next look is twice as far away: looks take as long as a hundred steps.
"""
SMALLEST = 1e-9
"""Changes of velocities (rad/s, m/s) below which they are rounding."""

FIX = "take a smaller dt or gain, or give the gain to the joint as damping or springs=, which are implicit"


class StiffGainWatch:
    """Looks at a few steps in a row, now and then, for velocities that alternate, and says so once.

    `axes` are the velocity coordinates along which efforts act: of all joints, of the motors of a mechanism.
    """

    def __init__(self, axes: Int[np.ndarray, " m"]) -> None:
        self.next = FIRST if len(axes) else sys.maxsize
        self._axes, self._pause = axes, EVERY
        self._seen: list[tuple[np.ndarray, np.ndarray]] = []

    def look(
        self,
        step: int,
        hold: float,
        q: np.ndarray,
        qd: np.ndarray,
        tau: np.ndarray,
        dynamics_at: Callable[[int], Dynamics],
    ) -> str:
        """Keep the velocities after torques that were held for `hold` seconds; return a warning, "" where all is well.

        `dynamics_at` returns the model in motion, with the parameters of a state of a batch.
        """
        driven = qd[..., self._axes]
        self._seen.append((driven, np.broadcast_to(np.asarray(tau, dtype=float), driven.shape).copy()))
        if len(self._seen) < WINDOW:
            self.next = step + 1
            return ""
        velocities, torques = (np.array(part) for part in zip(*self._seen, strict=True))
        self._seen.clear()
        self.next, self._pause = step + self._pause, min(2 * self._pause, SELDOM)
        changes = np.diff(velocities, axis=0)
        alternates = ((changes[1:] * changes[:-1] < 0.0) & (np.abs(changes[1:]) > SMALLEST)).all(axis=0)
        grows = np.abs(changes[-1]) >= 0.99 * np.abs(changes[0])
        worst = np.where(alternates & grows, np.abs(changes[-1]), 0.0)
        if not worst.any():
            return ""
        place = np.unravel_index(int(np.argmax(worst)), worst.shape)
        slopes = -np.diff(torques, axis=0)[1:][(slice(None), *place)] / changes[:-1][(slice(None), *place)]
        gain, (*state, axis) = float(np.median(slopes)), place
        if not (np.abs(slopes - gain) < 0.25 * abs(gain)).all():
            return ""  # torques that do not follow velocities, as noise
        dynamics = dynamics_at(int(state[0]) if state else 0)
        own = (slice(None),) if not state else (int(state[0]),)
        reason = self._find_reason(dynamics, hold, gain, (q[own], qd[own], torques[-1][own]), int(axis))
        if not reason:
            return ""
        self.next = sys.maxsize  # once
        return f"{reason} ({FIX})"

    def explain(
        self, hold: float, q: np.ndarray, tau: np.ndarray, dynamics_at: Callable[[int], Dynamics]
    ) -> tuple[str, str]:
        """Return why steps of a single state diverged, and how to fix it, if feedback was too stiff; else "", "".

        A few steps are enough there, before `look` judges; `tau` are the torques of the step that diverged, q is its
        beginning. Batches are not explained.
        """
        if len(self._seen) < 2 or self._seen[-1][0].ndim != 1:
            return "", ""
        (before, _), (after, last) = self._seen[-2:]
        changes = after - before
        axis = int(np.argmax(np.abs(changes)))
        gain = float((last - tau)[axis] / changes[axis]) if np.abs(changes[axis]) > SMALLEST else 0.0
        dynamics = dynamics_at(0)
        state = q, np.zeros(dynamics.model.nv), np.zeros(len(self._axes))
        reason = self._find_reason(dynamics, hold, gain, state, axis)
        return (reason, FIX) if reason else ("", "")

    def _find_reason(
        self,
        dynamics: Dynamics,
        hold: float,
        gain: float,
        state: tuple[np.ndarray, np.ndarray, np.ndarray],
        axis: int,
    ) -> str:
        """Return what steps a gain allows at q, qd, tau of `state`, if those taken are longer; else ""."""
        along = int(self._axes[axis])
        inertia = _inertia(dynamics, *state, axis, along)
        allowed = 2.0 * inertia / gain if gain > 0.0 else 0.0
        if not 0.0 < allowed < hold:
            return ""
        return (
            f"steps of {1e3 * hold:.3g} ms are too long for the feedback of {dynamics.model.owners[along]}, whose "
            f"velocity alternates: gain {gain:.3g} / inertia {inertia:.3g} (SI units) allows {1e3 * allowed:.2g} ms"
        )


def _inertia(
    dynamics: Dynamics, q: Float[np.ndarray, " nq"], qd: np.ndarray, tau: np.ndarray, axis: int, along: int
) -> float:
    """Return the inertia (kg m^2, kg) that an effort moves along its coordinate: one over the entry of M^-1."""
    more = tau.copy()
    more[axis] += max(1.0, float(np.abs(tau[axis])))
    change = acceleration(dynamics, q, qd, more) - acceleration(dynamics, q, qd, tau)
    return float((more[axis] - tau[axis]) / change[along])
