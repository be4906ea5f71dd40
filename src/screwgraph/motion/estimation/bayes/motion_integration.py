"""The motion that follows from what is known, step by step from a known state: where searches begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.estimation.bayes.instant import (
    close_at_known,
    complete_velocity,
    move_to_known,
    solve_dynamics,
)
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.bayes.paths import select_first_independent
from screwgraph.motion.integration_rules import RK4, Rule, take_step


@dataclass(frozen=True, eq=False)
class IntegratedMotion:
    """Positions, velocities, accelerations and efforts, a row a step, that follow from a known state.

    `q_before`, `qd_before` are where steps lead to from the step before (as seen from `start`), without what is known.
    """

    start: int
    q: Float[np.ndarray, "steps nq"]
    qd: Float[np.ndarray, "steps nv"]
    qdd: Float[np.ndarray, "steps nv"]
    tau: Float[np.ndarray, "steps m"]
    multipliers: Float[np.ndarray, "steps rank"]
    q_before: Float[np.ndarray, "steps nq"]
    qd_before: Float[np.ndarray, "steps nv"]

    @property
    def values(self) -> dict[str, Float[np.ndarray, "steps _"]]:
        """The motion by kind."""
        return {"q": self.q, "qd": self.qd, "qdd": self.qdd, "Q": self.tau, "lambda": self.multipliers}

    @property
    def before(self) -> Int[np.ndarray, " steps"]:
        """The step before each, as seen from `start`; the first and the last step are their own."""
        steps = np.arange(len(self.q))
        return (steps + np.where(steps > self.start, -1, 1)).clip(0, len(steps) - 1)

    @property
    def change(self) -> Float[np.ndarray, " nv"]:
        """The largest change of each acceleration within a step."""
        return np.abs(np.diff(self.qdd, axis=0)).max(axis=0)


def integrate_motion(
    known: KnownMotion, near: Float[np.ndarray, "steps nq"], rule: Rule = RK4
) -> IntegratedMotion | None:
    """Return the motion that follows from the first known state, forwards and backwards; None where there is none.

    Forward dynamics where torques are known, inverse dynamics along paths, hybrid dynamics where both are; torques and
    accelerations are linear between steps. `near` (steps, nq) chooses the branch at the first known state.
    """
    with np.errstate(all="ignore"):  # a motion that diverges ends the integration
        return _Integration(known, rule).from_known_state(near)


@dataclass(frozen=True, eq=False)
class _Integration:
    known: KnownMotion
    rule: Rule

    @property
    def _model(self) -> NetworkModel:
        return self.known.model

    def from_known_state(self, near: Float[np.ndarray, "steps nq"]) -> IntegratedMotion | None:
        model, known = self._model, self.known
        wanted = {kind: known.motion(kind) for kind in ("q", "qd", "qdd")}
        counted = {kind: select_first_independent(model, known.known_rows(kind)) for kind in wanted}
        whole = [counted[kind].sum(axis=1) == model.dof for kind in ("q", "qd")]
        starts = np.flatnonzero(whole[0] & whole[1])
        if not len(starts):
            return None
        start, steps = int(starts[0]), len(near)
        held = {"q": wanted["q"].copy()} | {
            kind: np.where(counted[kind], wanted[kind], np.nan) for kind in ("qd", "qdd")
        }
        for part in model.parts["q"]:
            left = np.flatnonzero(~counted["q"][:, list(part.rows)].all(axis=1))
            held["q"][left[:, None], list(part.columns)] = np.nan
        q, q_before = np.full((2, steps, model.robot.nq), np.nan)
        qd, qdd, qd_before = np.full((3, steps, model.nv), np.nan)
        found = IntegratedMotion(
            start, q, qd, qdd, known.tables["Q"].copy(), known.tables["lambda"].copy(), q_before, qd_before
        )
        try:
            first = near[start] if np.isnan(wanted["q"][start]).any() else wanted["q"][start]
            found.q[start] = move_to_known(model, first, held["q"][start])
            found.qd[start] = complete_velocity(model, found.q[start], held["qd"][start])
            self._solve(found, held, start)
            for k in range(start, steps - 1):
                self._step(found, held, k, k + 1)
            for k in range(start, 0, -1):
                self._step(found, held, k, k - 1)
        except (InputError, ModelError, np.linalg.LinAlgError):
            return None  # it is blocked, or the steps are too long
        return found

    def _solve(self, found: IntegratedMotion, held: Mapping[str, np.ndarray], k: int) -> None:
        """Find accelerations and torques at step k, where position and velocity are found."""
        known = held["qdd"][k], self.known.tables["Q"][k]
        solved = solve_dynamics(self._model, found.q[k], found.qd[k], *known)
        found.qdd[k], found.tau[k], found.multipliers[k] = solved

    def _step(self, found: IntegratedMotion, held: Mapping[str, np.ndarray], k: int, to: int) -> None:
        """Take the step from k to the next."""
        model, torques = self._model, self._torques(found, k, to)
        first = np.full(model.nv, np.nan) if not np.isnan(torques).any() else held["qdd"][k]
        last = np.where(np.isnan(held["qdd"][to]), first, held["qdd"][to])

        def acceleration(part: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau, qdd = ((1.0 - part) * start + part * end for start, end in (torques, (first, last)))
            return solve_dynamics(model, q, qd, qdd, tau)[0]

        q, qd = take_step(self.rule, model.positions, acceleration, self.known.dt * (to - k), found.q[k], found.qd[k])
        found.q_before[to], found.qd_before[to] = q, qd
        found.q[to] = q if model.is_free(held["q"][to]) else close_at_known(model, q, held["q"][to])
        found.qd[to] = complete_velocity(model, found.q[to], held["qd"][to], np.asarray(qd, dtype=float))
        if not (np.isfinite(found.q[to]).all() and np.isfinite(found.qd[to]).all()):
            raise InputError("the motion diverges")
        self._solve(found, held, to)

    def _torques(self, found: IntegratedMotion, k: int, to: int) -> Float[np.ndarray, "2 m"]:
        """Return the torques at both ends of a step, NaN where they are known at neither.

        Those that are known at one end are what was found at the first, or go on as they changed the step before.
        """
        given, before = self.known.tables["Q"], 2 * k - to
        first = np.where(np.isnan(given[k]) & np.isnan(given[to]), np.nan, found.tau[k])
        change = given[k] - given[before] if 0 <= before < len(given) else np.zeros(len(first))
        return np.array([first, np.where(np.isnan(given[to]), first + np.nan_to_num(change), given[to])])
