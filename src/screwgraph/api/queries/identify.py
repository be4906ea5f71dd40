"""Identification of a robot's parameters from a log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.optimize.losses import LOSSES

if TYPE_CHECKING:
    from screwgraph.motion.identification import Identified


MOTIONS = ("filtered", "estimated")


@check_arguments
def identify(
    robot: Robot,
    log: Any,
    parameters: Sequence[str] | None = None,
    *,
    payload: str | None = None,
    priors: Mapping[str, Any] | None = None,
    prior_weight: float = 1.0,
    motor_constants: Mapping[str, float | None] | None = None,
    contacts: Sequence[str] = (),
    cutoff: float | None = None,
    motion: str = "filtered",
    loss: str | None = None,
    held_out: int = 5,
) -> Identified:
    """Identify inertias, friction, armatures and payloads of a robot from positions and torques.

    The log is read once, some hundred samples at a time, to triangular equations (streamed QR), of which all else is
    made: combinations of parameters that torques depend on (`base_parameters`) with their covariance, and parameters of
    real bodies (log-Cholesky factors: Rucker & Wensing, 2022) near the file's (Lee, Wensing & Park, 2020). `doubts` of
    the result says why the log may be wrong.

    Args:
        robot: a tree, with or without a floating base, or a closed chain, whose torques are projected on the motions
            that its loops allow.
        log: {"t": (N,) s, "q": (N, nq), "qd", "qdd", "tau": (N, nv)}, a .npz file of these, a .csv file of columns t,
            q:JOINT, tau:JOINT, ..., a motion, or a list or an iterator of logs, which is never held as a whole.
            Efforts "u" of the robot's actuators, or currents "i" (A), may stand for torques, which transmissions
            (gears, differentials) take to joints. Wrenches that were measured are "wrench:FRAME" (N, 6), moment and
            force in its axes, or columns wrench:FRAME.mx, ...
            Without velocities or accelerations, positions are filtered. Torques that are NaN, or have no column, were
            not measured; but columns that are missing of floating bases, and of joints of closed chains, mean that
            there is no motor.
        parameters: as for `regressor`, by default all inertias, and armatures and dampings of the file; levels of
            friction are "JOINT.friction", masses alone "LINK.mass". The other parameters are those of the file.
        payload: the frame of an unknown body.
        priors: {parameter: its numbers}, instead of the file's.
        prior_weight: 1: twice or half the prior's mass, size, friction are about one standard deviation away, and ten
            times as much, in logarithms, where the prior is zero or a payload's.
        motor_constants: {joint: torque per current (N m/A)}, where the log has currents; of actuators, where all names
            are theirs. None: unknown, torque constant times gear ratio, on trees; then something that is known must
            have weight, which tells the scale.
        contacts: frames at which unknown wrenches act, which are eliminated: equations are projected on what they do
            not change. "FRAME.force" transmits no moment. Where the log has the wrench, only what is NaN is unknown.
        cutoff: of the zero-phase filter of positions (Hz), by default ten times the motion's highest frequency.
        motion: "filtered", or "estimated" with the parameters, where positions are noisier than filters help: a spline
            that explains positions and torques, each by its noise (errors in variables), on the manifold of quaternions
            and of closed loops. The log is read repeatedly.
        loss: a robust loss against outliers: "huber", "cauchy", "tukey" or "geman_mcclure". The log is read repeatedly.
        held_out: every which block of samples is kept for validation; 0 for none.

    Raises:
        InputError: as `regressor`; a bad log; positions that leave loops open; too few samples; a prior of no body.
    """
    from screwgraph.motion.identification import Filter, Options
    from screwgraph.motion.identification import identify as found

    if cutoff is not None and not (cutoff > 0.0 and math.isfinite(cutoff)):
        raise InputError(f"the cutoff frequency is {cutoff:g} Hz", fix="give a positive number, or none")
    if not (prior_weight > 0.0 and math.isfinite(prior_weight)):
        raise InputError(f"prior_weight is {prior_weight:g}", fix="give a positive number, such as 1")
    if held_out < 0 or held_out == 1:
        raise InputError(f"held_out is {held_out}", why="nothing would be left to fit", fix="give 0, or 2 or more")
    if loss is not None and loss not in LOSSES:
        raise InputError(f"there is no robust loss {loss!r}", fix=f"choose one of {', '.join(LOSSES)}")
    if motion not in MOTIONS:
        raise InputError(f"there is no motion {motion!r}", fix=f"choose one of {', '.join(MOTIONS)}")
    options = Options(Filter(cutoff), held_out, loss, prior_weight, motion == "estimated")
    return found(robot, log, parameters, payload, priors or {}, motor_constants or {}, options, contacts)
