"""Equations of identification: torques less what is known of them are Y_b pi_b, at every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import BaseParameters, base_parameters, inverse_dynamics, regressor
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.model.robot import Robot, closed_states, independent_coordinates, without_loops
from screwgraph.model.robot.parameters import Parameter, parameters_of
from screwgraph.motion.identification.applied_torques import Contact, WrenchElimination
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.filtering import MotionSamples

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
    """Torques of the (independent) coordinates `rows` are linear in `parameters`, whose combinations `base` they show.

    `free` are the places of `rows`. `torques` takes all numbers of the parameters, and gives the torques of what is not
    identified, too, which `has_known` says is something; `seen` says on which combinations the torque of each
    coordinate depends. Torques of closed chains are those of their tree, projected on the motions that `closure`
    leaves: forces of loops do no work.
    """

    robot: Robot
    parameters: tuple[Parameter, ...]
    base: BaseParameters
    rows: tuple[str, ...]
    free: list[int]
    slopes: Function
    torques: Function
    has_known: bool
    closure: ClosedChainMotion | None
    eliminated: WrenchElimination | None
    seen: Bool[np.ndarray, "n rank"]

    def evaluate(self, samples: MotionSamples) -> tuple[Float[np.ndarray, "N n rank"], Float[np.ndarray, "N n"]]:
        """Return the regressor's independent columns and the torques that they explain; NaN where not measured."""
        q, qd, qdd, G = self._follow_closure(samples)
        Y, tau = self.slopes(q, qd, qdd)[:, :, list(self.base.independent)], samples.tau
        if self.has_known:
            tau = tau - self._predict_torques(q, qd, qdd, np.zeros(self.base.rank))
        return self._project_torques(samples, G, Y), self._project_torques(samples, G, tau[:, :, None])[:, :, 0]

    def torque_residuals(self, samples: MotionSamples, values: Float[np.ndarray, " rank"]) -> Float[np.ndarray, "N n"]:
        """Return what values of the combinations leave of torques; NaN where not measured."""
        q, qd, qdd, G = self._follow_closure(samples)
        tau = samples.tau - self._predict_torques(q, qd, qdd, values)
        return self._project_torques(samples, G, tau[:, :, None])[:, :, 0]

    def directions(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nv n"]:
        """Return G with qd = G qd_free at closed positions."""
        if self.closure is None:
            return np.broadcast_to(np.eye(self.robot.nv), (len(q), self.robot.nv, self.robot.nv))
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
        return self.torques(q, qd, qdd, np.broadcast_to(whole, (len(qd), len(whole))))

    def _project_torques(
        self, samples: MotionSamples, G: np.ndarray | None, columns: Float[np.ndarray, "N nv k"]
    ) -> Float[np.ndarray, "N n k"]:
        """Return what loops and unknown wrenches leave of torques."""
        if G is not None:
            columns = G.swapaxes(1, 2) @ columns
        if self.eliminated is not None:
            columns = self.eliminated.projection(samples.q, samples.unknown, G) @ columns
        return columns


def make_equations(
    robot: Robot, names: Sequence[str] | None, payload: str | None, contacts: Sequence[Contact] = ()
) -> RegressorEquations:
    """Return the equations of a robot. Raises InputError as `regressor`, or where torques show no parameter."""
    names = linear_parameters(robot) if names is None else tuple(names)
    base = base_parameters(robot, parameters=names, payload=payload)
    if not base.rank:
        raise InputError(f"torques of {robot.name!r} show none of these parameters", fix="name others")
    free = independent_coordinates(robot) if robot.is_closed else list(range(robot.nv))
    tree = without_loops(robot)
    torques = inverse_dynamics(tree, parameters=names, payload=payload)
    slopes = regressor(tree, parameters=names, payload=payload)
    closure = ClosedChainMotion.from_robot(robot) if robot.is_closed else None
    eliminated = WrenchElimination.from_contacts(robot, contacts) if contacts else None
    rng = np.random.default_rng(0)
    q = np.array(closed_states(robot, 8))
    qd, qdd = rng.standard_normal((2, len(q), robot.nv))
    own = parameters_of(robot, names, payload)
    least = torques(q, qd, qdd, np.zeros((len(q), len(base.labels))))
    most = torques(q, qd, qdd, np.tile(np.concatenate([p.nominal(robot) for p in own]), (len(q), 1)))
    has_known = np.nanmax(np.abs(least), initial=0.0) > KNOWN * max(1.0, np.nanmax(np.abs(most), initial=0.0))
    rows = tuple(name.removesuffix("[0]") for name in _row_names(robot, free))
    found = RegressorEquations(
        robot, own, base, rows, free, slopes, torques, bool(has_known), closure, eliminated, np.array(True)
    )
    unknown = np.tile([x for c in contacts for x in c.unknown], (len(q), 1)).astype(bool)
    Y, _ = found.evaluate(MotionSamples(np.arange(len(q)), q, qd, qdd, np.zeros_like(qd), unknown))
    return replace(found, seen=(np.nan_to_num(Y) != 0.0).any(axis=0))


def _row_names(robot: Robot, free: Sequence[int]) -> list[str]:
    names = [
        joint.name if joint.type.nv == 1 else f"{joint.name}[{i}]"
        for joint in robot.joints
        for i in range(joint.type.nv)
    ]
    return [names[i] for i in free]
