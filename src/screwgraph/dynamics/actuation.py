"""Inverse dynamics of robots that more, or other, joints drive than the independent ones: the smallest torques."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics.closed_chains import driven
from screwgraph.dynamics.query import Query, zeros
from screwgraph.errors import InputError
from screwgraph.graph import Key, Role
from screwgraph.robot import Robot, constraint_jacobian

UNDRIVEN = 1e-7
"""Part of a motion that the driven joints must share at some closed position, lest it counts as not driven."""


def actuated_by(query: Query, joints: Sequence[str], weights: Mapping[str, float] | None) -> Query:
    """Return the inverse query of a robot that `joints` drive, by torques whose sum weight tau^2 is the least.

    Raises:
        InputError: unknown joints, bad weights, or a motion that none of these joints drives.
        EliminationError: as `driven`.
    """
    robot = query.robot
    names = [robot.joint(name).name for name in dict.fromkeys(joints)]
    chosen = _checked_weights(names, weights or {})
    _check_drives(robot, names)
    query = driven(query)
    if set(names) == set(robot.independent_joints):
        return query  # they have no choice
    rest = {key: value for key, value in query.fixed.items() if key.role is not Role.COORDINATE_FORCE}
    idle = zeros(robot, [Key("tau", name) for name in robot.joint_names if name not in names])
    return replace(query, fixed={**rest, **idle}, weights=chosen)


def _checked_weights(names: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise InputError(f"expected a mapping of weights, got {weights!r}", fix='weights={"joint": 2.0}')
    for name, weight in weights.items():
        if name not in names:
            raise InputError(f"weights name {name!r}, which is not among the actuated joints", fix="name actuated ones")
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not 0.0 < float(weight) < np.inf:
            raise InputError(f"the weight of joint {name!r}, {weight!r}, is not a positive, finite number")
    return {name: float(weights.get(name, 1.0)) for name in names}


def _check_drives(robot: Robot, names: Sequence[str]) -> None:
    """Check that every motion that the loops allow moves a driven joint, at some of the positions that were met."""
    places = [i for name in names for i in range(robot.v_slices[name].start, robot.v_slices[name].stop)]
    lost = [_undriven(robot, q, places) for q in robot.mobility.states or (robot.neutral(),)]
    least = min(lost, key=lambda motions: motions.shape[1])
    if not least.shape[1]:
        return
    share = np.abs(least).max(axis=1)
    moving = [j.name for j in robot.joints if share[robot.v_slices[j.name]].max(initial=0.0) > 1e-3 * share.max()]
    raise InputError(
        f"the actuated joints {_listed(names)} cannot drive all motions of robot {robot.name!r}",
        why=f"{least.shape[1]} of its {robot.mobility.freedom} degrees of freedom are not driven; in these take part: "
        f"{_listed(moving)}",
        fix="name one of these joints, too",
    )


def _listed(names: Sequence[str]) -> str:
    return (", ".join(map(repr, names[:6])) or "(none)") + (", ..." if len(names) > 6 else "")


def _undriven(robot: Robot, q: Float[np.ndarray, " nq"], places: list[int]) -> Float[np.ndarray, "nv k"]:
    """Return a basis of the motions that loops allow at q, and that move none of the driven coordinates."""
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    N = np.linalg.svd(K)[2][robot.mobility.rank :].T if len(K) else np.eye(robot.nv)
    _, s, Vt = np.linalg.svd(N[places])
    driven_directions = int((s > UNDRIVEN).sum())
    return N @ Vt[driven_directions:].T
