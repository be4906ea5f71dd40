"""Identification: a log becomes equations, equations triangles, triangles parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.doing import say
from screwgraph.errors import InputError
from screwgraph.identification.acting import contacts_of
from screwgraph.identification.consistent import Consistent, consistent, prior_values
from screwgraph.identification.doubts import Evidence
from screwgraph.identification.equations import Equations, equations
from screwgraph.identification.filtering import Samples
from screwgraph.identification.least_squares import Fit
from screwgraph.identification.motion import Estimator
from screwgraph.identification.reading import Options, Reading
from screwgraph.identification.result import Identified
from screwgraph.identification.torque_constants import TorqueConstants, torque_constants
from screwgraph.identification.triangles import Accumulator, Leaf, merged
from screwgraph.robot import Robot
from screwgraph.robot.parameters import Parameter, with_values

SEARCHES = 20
"""Times that weights of a robust loss are found anew, at most."""
DARK = 1e-6
"""Part of a combination's direction that the motion does not show, from which on its value is not claimed."""
STEADY = {False: 1e-3, True: 2e-2}
"""Part of a standard deviation by which another reading may move parameters: of filtered, of estimated motions."""


def identify(
    robot: Robot,
    log: Any,
    names: Sequence[str] | None,
    payload: str | None,
    priors: Mapping[str, object],
    constants: Mapping[str, float | None],
    options: Options,
    contacts: Sequence[str] = (),
) -> Identified:
    """Identify a robot's parameters; the arguments are those of `queries.identify`."""
    touching = contacts_of(robot, contacts)
    say("making equations")
    eqs = equations(robot, names, payload, touching)
    prior = np.concatenate(prior_values(robot, eqs.parameters, priors))
    start = eqs.base.map @ prior
    free = tuple(joint for joint, value in constants.items() if value is None)
    repeats = options.loss is not None or options.estimates_motion
    if (repeats or free) and isinstance(log, Iterator):
        raise InputError(
            "robust losses, motions that are estimated and unknown motor constants read the log several times, an "
            "iterator can be read once",
            fix="give a list of logs, or neither",
        )
    estimator = Estimator.of(eqs, options.filter, options.loss) if options.estimates_motion else None
    given = {joint: 1.0 if value is None else value for joint, value in constants.items()}
    one, found = Reading(robot, log, given, touching, eqs, options), None
    if free:
        found = _constants(one, free)
        one = replace(one, constants=given | found.values)
    fit, acc, kept = _fitted(one, start, estimator, SEARCHES if repeats else 0)
    if found is not None:
        fit = replace(fit, covariance=fit.covariance + found.slopes @ found.covariance @ found.slopes.T)
    say("finding real bodies")

    def bodies(part: float) -> Consistent:
        noise, weight = fit.R @ fit.covariance @ fit.R.T, part * options.prior_weight
        return consistent(robot, eqs.parameters, fit.R @ eqs.base.map, fit.y, noise, priors, weight)

    whole = bodies(1.0)
    held = acc.others or merged(acc.leaves)
    torque = _left(eqs, acc, held, np.zeros(eqs.base.rank))
    left, robot_left = (_left(eqs, acc, held, values) for values in (fit.values, eqs.base.map @ whole.values))
    unexcited = _unexcited(eqs, fit)
    Y, tau = eqs.at(kept)
    evidence = Evidence(eqs, fit, len(acc.leaves), start, kept, Y, tau, torque, left, robot_left)
    return Identified(
        robot=identified_robot(robot, eqs.parameters, whole.values),
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


def _fitted(
    one: Reading, start: Float[np.ndarray, " k"], estimator: Estimator | None, searches: int
) -> tuple[Fit, Accumulator, Samples]:
    """Fit parameters; read the log again, at most so many times, until weights and motions no longer move them."""
    rows, most = len(one.eqs.rows), STEADY[estimator is not None]
    fit, acc, kept = one.fit(None, start)
    for again in range(searches):
        before, one = fit, replace(one, phase=f"reading the log again ({again + 1})")
        one = one if estimator is None else replace(one, motion=estimator.at(fit.values, fit.noise[:rows]))
        fit, acc, kept = one.fit(before, start)
        sigma = np.sqrt(np.maximum(np.diag(fit.covariance), 1e-300))
        if (np.abs(fit.values - before.values) <= most * sigma + 1e-12).all():
            break
    return fit, acc, kept


def _constants(one: Reading, joints: tuple[str, ...]) -> TorqueConstants:
    """Return unknown motor constants; a pass has one for each. Raises InputError where they are not of joints."""
    robot = one.robot
    for joint in joints:
        if joint not in one.eqs.rows or robot.is_closed or one.contacts:
            raise InputError(
                f"the motor constant of {joint!r} cannot be unknown",
                why="this is for joints of one coordinate, without loops and unknown wrenches",
                fix="give its value",
            )
    say("finding motor constants")
    two = replace(one, constants=dict(one.constants) | dict.fromkeys(joints, 2.0))
    pairs = zip((b for _, b in one.samples()), (b for _, b in two.samples()), strict=True)
    return torque_constants(one.eqs, pairs, joints)


def _left(eqs: Equations, acc: Accumulator, held: Leaf, values: Float[np.ndarray, " rank"]) -> dict[str, float]:
    """Return of each coordinate the root mean square of what values leave of torques that were held out."""
    z, found = np.append(values, -1.0), {}
    for name, R, own, count in zip(eqs.rows, held.triangles, acc.columns, held.counts, strict=False):
        found[name] = float(np.linalg.norm(R @ z[own]) / np.sqrt(max(count, 1)))
    return found


def _unexcited(eqs: Equations, fit: Fit) -> tuple[str, ...]:
    return tuple(text for text, part in zip(eqs.base.expressions, fit.unseen, strict=True) if part > DARK)


def identified_robot(robot: Robot, parameters: Sequence[Parameter], values: Float[np.ndarray, " k"]) -> Robot:
    """Return the robot with values of parameters; levels of friction are written to the joints."""
    ends = np.cumsum([len(p.nominal(robot)) for p in parameters])
    own = dict(zip(parameters, np.split(values, ends[:-1]), strict=True))
    found = with_values(robot, {p: v for p, v in own.items() if p.kind != "friction"})
    level = {p.part: float(v[0]) for p, v in own.items() if p.kind == "friction"}
    joints = tuple(replace(j, friction=level[j.name]) if j.name in level else j for j in found.joints)
    return replace(found, joints=joints)
