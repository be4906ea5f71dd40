"""Joint torques that a robot needs to follow a trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import inverse_dynamics
from screwgraph.model.formats import locate_names
from screwgraph.model.robot import Joint, Robot, constraint_residual, make_unknown_name_error
from screwgraph.motion.estimation.readings.smoothing_spline import SmoothedSamples, doubt_spacing, smooth_samples
from screwgraph.motion.estimation.readings.trajectory_tables import (
    list_columns,
    noise_levels,
    read_column,
    validate_times,
)
from screwgraph.motion.estimation.result import InverseSolution
from screwgraph.motion.simulation import (
    Trajectory,
    Watch,
    coordinate_names,
    dynamics_of,
    initial_position,
    simulate_dynamics,
)


def inverse_robot_trajectory(
    robot: Robot,
    trajectory: Mapping[str, Any] | Trajectory,
    q0: Any = None,
    watch: Watch | None = None,
    noise: float | Mapping[str, float] | None = None,
) -> InverseSolution:
    """Return the torques that make a robot follow a trajectory: inverse dynamics at each sample.

    Velocities and accelerations are derivatives of smoothing splines. Of closed chains, where the independent joints
    are given, the others follow. The torques of a floating base's joint are the wrench that it would need.

    Args:
        robot: a tree or a closed chain.
        trajectory: {"t": (N,) s, joint: (N,) m or rad, ...} at equal time steps; coordinates of joints with several
            are called "joint[0]", ...: all of them, or those of the independent joints of a closed chain. Or a motion
            of the robot, whose velocities, accelerations and external wrenches are taken as they are.
        watch: is called with 0.0 first, and with 1.0 at the end.
        q0: roughly the first position (nq,) of a closed chain whose independent joints are given, by default the
            neutral one: the assembly mode.
        noise: standard deviation of the trajectory (m, rad), of all coordinates or {coordinate: number, ...}; where
            none is given, it is estimated.

    Raises:
        InputError: a bad trajectory, or positions at which loops do not close.
    """
    watch = watch or (lambda done: False)
    watch(0.0)
    if isinstance(trajectory, Trajectory):
        _refuse_start(q0, "a motion has all positions")
        if noise is not None:
            why = "a motion has its own velocities and accelerations"
            raise InputError("noise= cannot be used here", why=why, fix="leave it out")
        found = _under_motion(robot, trajectory)
        watch(1.0)
        return found
    with locate_names(trajectory):
        names = list_columns(trajectory, "joint1")
        places = _places(robot, names)
    t = validate_times(trajectory, "trajectory")
    given = np.stack([read_column(name, trajectory[name], len(t)) for name in names], axis=1)
    dt = float(t[1] - t[0])
    given_noise = noise_levels(noise, names)
    smooth = smooth_samples(given, dt, given_noise)
    if len(names) == robot.nq:
        _refuse_start(q0, "the positions of all joints are given")
        every = smooth.select_columns([places.index(i) for i in range(robot.nq)])
    else:
        every = smooth_samples(_complete_positions(robot, places, smooth.values, initial_position(robot, q0)), dt)
    q, qd, qdd = _states(robot, every, dt)
    _check_closed(robot, q)
    tau = np.asarray(inverse_dynamics(robot)(q, qd, qdd))
    off = np.abs(q[:, places] - given).max(axis=0)
    errors, levels = (dict(zip(names, column.tolist(), strict=True)) for column in (off, smooth.sigma))
    watch(1.0)
    run = simulate_dynamics(dynamics_of(robot), "inverse", tau, t, q, qd, qdd=qdd)
    return InverseSolution(run, errors, levels, (), doubt_spacing(names, given, given_noise, smooth, t))


def _refuse_start(q0: Any, why: str) -> None:
    if q0 is not None:
        raise InputError("q0= cannot be used here", why=why, fix="leave it out")


CLOSED = 1e-4
"""Gap (m, rad) of loops that a given trajectory may leave."""


def _under_motion(robot: Robot, motion: Trajectory) -> InverseSolution:
    """Return the torques of a motion by its own velocities, accelerations and external wrenches."""
    names = coordinate_names(motion.model)["q"]
    if motion.model.kind != robot.kind or names != coordinate_names(robot)["q"]:
        raise InputError(
            f"the trajectory is a motion of {motion.model.name!r}, not of {robot.name!r}",
            why="they have other coordinates",
        )
    _check_closed(robot, motion.q)
    frames = tuple(motion.external_wrenches)
    acting = [np.stack([motion.external_wrenches[frame] for frame in frames], axis=1)] if frames else []
    tau = np.asarray(inverse_dynamics(robot, external_wrenches=frames)(motion.q, motion.qd, motion.qdd, *acting))
    run = replace(motion, model=robot, method="inverse", tau=tau, between=None, balance=None)
    exact = dict.fromkeys(names, 0.0)
    return InverseSolution(run, exact, exact, ())


def _check_closed(robot: Robot, q: Float[np.ndarray, "N nq"]) -> None:
    if not robot.is_closed:
        return
    gap = max(float(np.abs(constraint_residual(robot, x)).max()) for x in q)
    if gap > CLOSED:
        raise InputError(
            f"the trajectory leaves loops open by {gap:.3g}", fix="give the coordinates of the independent joints"
        )


def _labels(joint: Joint) -> list[str]:
    return [joint.name] if joint.type.nq == 1 else [f"{joint.name}[{i}]" for i in range(joint.type.nq)]


def _places(robot: Robot, names: Sequence[str]) -> list[int]:
    """Return the places in q of a trajectory's columns. Raises InputError: unknown, or too few of them."""
    labels = [label for joint in robot.joints for label in _labels(joint)]
    for name in names:
        if name not in labels:
            raise make_unknown_name_error("coordinate", name, labels)
    if len(names) == robot.nq:
        return [labels.index(name) for name in names]
    independent = [label for name in robot.independent_joints for label in _labels(robot.joint(name))]
    if robot.is_closed and sorted(names) == sorted(independent):
        return [labels.index(name) for name in names]
    wanted = f"or those of the independent joints, {', '.join(independent)}" if robot.is_closed else ""
    raise InputError(
        f"the trajectory gives {len(names)} of {robot.nq} coordinates",
        why="the motion of the others does not follow from these",
        fix=f"give all of them {wanted}".strip(),
    )


