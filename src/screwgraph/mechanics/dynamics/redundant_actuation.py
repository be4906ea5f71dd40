"""Inverse dynamics of robots that more, or other, joints drive than the independent ones: the smallest torques."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.closed_chains import drive_independent_joints
from screwgraph.mechanics.dynamics.query import Query, without_torques, zero_values
from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.spatial import null_space

Arms = Callable[[Float[np.ndarray, " nq"]], Float[np.ndarray, "n nv"]]
_DRIVING = {"joint": "actuated joints", "actuator": "actuators that drive"}
UNDRIVEN = 1e-7
"""Part of the best driven motion that the driven joints must share of another at some closed position, lest it counts
as not driven."""


def minimise_torques(query: Query, joints: Sequence[str], weights: Mapping[str, float] | None) -> Query:
    """Return the inverse query of a robot that `joints` drive, by torques whose sum weight tau^2 is the least.

    Raises:
        InputError: unknown joints, bad weights, or a motion that none of these joints drives.
        EliminationError: as `drive_independent_joints`.
    """
    robot = query.robot
    names = [robot.joint(name).name for name in dict.fromkeys(joints)]
    chosen = validate_weights(names, weights or {})
    places = [i for name in names for i in range(robot.v_slices[name].start, robot.v_slices[name].stop)]
    check_drives(robot, names, lambda q: np.eye(robot.nv)[places])
    query = drive_independent_joints(query)
    if set(names) == set(robot.independent_joints):
        return query  # they have no choice
    query = without_torques(query)
    idle = zero_values(robot, [Key("tau", name) for name in robot.joint_names if name not in names])
    return replace(query, fixed={**query.fixed, **idle}, weights=chosen)


def validate_weights(names: Sequence[str], weights: Mapping[str, float], what: str = "joint") -> dict[str, float]:
    """Return a weight for each joint or actuator, 1 where none is given. Raises InputError for bad ones."""
    if not isinstance(weights, Mapping):
        raise InputError(f"expected a mapping of weights, got {weights!r}", fix=f'weights={{"{what}": 2.0}}')
    for name, weight in weights.items():
        if name not in names:
            raise InputError(f"weights name {name!r}, which is not among the {_DRIVING[what]}", fix="name one of them")
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not 0.0 < float(weight) < np.inf:
            raise InputError(f"the weight of {what} {name!r}, {weight!r}, is not a positive, finite number")
    return {name: float(weights.get(name, 1.0)) for name in names}


def check_drives(robot: Robot, names: Sequence[str], arms: Arms, what: str = "actuated joints") -> None:
    """Check that every motion that the loops allow moves what drives, at some of the positions that were met.

    `arms` returns the velocities (n, nv) of what drives, by those of joints. Raises InputError.
    """
    lost = [_undriven(robot, q, arms(q)) for q in robot.mobility.states or (robot.random(np.random.default_rng(0)),)]
    least = min(lost, key=lambda motions: motions.shape[1])
    if not least.shape[1]:
        return
    share = np.abs(least).max(axis=1)
    moving = [j.name for j in robot.joints if share[robot.v_slices[j.name]].max(initial=0.0) > 1e-3 * share.max()]
    raise InputError(
        f"the {what} {_format_names(names)} cannot drive all motions of robot {robot.name!r}",
        why=f"{least.shape[1]} of its {robot.mobility.freedom} degrees of freedom are not driven; in these take part: "
        f"{_format_names(moving)}",
        fix="name one of these joints, too" if what == "actuated joints" else "drive one of these joints, too",
    )


def _format_names(names: Sequence[str]) -> str:
    return (", ".join(map(repr, names[:6])) or "(none)") + (", ..." if len(names) > 6 else "")


def _undriven(robot: Robot, q: Float[np.ndarray, " nq"], moved: Float[np.ndarray, "n nv"]) -> Float[np.ndarray, "nv k"]:
    """Return a basis of the motions that loops allow at q, and that move nothing that drives."""
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
    N = null_space(K, rank=robot.mobility.rank)
    return N @ null_space(moved @ N, least=UNDRIVEN)
