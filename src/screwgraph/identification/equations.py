"""Equations of identification: torques less what is known of them are Y_b pi_b, at every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.compiler import Function
from screwgraph.dynamics import BaseParameters, base_parameters, inverse_dynamics, regressor
from screwgraph.dynamics.regressor import linear_parameters
from screwgraph.errors import InputError
from screwgraph.identification.acting import Contact, Eliminated
from screwgraph.identification.closure import Closure
from screwgraph.identification.filtering import Samples
from screwgraph.robot import Robot, closed_states, independent_coordinates
from screwgraph.robot.parameters import Parameter, parameters_of

KNOWN = 1e-12
"""Torques (N m, N) of other parameters below this, relative to the largest, are rounding."""


@dataclass(frozen=True, eq=False)
class Equations:
    """Torques of the (independent) coordinates `rows` are linear in `parameters`, whose combinations `base` they show.

    `known` gives the torques of all that is not identified, None where there is nothing; `seen` says on which
    combinations the torque of each coordinate depends. Torques of closed chains are those of their tree, projected on
    the motions that `closure` leaves: forces of loops do no work.
    """

    robot: Robot
    parameters: tuple[Parameter, ...]
    base: BaseParameters
    rows: tuple[str, ...]
    slopes: Function
    known: Function | None
    closure: Closure | None
    eliminated: Eliminated | None
    seen: Bool[np.ndarray, "n rank"]

    def at(self, samples: Samples) -> tuple[Float[np.ndarray, "N n rank"], Float[np.ndarray, "N n"]]:
        """Return the regressor's independent columns and the torques that they explain; NaN where not measured."""
        q, qd, qdd, tau = samples.q, samples.qd, samples.qdd, samples.tau
        G = None if self.closure is None else self.closure.velocities(q)
        if self.closure is not None and G is not None:
            qd, qdd = self.closure.followed(q, qd, qdd, G)
        Y = self.slopes(q, qd, qdd)[:, :, list(self.base.independent)]
        if self.known is not None:
            zero = np.zeros(len(self.base.labels))
            tau = tau - self.known(q, qd, qdd, np.broadcast_to(zero, (len(qd), len(zero))))
        if G is not None:
            Y, tau = G.swapaxes(1, 2) @ Y, np.einsum("Nji,Nj->Ni", G, tau)
        if self.eliminated is not None:
            P = self.eliminated.projection(q, samples.unknown, G)
            Y, tau = P @ Y, np.einsum("Nij,Nj->Ni", P, tau)
        return Y, tau


def equations(
    robot: Robot, names: Sequence[str] | None, payload: str | None, contacts: Sequence[Contact] = ()
) -> Equations:
    """Return the equations of a robot. Raises InputError as `regressor`, or where torques show no parameter."""
    names = linear_parameters(robot) if names is None else tuple(names)
    base = base_parameters(robot, parameters=names, payload=payload)
    if not base.rank:
        raise InputError(f"torques of {robot.name!r} show none of these parameters", fix="name others")
    free = independent_coordinates(robot) if robot.is_closed else list(range(robot.nv))
    known = inverse_dynamics(robot, coordinates="spanning", parameters=names, payload=payload)
    slopes = regressor(robot, parameters=names, payload=payload, coordinates="spanning")
    closure = Closure.of(robot) if robot.is_closed else None
    eliminated = Eliminated.of(robot, contacts) if contacts else None
    rng = np.random.default_rng(0)
    q = np.array(closed_states(robot, 8))
    qd, qdd = rng.standard_normal((2, len(q), robot.nv))
    own = parameters_of(robot, names, payload)
    least = known(q, qd, qdd, np.zeros((len(q), len(base.labels))))
    most = known(q, qd, qdd, np.tile(np.concatenate([p.nominal(robot) for p in own]), (len(q), 1)))
    is_known = np.nanmax(np.abs(least), initial=0.0) > KNOWN * max(1.0, np.nanmax(np.abs(most), initial=0.0))
    rows = [name.removesuffix("[0]") for name in _row_names(robot, free)]
    found = Equations(
        robot, own, base, tuple(rows), slopes, known if is_known else None, closure, eliminated, np.array(True)
    )
    unknown = np.tile([x for c in contacts for x in c.unknown], (len(q), 1)).astype(bool)
    Y, _ = found.at(Samples(np.arange(len(q)), q, qd, qdd, np.zeros_like(qd), unknown))
    return replace(found, seen=(np.nan_to_num(Y) != 0.0).any(axis=0))


def _row_names(robot: Robot, free: Sequence[int]) -> list[str]:
    names = [
        joint.name if joint.type.nv == 1 else f"{joint.name}[{i}]"
        for joint in robot.joints
        for i in range(joint.type.nv)
    ]
    return [names[i] for i in free]
