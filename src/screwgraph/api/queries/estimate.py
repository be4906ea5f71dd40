"""Estimation of motions and parameters from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.api.queries.query_checks import check_can_move, check_noise, load_table
from screwgraph.base.argument_checks import check_arguments
from screwgraph.motion.simulation import Watch

if TYPE_CHECKING:
    from screwgraph.mechanics.mechanism import Mechanism
    from screwgraph.model.robot import Robot
    from screwgraph.motion.estimation import Estimate, ModelNoise


@check_arguments
def estimate(
    model: Mechanism | Robot,
    measurements: Mapping[str, Any] | str,
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] | None = None,
    q0: Any = None,
    qd0: Any = None,
    noise: ModelNoise | None = None,
    watch: Watch | None = None,
) -> Estimate:
    """Estimate the motion of a robot or a mechanism, torques and parameters from measurements: batch least squares.

    Hermite-Simpson integration, loops and dynamics hold nearly exactly (`noise`); parameters are unknowns that all
    samples share. Of robots, the equations of motion are one factor an instant: compiled inverse dynamics.

    Args:
        model: a robot (tree, floating or closed chain), or a mechanism.
        measurements: {"t": (N,) s, column: (N,), ...}, or a .csv file of these columns. Columns are named by sensors,
            with _x, _y, ... where they measure several numbers; "tau:NAME" are known torques of a motor or joint. NaN,
            or an empty cell, is what was not measured. A sensor, or a torque, with times of its own has them as
            "t:NAME" (k,); states are estimated at all times, and within longer gaps.
        parameters: of robots "LINK.mass" (kg; centre of mass and inertia about it stay), "JOINT.damping",
            "JOINT.armature"; of mechanisms names of parameters of the file, and of values by key and part.
        inputs: motors or joints whose torques are unknown.
        sensors: by default those of the mechanism's file, or on robots of columns named KIND:TARGET;
            [{"sensor": name, kind: target, "sigma": 0.01}, ...]. Kinds on robots: "joint_position", "joint_velocity",
            "joint_torque" of a joint; "position", "pose" (x, y, z, qx, qy, qz, qw), "gyroscope", "accelerometer" of a
            link or frame, the last two in its axes; "height" (m) of a frame's origin, as the terrain under a foot tells
            it; "contact" (1 where a frame's origin stands still, 0 where nothing pushes on it) and "force" (of a
            contact, N, in the frame's axes), whose frames get unknown forces. More entries of sensors on robots:
            "delay" (s; what was so before the first t is left out), "bias" (standard deviation of a constant that it is
            off by), "huber" (residuals beyond so many standard deviations weigh less), "slip" (of contacts: feet that
            are further from rest than so many standard deviations slip, see `Estimate.slips`).
        q0: roughly the initial position (nq,), by default the neutral or the assembled one.
        qd0: roughly the initial velocity (nv,), by default rest, or that of the file.
        noise: standard deviations of the model; of dynamics as accelerations.
        watch: progress callback with the time (s) up to which samples are used; the search ends where it returns true.

    Raises:
        InputError: a bad argument, or a search that fails.
        ModelError: the mechanism cannot be assembled.
    """
    from screwgraph.motion.estimation import ModelNoise
    from screwgraph.motion.estimation import estimate as found

    check_can_move(model)
    check_noise(noise, ModelNoise)
    options: dict[str, Any] = {"inputs": inputs, "sensors": sensors, "q0": q0, "qd0": qd0}
    return found(model, load_table(measurements, missing=True), parameters, noise=noise, watch=watch, **options)
