"""Equations of identification: torques less what is known of them are Y_b pi_b, at every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import BaseParameters
from screwgraph.model.model import coordinate_names
from screwgraph.motion.identification.applied_torques import Contact, WrenchElimination
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.filtering import MotionSamples
from screwgraph.motion.identification.models import IdentifiedModel, TorqueLaw

KNOWN = 1e-12
"""Torques (N m, N) of other parameters below this, relative to the largest, are rounding."""


@dataclass(frozen=True, eq=False)
class EquationBlock:
    """Some samples and their equations: `tau` (N, m) is Y (N, m, rank) times the combinations, NaN is unknown."""

    samples: MotionSamples
    Y: Float[np.ndarray, "N m rank"]
    tau: Float[np.ndarray, "N m"]

    def select_rows(self, rows: slice) -> EquationBlock:
        """Return those of some samples."""
        return EquationBlock(MotionSamples(*(x[rows] for x in self.samples)), self.Y[rows], self.tau[rows])


@dataclass(frozen=True, eq=False)
class RegressorEquations:
    """Torques of the (independent) coordinates `rows` are linear in parameters, whose combinations `base` they show.

    `has_known` says that other parts of the model need torques, too; `seen` on which combinations the torque of each
    coordinate depends. Torques of closed chains are those of all coordinates, projected on the motions that `closure`
    leaves: forces of loops do no work.
    """

    model: IdentifiedModel
    law: TorqueLaw
    rows: tuple[str, ...]
    has_known: bool
    eliminated: WrenchElimination | None
    seen: Bool[np.ndarray, "n rank"]

    @property
    def base(self) -> BaseParameters:
        """The combinations of parameters that torques show."""
        return self.law.base

    @property
    def free(self) -> list[int]:
        """The places of `rows` among all coordinates."""
        return self.law.free

    @property
    def closure(self) -> ClosedChainMotion | None:
        """What loops leave of motions."""
        return self.law.closure

    @property
    def nv(self) -> int:
        """The number of velocities."""
        return self.model.subject.nv

    def evaluate(self, samples: MotionSamples) -> tuple[Float[np.ndarray, "N n rank"], Float[np.ndarray, "N n"]]:
        """Return the regressor's independent columns and the torques that they explain; NaN where not measured."""
        q, qd, qdd, G = self._follow_closure(samples)
        Y, tau = self.law.slopes(q, qd, qdd)[:, :, list(self.base.independent)], samples.tau
        if self.has_known:
            tau = tau - self._predict_torques(q, qd, qdd, np.zeros(self.base.rank))
        return self._project_columns(samples, G, Y), self._project_torques(samples, G, tau)

    def known_torques(self, samples: MotionSamples) -> Float[np.ndarray, "N n"]:
        """Return the torques of what is not identified."""
        q, qd, qdd, G = self._follow_closure(samples)
        return self._project_torques(samples, G, self._predict_torques(q, qd, qdd, np.zeros(self.base.rank)))

    def torque_residuals(self, samples: MotionSamples, values: Float[np.ndarray, " rank"]) -> Float[np.ndarray, "N n"]:
        """Return what values of the combinations leave of torques; NaN where not measured."""
        q, qd, qdd, G = self._follow_closure(samples)
        return self._project_torques(samples, G, samples.tau - self._predict_torques(q, qd, qdd, values))

    def directions(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nv n"]:
        """Return G with qd = G qd_free at closed positions."""
        if self.closure is None:
            return np.broadcast_to(np.eye(self.nv), (len(q), self.nv, self.nv))
        return self.closure.velocities(q)

    def _follow_closure(self, samples: MotionSamples) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
        q, qd, qdd = samples.q, samples.qd, samples.qdd
        if self.closure is None:
            return q, qd, qdd, None
        G = self.closure.velocities(q)
        return q, *self.closure.complete_motion(q, qd, qdd, G), G

    def _predict_torques(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, values: np.ndarray) -> np.ndarray:
        whole = np.zeros(len(self.base.labels))
        whole[list(self.base.independent)] = values
        return self.law.torques(q, qd, qdd, np.broadcast_to(whole, (len(qd), len(whole))))

    def _project_torques(
        self, samples: MotionSamples, G: np.ndarray | None, tau: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N n"]:
        """Return what loops and unknown wrenches leave of torques."""
        return self._project_columns(samples, G, tau[:, :, None])[:, :, 0]

    def _project_columns(
        self, samples: MotionSamples, G: np.ndarray | None, columns: Float[np.ndarray, "N nv k"]
    ) -> Float[np.ndarray, "N n k"]:
        """Return what loops and unknown wrenches leave of columns of torques."""
        if G is not None:
            columns = _project(G, columns)
        if self.eliminated is not None:
            columns = self.eliminated.projection(samples.q, samples.unknown, G) @ columns
        return columns


def _project(G: Float[np.ndarray, "N nv n"], columns: Float[np.ndarray, "N nv k"]) -> Float[np.ndarray, "N n k"]:
    """Return G' columns, NaN where these are on coordinates that take part."""
    missing = np.isnan(columns)
    if not missing.any():
        return G.swapaxes(1, 2) @ columns
    found = G.swapaxes(1, 2) @ np.where(missing, 0.0, columns)
    return np.where((G.swapaxes(1, 2) != 0.0).astype(float) @ missing > 0.0, np.nan, found)


def make_equations(
    model: IdentifiedModel, names: Sequence[str] | None, payload: str | None, contacts: Sequence[Contact] = ()
) -> RegressorEquations:
    """Return the equations of a model. Raises InputError as `regressor`, or where torques show no parameter."""
    law, subject = model.law(names, payload), model.subject
    if not law.base.rank:
        raise InputError(f"torques of {subject.name!r} show none of these parameters", fix="name others")
    eliminated = WrenchElimination(tuple(model.wrench_jacobian(c.frame) for c in contacts)) if contacts else None
    rng, q = np.random.default_rng(0), model.closed_states(8)
    qd, qdd = rng.standard_normal((2, len(q), subject.nv))
    least = law.torques(q, qd, qdd, np.zeros((len(q), len(law.base.labels))))
    most = law.torques(q, qd, qdd, np.tile(np.concatenate([u.nominal for u in law.unknowns]), (len(q), 1)))
    has_known = np.nanmax(np.abs(least), initial=0.0) > KNOWN * max(1.0, np.nanmax(np.abs(most), initial=0.0))
    names_of = coordinate_names(subject)["qd"]
    rows = tuple(names_of[i].removesuffix("[0]") for i in law.free)
    found = RegressorEquations(model, law, rows, bool(has_known), eliminated, np.array(True))
    unknown = np.tile([x for c in contacts for x in c.unknown], (len(q), 1)).astype(bool)
    Y, _ = found.evaluate(MotionSamples(np.arange(len(q)), q, qd, qdd, np.zeros_like(qd), unknown))
    return replace(found, seen=(np.nan_to_num(Y) != 0.0).any(axis=0))
