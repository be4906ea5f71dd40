"""Torques that a trajectory needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from screwgraph.base.argument_checks import check_arguments
from screwgraph.model import Model
from screwgraph.model.formats import Table, read_table
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, check_moves
from screwgraph.motion.estimation.mechanisms.inverse_graph import STAGES
from screwgraph.motion.estimation.mechanisms.inverse_trajectory import inverse_mechanism_trajectory
from screwgraph.motion.estimation.result import InverseSolution
from screwgraph.motion.estimation.robots.inverse_trajectory import inverse_robot_trajectory
from screwgraph.motion.simulation import Trajectory, Watch


class Follower(NamedTuple):
    """How a kind of model follows trajectories: stages of the search, coordinates by column of a motion, torques.

    `unnamed` are the coordinates of files without a line of names, as many as follow the times.
    """

    stages: int
    coordinates: Callable[[Any], Mapping[str, str]]
    unnamed: Callable[[Any], Sequence[str]]
    torques: Callable[..., InverseSolution]


def _name_positions(robot: Robot) -> dict[str, str]:
    sizes = [(joint.name, joint.type.nq) for joint in robot.joints]
    return {f"q:{name}[{i}]": name if nq == 1 else f"{name}[{i}]" for name, nq in sizes for i in range(nq)}


def _name_independent(mechanism: Mechanism) -> dict[str, str]:
    return {f"q:{name}": name for name in mechanism.independent_coordinates}


def _list_unnamed(mechanism: Mechanism) -> Sequence[str]:
    """Return the angles, where they are as many as the degrees of freedom, else the independent coordinates."""
    angles, independent = [angle.name for angle in mechanism.angles], mechanism.independent_coordinates
    return angles if len(angles) == len(independent) else independent


FOLLOWERS: Mapping[str, Follower] = {
    "robot": Follower(1, _name_positions, lambda robot: [*_name_positions(robot).values()], inverse_robot_trajectory),
    "mechanism": Follower(STAGES, _name_independent, _list_unnamed, inverse_mechanism_trajectory),
}
"""By kind of model."""


def read_trajectory(model: Model, file: str | os.PathLike[str]) -> Table:
    """Read times and coordinates, of the table of a simulation those of (independent) coordinates.

    Without a line of names they are t and those of `Follower.unnamed`.

    Raises:
        InputError: as `read_table`.
    """
    follower = FOLLOWERS[model.kind]
    table, names = read_table(file, names=("t", *follower.unnamed(model))), follower.coordinates(model)
    if "t" not in table or not all(name in table for name in names):
        return table
    return replace(table, columns={"t": table["t"]} | {name: table[column] for column, name in names.items()})


@check_arguments
def inverse_trajectory(
    model: Model,
    trajectory: Trajectory | Mapping[str, Any] | str,
    *,
    q0: Any = None,
    noise: float | Mapping[str, float] | None = None,
    watch: Watch | None = None,
) -> InverseSolution:
    """Return the torques that make a robot or a mechanism follow a trajectory.

    Of mechanisms the factor graph of Blanco-Claraco et al. (2021), section 7.2; of robots inverse dynamics at each
    sample. The torques of a floating base are the wrench that it would need. What is measured or rounded is smoothed
    first: splines of degree 7 or 11, whose smoothness and noise are the likeliest ones (Wahba 1990, section 4.8). At
    both ends, accelerations err by 6.8 (degree 7) or 22 times (degree 11) what they err by inside, the least for
    samples on one side. `doubts` of what is returned name coordinates whose samples are too far apart.

    Args:
        model: a robot (tree, floating or closed chain), or a mechanism. Where its file names no motors, angles of the
            trajectory are driven.
        trajectory: {"t": (N,) s, coordinate: (N,) m or rad, ...} or a .csv file of these columns, at equal time steps,
            or a table that a simulation wrote.
            A file of numbers alone has t and all joints, or all angles of the mechanism, in the order of its file.
            Of mechanisms as many coordinates as there are degrees of freedom; of robots those of all joints ("joint",
            "joint[0]", ...), or of the independent joints of a closed chain. Or a motion that was simulated, planned or
            estimated: of robots with its velocities, accelerations and external wrenches, of mechanisms at equal time
            steps (`Trajectory.resampled`).
        q0: a position (n,) in the assembly mode that is meant, by default the assembled one.
        noise: standard deviation of the trajectory's coordinates (m, rad), one for all or {coordinate: number, ...}; 0
            follows them exactly. Where it is not given, it is estimated: `noise` of what is returned.
        watch: progress callback with the number of stages done, of robots one; the search ends where it returns true.

    Raises:
        InputError: a bad trajectory, no motors, loops that do not close, or a graph that cannot be solved.
        ModelError: the mechanism does not reach the trajectory.
    """
    check_moves(model)
    given = read_trajectory(model, trajectory) if isinstance(trajectory, (str, os.PathLike)) else trajectory
    return FOLLOWERS[model.kind].torques(model, given, q0=q0, noise=noise, watch=watch)
