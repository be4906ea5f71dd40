"""Identification: a log becomes equations, equations triangles, triangles parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.model.model import Model
from screwgraph.motion.identification.applied_torques import Contact
from screwgraph.motion.identification.doubts import Evidence
from screwgraph.motion.identification.filtering import Filter, MotionSamples
from screwgraph.motion.identification.least_squares import Fit
from screwgraph.motion.identification.log import read_recordings
from screwgraph.motion.identification.log_pass import LogPass, Options
from screwgraph.motion.identification.models import MODELS, IdentifiedModel
from screwgraph.motion.identification.motion_estimation import MotionEstimator
from screwgraph.motion.identification.physical_consistency import (
    ConsistentParameters,
    find_prior_values,
    fit_consistent,
)
from screwgraph.motion.identification.regressor_equations import RegressorEquations, make_equations
from screwgraph.motion.identification.result import Identified
from screwgraph.motion.identification.streamed_qr import TriangleAccumulator, TriangleBlock, merge_blocks
from screwgraph.motion.identification.torque_constants import TorqueConstants, fit_torque_constants
from screwgraph.optimize.losses import LOSSES

MOTIONS = ("filtered", "estimated")
SEARCHES = 20
"""Times that weights of a robust loss are found anew, at most."""
DARK = 1e-6
"""Part of a combination's direction that the motion does not show, from which on its value is not claimed."""
STEADY = {False: 1e-3, True: 2e-2}
"""Part of a standard deviation by which another reading may move parameters: of filtered, of estimated motions."""


