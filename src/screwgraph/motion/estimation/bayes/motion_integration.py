"""The motion that follows from what is known, step by step from a known state: where searches begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError, ModelError
from screwgraph.mechanics.mechanism.kinematics import finite_displacement, velocity_problem
from screwgraph.mechanics.mechanism.mechanism_functions import CompiledMechanism, compile_mechanism
from screwgraph.model.mechanism.closure import TOLERANCE, characteristic_length
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.paths import select_first_independent
from screwgraph.motion.integration_rules import RK4, Rule, take_step
from screwgraph.spatial.manifolds import Vector

NEWTON = 20
RANK = 1e-10
"""Singular values, relative to the largest, that count as zero."""


@dataclass(frozen=True, eq=False)
class IntegratedMotion:
    """Positions, velocities, accelerations (steps, n) and torques (steps, motors) that follow from a known state.

    `q_before`, `qd_before` are where steps lead to from the step before (as seen from `start`), without what is known.
    """

    start: int
    q: Float[np.ndarray, "steps n"]
    qd: Float[np.ndarray, "steps n"]
    qdd: Float[np.ndarray, "steps n"]
    tau: Float[np.ndarray, "steps motors"]
    q_before: Float[np.ndarray, "steps n"]
    qd_before: Float[np.ndarray, "steps n"]

    @property
    def before(self) -> Int[np.ndarray, " steps"]:
        """The step before each, as seen from `start`; the first and the last step are their own."""
        steps = np.arange(len(self.q))
        return (steps + np.where(steps > self.start, -1, 1)).clip(0, len(steps) - 1)

    @property
    def change(self) -> Float[np.ndarray, " n"]:
        """The largest change of each acceleration within a step."""
        return np.abs(np.diff(self.qdd, axis=0)).max(axis=0)


def integrate_motion(
    known: KnownMotion, near: Float[np.ndarray, "steps n"], rule: Rule = RK4
) -> IntegratedMotion | None:
    """Return the motion that follows from the first known state, forwards and backwards; None where there is none.

    Forward dynamics where torques are known, inverse dynamics along paths, hybrid dynamics where both are; torques and
    accelerations are linear between steps. `near` (steps, n) chooses the branch at the first known state.
    """
    with np.errstate(all="ignore"):  # a motion that diverges ends the integration
        return _Integration(known, rule).from_known_state(near)


@dataclass(frozen=True, eq=False)
class _Integration:
    known: KnownMotion
    rule: Rule

    @cached_property
    def _code(self) -> CompiledMechanism:
        return compile_mechanism(self.known.mechanism)

    @cached_property
    def _mass(self) -> Float[np.ndarray, "n n"]:
        return mass_matrix(self.known.mechanism)

    @cached_property
    def _motors(self) -> Float[np.ndarray, "n motors"]:
        """Generalised forces of unit torques."""
        return self.known.mechanism.motor_forces(np.eye(len(self.known.mechanism.motors))).T

    def from_known_state(self, near: Float[np.ndarray, "steps n"]) -> IntegratedMotion | None:
        mechanism, known = self.known.mechanism, self.known
        wanted = {kind: known.motion(kind) for kind in ("q", "qd", "qdd")}
        counted = {kind: select_first_independent(mechanism, ~np.isnan(x)) for kind, x in wanted.items()}
        whole = [counted[kind].sum(axis=1) == mechanism.dof for kind in ("q", "qd")]
        starts = np.flatnonzero(whole[0] & whole[1])
        if not len(starts):
            return None
        start, steps = int(starts[0]), len(near)
        held = {kind: np.where(counted[kind], x, np.nan) for kind, x in wanted.items()}
        q, qd, qdd, q_before, qd_before = np.full((5, steps, mechanism.n), np.nan)
        found = IntegratedMotion(start, q, qd, qdd, known.tables["Q"].copy(), q_before, qd_before)
        try:
            first = near[start] if np.isnan(wanted["q"][start]).any() else wanted["q"][start]
            found.q[start] = finite_displacement(mechanism, first, self._name_values(held["q"][start]))[-1]
            found.qd[start] = velocity_problem(mechanism, found.q[start], self._name_values(held["qd"][start]))
            self._solve(found, held, start)
            for k in range(start, steps - 1):
                self._step(found, held, k, k + 1)
            for k in range(start, 0, -1):
                self._step(found, held, k, k - 1)
        except (InputError, ModelError, np.linalg.LinAlgError):
            return None  # it is blocked, or the steps are too long
        return found

    def _name_values(self, values: Float[np.ndarray, " n"]) -> dict[str, float]:
        pairs = zip(self.known.mechanism.coordinates, values.tolist(), strict=True)
        return {name: value for name, value in pairs if not np.isnan(value)}

    def _solve(self, found: IntegratedMotion, held: Mapping[str, np.ndarray], k: int) -> None:
        """Find accelerations and torques at step k, where position and velocity are found."""
        known = held["qdd"][k], self.known.tables["Q"][k]
        found.qdd[k], found.tau[k] = self._mixed_dynamics(found.q[k], found.qd[k], *known)

    def _mixed_dynamics(
        self,
        q: Float[np.ndarray, " n"],
        qd: Float[np.ndarray, " n"],
        qdd: Float[np.ndarray, " n"],
        tau: Float[np.ndarray, " motors"],
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " motors"]]:
        """Return accelerations and torques, of both of which some are known, and the others NaN.

        Blanco-Claraco et al. (2021), eq. (5), with unknowns on one side; the smallest where that leaves a choice.
        """
        _, J = self._code.closing(q)
        rates = self._code.rates(q, qd)
        bias, force = rates[: len(J)], rates[len(J) :]
        S, unknown = np.eye(len(q))[~np.isnan(qdd)], np.isnan(tau)
        A = np.zeros((len(q) + len(J) + len(S), len(q) + len(J) + int(unknown.sum())))
        A[: len(q)] = np.hstack([self._mass, J.T, -self._motors[:, unknown]])
        A[len(q) :, : len(q)] = np.vstack([J, S])
        right = np.concatenate([force + self._motors @ np.nan_to_num(tau), bias, qdd[~np.isnan(qdd)]])
        x = np.linalg.lstsq(A, right, rcond=RANK)[0]
        found = tau.copy()
        found[unknown] = x[len(q) + len(J) :]
        return x[: len(q)], found

    def _step(self, found: IntegratedMotion, held: Mapping[str, np.ndarray], k: int, to: int) -> None:
        """Take the step from k to the next."""
        mechanism, torques = self.known.mechanism, self._torques(found, k, to)
        first = np.full(mechanism.n, np.nan) if not np.isnan(torques).any() else held["qdd"][k]
        last = np.where(np.isnan(held["qdd"][to]), first, held["qdd"][to])

        def acceleration(part: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau, qdd = ((1.0 - part) * start + part * end for start, end in (torques, (first, last)))
            return self._mixed_dynamics(q, qd, qdd, tau)[0]

        q, qd = take_step(
            self.rule, Vector(mechanism.n), acceleration, self.known.dt * (to - k), found.q[k], found.qd[k]
        )
        found.q_before[to], found.qd_before[to] = q, qd
        found.q[to], found.qd[to] = self._correct_state(q, qd, held["q"][to], held["qd"][to])
        self._solve(found, held, to)

    def _torques(self, found: IntegratedMotion, k: int, to: int) -> Float[np.ndarray, "2 motors"]:
        """Return the torques at both ends of a step, NaN where they are known at neither.

        Those that are known at one end are what was found at the first, or go on as they changed the step before.
        """
        given, before = self.known.tables["Q"], 2 * k - to
        first = np.where(np.isnan(given[k]) & np.isnan(given[to]), np.nan, found.tau[k])
        change = given[k] - given[before] if 0 <= before < len(given) else np.zeros(len(first))
        return np.array([first, np.where(np.isnan(given[to]), first + np.nan_to_num(change), given[to])])

    def _correct_state(
        self, q: np.ndarray, qd: np.ndarray, q_known: np.ndarray, qd_known: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest state that the constraints allow and that has the known entries. Raises InputError."""
        mechanism = self.known.mechanism
        closing, size = self._code.closing, characteristic_length(mechanism)
        picked, held = np.eye(mechanism.n)[~np.isnan(q_known)], q_known[~np.isnan(q_known)]
        for _ in range(NEWTON):
            residual, J = closing(q)
            step = np.linalg.lstsq(np.vstack([J, picked]), np.concatenate([residual, picked @ q - held]), rcond=RANK)[0]
            q = q - step
            if not np.abs(step).max() > TOLERANCE * size:
                break
        else:
            raise InputError("the mechanism does not close where the step leads")
        _, J = closing(q)
        picked, held = np.eye(mechanism.n)[~np.isnan(qd_known)], qd_known[~np.isnan(qd_known)]
        off = np.concatenate([J @ qd, picked @ qd - held])
        qd = qd - np.linalg.lstsq(np.vstack([J, picked]), off, rcond=RANK)[0]
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            raise InputError("the motion diverges")
        return q, qd