def _complete_positions(
    robot: Robot, places: Sequence[int], given: Float[np.ndarray, "N k"], near: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, "N nq"]:
    """Return the positions of all joints at each sample: each on the branch of the one before."""
    order = [place for name in robot.independent_joints for place in _range(robot.q_slices[name])]
    y, found = given[:, [list(places).index(place) for place in order]], []
    for row in y:
        near = robot.complete(row, near)
        found.append(near)
    return np.array(found)


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def _states(
    robot: Robot, samples: SmoothedSamples, dt: float
) -> tuple[Float[np.ndarray, "N nq"], Float[np.ndarray, "N nv"], Float[np.ndarray, "N nv"]]:
    """Return positions, quaternions made unit, with velocities and accelerations."""
    q = np.array([robot.manifold.normalise(x) for x in samples.values])
    qd, qdd = np.empty((len(q), robot.nv)), np.empty((len(q), robot.nv))
    for joint in robot.joints:
        at, of = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type.nq == joint.type.nv:
            qd[:, of], qdd[:, of] = samples.rates[:, at], samples.accelerations[:, at]
            continue
        units = np.eye(joint.type.nv)
        for k, (x, rate) in enumerate(zip(q[:, at], samples.rates[:, at], strict=True)):
            E = np.stack([joint.type.manifold.rate(x, unit) for unit in units], axis=1)
            qd[k, of] = np.linalg.lstsq(E, rate, rcond=None)[0]
        qdd[:, of] = smooth_samples(qd[:, of], dt).rates
    return q, qd, qdd