@check_arguments
def identify(
    robot: Model,
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
    """Identify inertias, friction, armatures and payloads of a robot or a mechanism from positions and torques.

    The log is read once, some hundred samples at a time, to triangular equations (streamed QR), of which all else is
    made: combinations of parameters that torques depend on (`base_parameters`) with their covariance, and parameters of
    real bodies (log-Cholesky factors: Rucker & Wensing, 2022) near the file's (Lee, Wensing & Park, 2020). `doubts` of
    the result says why the log may be wrong.

    Args:
        robot: a tree, with or without a floating base, or a closed chain, whose torques are projected on the motions
            that its loops allow; or a mechanism, planar or spatial, with motors.
        log: {"t": (N,) s, "q": (N, nq), "qd", "qdd", "tau": (N, nv)}, a .npz file of these, a .csv file of columns t,
            q:JOINT, tau:JOINT, ..., a motion, or a list or an iterator of logs, which is never held as a whole.
            Efforts "u" of the robot's actuators, or currents "i" (A), may stand for torques, which transmissions
            (gears, differentials) take to joints. Wrenches that were measured are "wrench:FRAME" (N, 6), moment and
            force in its axes, or columns wrench:FRAME.mx, ...
            Of mechanisms, columns q:COORDINATE of as many as there are degrees of freedom suffice, and tau:MOTOR;
            "wrench:POINT" are forces (N, 2 or 3) on points.
            Without velocities or accelerations, positions are filtered. Torques that are NaN, or have no column, were
            not measured; but columns that are missing of floating bases, and of joints of closed chains, mean that
            there is no motor.
        parameters: as for `regressor`, by default all inertias, and armatures and dampings of the file; levels of
            friction are "JOINT.friction", masses alone "LINK.mass". Of mechanisms bodies, "damping:NAME",
            "stiffness:NAME" and "friction:NAME" of a damper. The other parameters are those of the file.
        payload: the frame of an unknown body.
        priors: {parameter: its numbers}, instead of the file's.
        prior_weight: 1: twice or half the prior's mass, size, friction are about one standard deviation away, and ten
            times as much, in logarithms, where the prior is zero or a payload's.
        motor_constants: {joint: torque per current (N m/A)}, where the log has currents; of actuators, where all names
            are theirs. None: unknown, torque constant times gear ratio, on trees; then something that is known must
            have weight, which tells the scale.
        contacts: frames, or points, at which unknown wrenches act, which are eliminated: equations are projected on
            what they do not change. "FRAME.force" transmits no moment. Where the log has the wrench, only what is NaN
            is unknown.
        cutoff: of the zero-phase filter of positions (Hz), by default ten times the motion's highest frequency.
        motion: "filtered", or "estimated" with the parameters, where positions are noisier than filters help: a spline
            that explains positions and torques, each by its noise (errors in variables), on the manifold of quaternions
            and of closed loops. The log is read repeatedly.
        loss: a robust loss against outliers, a name in `LOSSES` such as "huber" or "tukey". The log is read repeatedly.
        held_out: every which block of samples is kept for validation; 0 for none.

    Raises:
        InputError: as `regressor`; a bad log; positions that leave loops open; too few samples; a prior of no body.
    """
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
    priors, constants = priors or {}, motor_constants or {}
    known = MODELS[robot.kind](robot)
    touching = _find_contacts(known, contacts)
    report_progress("making equations")
    eqs = make_equations(known, parameters, payload, touching)
    unknowns = eqs.law.unknowns
    prior = np.concatenate(find_prior_values(unknowns, priors))
    start = eqs.base.map @ prior
    free = tuple(joint for joint, value in constants.items() if value is None)
    repeats = options.loss is not None or options.estimates_motion
    if (repeats or free) and isinstance(log, Iterator):
        raise InputError(
            "robust losses, motions that are estimated and unknown motor constants read the log several times, an "
            "iterator can be read once",
            fix="give a list of logs, or neither",
        )
    estimator = MotionEstimator.from_equations(eqs, options.filter, options.loss) if options.estimates_motion else None
    given = {joint: 1.0 if value is None else value for joint, value in constants.items()}
    one, found = LogPass(known, log, given, touching, eqs, options), None
    if free:
        found = _constants(one, free)
        one = replace(one, constants=given | found.values)
    fit, acc, kept = _fit_log(one, start, estimator, SEARCHES if repeats else 0)
    if found is not None:
        fit = replace(fit, covariance=fit.covariance + found.slopes @ found.covariance @ found.slopes.T)
    report_progress("finding real bodies")

    def bodies(part: float) -> ConsistentParameters:
        noise, weight = fit.R @ fit.covariance @ fit.R.T, part * options.prior_weight
        return fit_consistent(unknowns, fit.R @ eqs.base.map, fit.y, noise, priors, weight)

    whole = bodies(1.0)
    held = acc.others or merge_blocks(acc.leaves)
    torque = _rms_residuals(eqs, acc, held, np.zeros(eqs.base.rank))
    left, robot_left = (_rms_residuals(eqs, acc, held, values) for values in (fit.values, eqs.base.map @ whole.values))
    unexcited = _find_unexcited(eqs, fit)
    Y, tau = eqs.evaluate(kept)
    evidence = Evidence(eqs, fit, len(acc.leaves), start, kept, Y, tau, torque, left, robot_left)
    return Identified(
        model=eqs.law.with_values(whole.values),
        base=eqs.base,
        base_values=fit.values,
        base_covariance=fit.covariance,
        values=whole.values,
        covariance=whole.covariance,
        noise=dict(zip(eqs.rows, fit.noise.tolist(), strict=False)),
        validation=left,
        robot_validation=robot_left,
        torque=torque,
        condition=fit.condition,
        samples=max(sum(leaf.counts[i] for leaf in acc.leaves) for i in range(len(eqs.rows))),
        unexcited=unexcited,
        doubts=tuple(evidence.doubts(whole, bodies, unexcited)),
        t=kept.t,
        measured=tau,
        predicted=Y @ fit.values,
        motor_constants={} if found is None else found.values,
        motor_constants_sigma={} if found is None else found.sigma,
    )


def _find_contacts(model: IdentifiedModel, names: Sequence[str]) -> tuple[Contact, ...]:
    found = tuple(model.find_contact(name) for name in names)
    places = [contact.frame for contact in found]
    for place in places:
        if places.count(place) > 1:
            raise InputError(f"the contact of {place!r} is named twice", fix="name it once")
    return found


def _fit_log(
    one: LogPass, start: Float[np.ndarray, " k"], estimator: MotionEstimator | None, searches: int
) -> tuple[Fit, TriangleAccumulator, MotionSamples]:
    """Fit parameters; read the log again, at most so many times, until weights and motions no longer move them."""
    rows, most = len(one.eqs.rows), STEADY[estimator is not None]
    fit, acc, kept = one.fit(None, start)
    for again in range(searches):
        before, one = fit, replace(one, phase=f"reading the log again ({again + 1})")
        one = one if estimator is None else replace(one, motion=estimator.with_values(fit.values, fit.noise[:rows]))
        fit, acc, kept = one.fit(before, start)
        sigma = np.sqrt(np.maximum(np.diag(fit.covariance), 1e-300))
        if (np.abs(fit.values - before.values) <= most * sigma + 1e-12).all():
            break
    return fit, acc, kept


def _constants(one: LogPass, joints: tuple[str, ...]) -> TorqueConstants:
    """Return unknown motor constants; a pass has one for each. Raises InputError: no currents, or not of joints."""
    _ = any(run.effort_name == "i" for run in read_recordings(one.model, one.log, one.constants, one.contacts))
    for joint in joints:
        if joint not in one.eqs.rows or one.model.subject.is_closed or one.contacts:
            raise InputError(
                f"the motor constant of {joint!r} cannot be unknown",
                why="this is for joints of one coordinate, without loops and unknown wrenches",
                fix="give its value",
            )
    report_progress("finding motor constants")
    two = replace(one, constants=dict(one.constants) | dict.fromkeys(joints, 2.0))
    pairs = zip((b for _, b in one.samples()), (b for _, b in two.samples()), strict=True)
    return fit_torque_constants(one.eqs, pairs, joints)


def _rms_residuals(
    eqs: RegressorEquations, acc: TriangleAccumulator, held: TriangleBlock, values: Float[np.ndarray, " rank"]
) -> dict[str, float]:
    """Return of each coordinate the root mean square of what values leave of torques that were held out."""
    z, found = np.append(values, -1.0), {}
    for name, R, own, count in zip(eqs.rows, held.triangles, acc.columns, held.counts, strict=False):
        found[name] = float(np.linalg.norm(R @ z[own]) / np.sqrt(max(count, 1)))
    return found


def _find_unexcited(eqs: RegressorEquations, fit: Fit) -> tuple[str, ...]:
    return tuple(text for text, part in zip(eqs.base.expressions, fit.unseen, strict=True) if part > DARK)
