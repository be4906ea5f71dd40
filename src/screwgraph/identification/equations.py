"""Equations of identification: torques less what is known of them are Y_b pi_b, at every sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.compiler import Function
from screwgraph.dynamics import BaseParameters, base_parameters, inverse_dynamics, regressor
from screwgraph.dynamics.regressor import linear_parameters
from screwgraph.errors import InputError
from screwgraph.identification.filtering import Samples
from screwgraph.robot import Robot, constraint_jacobian, independent_coordinates
from screwgraph.robot.parameters import Parameter, parameters_of

KNOWN = 1e-12
"""Torques (N m, N) of other parameters below this, relative to the largest, are rounding."""


@dataclass(frozen=True, eq=False)
class Equations:
    """Torques of the (independent) coordinates `rows` are linear in `parameters`, whose combinations `base` they show.

    `known` gives the torques of all that is not identified, None where there is nothing; `seen` says on which
    combinations the torque of each coordinate depends.
    """

    robot: Robot
    parameters: tuple[Parameter, ...]
    base: BaseParameters
    rows: tuple[str, ...]
    coordinates: tuple[int, ...]
    slopes: Function
    known: Function | None
    seen: Bool[np.ndarray, "n rank"]

    def at(self, samples: Samples) -> tuple[Float[np.ndarray, "N n rank"], Float[np.ndarray, "N n"]]:
        """Return the regressor's independent columns and the torques that they explain; NaN where not measured."""
        free, robot = list(self.coordinates), self.robot
        qd, qdd, tau = samples.qd[:, free], samples.qdd[:, free], samples.tau
        tau = _projected(robot, samples.q, tau, free) if robot.is_closed else tau
        Y = self.slopes(samples.q, qd, qdd)[:, :, list(self.base.independent)]
        if self.known is not None:
            zero = np.zeros(len(self.base.labels))
            tau = tau - self.known(samples.q, qd, qdd, np.broadcast_to(zero, (len(qd), len(zero))))
        return Y, tau


def equations(robot: Robot, names: Sequence[str] | None, payload: str | None) -> Equations:
    """Return the equations of a robot. Raises InputError as `regressor`, or where torques show no parameter."""
    names = linear_parameters(robot) if names is None else tuple(names)
    base = base_parameters(robot, parameters=names, payload=payload)
    if not base.rank:
        raise InputError(f"torques of {robot.name!r} show none of these parameters", fix="name others")
    free = independent_coordinates(robot) if robot.is_closed else list(range(robot.nv))
    coordinates = "independent" if robot.is_closed else "spanning"
    known = inverse_dynamics(robot, coordinates=coordinates, parameters=names, payload=payload)
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(8)])
    qd, qdd = rng.standard_normal((2, 8, len(free)))
    own = parameters_of(robot, names, payload)
    least = known(q, qd, qdd, np.zeros((8, len(base.labels))))
    most = known(q, qd, qdd, np.tile(np.concatenate([p.nominal(robot) for p in own]), (8, 1)))
    is_known = np.nanmax(np.abs(least), initial=0.0) > KNOWN * max(1.0, np.nanmax(np.abs(most), initial=0.0))
    rows = [name.removesuffix("[0]") for name in _row_names(robot, free)]
    slopes = regressor(robot, parameters=names, payload=payload)
    Y = slopes(q, qd, qdd)[:, :, list(base.independent)]
    seen = (Y != 0.0).any(axis=0)
    return Equations(robot, own, base, tuple(rows), tuple(free), slopes, known if is_known else None, seen)


def _row_names(robot: Robot, free: Sequence[int]) -> list[str]:
    names = [
        joint.name if joint.type.nv == 1 else f"{joint.name}[{i}]"
        for joint in robot.joints
        for i in range(joint.type.nv)
    ]
    return [names[i] for i in free]


def _projected(
    robot: Robot, q: Float[np.ndarray, "N nq"], tau: Float[np.ndarray, "N nv"], free: Sequence[int]
) -> Float[np.ndarray, "N n"]:
    """Return G' tau, with qd = G qd_free: torques as the free coordinates feel them; loop forces do no work.

    G spans the null space of the constraint Jacobian K, so that K' lambda vanishes. Lynch & Park, section 7.2.
    """
    follow = np.setdiff1d(np.arange(robot.nv), free)
    kept, found = list(robot.mobility.kept), np.empty((len(q), len(free)))
    for i, position in enumerate(q):
        K = constraint_jacobian(robot, position)[kept]
        G = -np.linalg.solve(K[:, follow], K[:, free])
        found[i] = tau[i, free] + tau[i, follow] @ G
    return found
