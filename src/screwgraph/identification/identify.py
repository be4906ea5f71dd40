"""Identification: a log becomes equations, equations triangles, triangles parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.doing import say
from screwgraph.dynamics import inverse_dynamics
from screwgraph.errors import InputError
from screwgraph.identification.acting import Contact, contacts_of
from screwgraph.identification.consistent import consistent, prior_values
from screwgraph.identification.equations import Equations, equations
from screwgraph.identification.filtering import Filter, Samples
from screwgraph.identification.least_squares import Fit, fitted
from screwgraph.identification.log import recordings
from screwgraph.identification.motion import Estimated
from screwgraph.identification.result import Identified
from screwgraph.identification.torque_constants import TorqueConstants, torque_constants
from screwgraph.identification.triangles import LEAVES, Accumulator, merged
from screwgraph.optimize.losses import LOSSES
from screwgraph.robot import Robot
from screwgraph.robot.parameters import Parameter, with_values

BLOCK = 500
"""Samples of a block of equations: as many as the fast memory holds."""
SHORTEST = 20
"""Samples of a block at least, so that blocks of time differ by noise of their own."""
PICTURED = 2000
"""Samples that pictures show."""
SEARCHES = 20
"""Times that weights of a robust loss are found anew, at most."""
DARK = 1e-6
"""Part of a combination's direction that the motion does not show, from which on its value is not claimed."""
STEADY = 1e-3
"""Part of a standard deviation by which weights of a robust loss still move parameters."""


@dataclass(frozen=True)
class Options:
    """How a log is read and fitted: its filter, every which block is held out, the robust loss.

    With `estimates_motion`, the motion is estimated with the parameters, beginning with the filtered one.
    """

    filter: Filter
    held_out: int = 5
    loss: str | None = None
    prior_weight: float = 1.0
    estimates_motion: bool = False


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
    motion = _Motion(eqs, payload) if options.estimates_motion else None
    given = {joint: 1.0 if value is None else value for joint, value in constants.items()}
    one, found = _Pass(robot, log, given, touching, eqs, options), None
    if free:
        found = _constants(one, free)
        one = replace(one, constants=given | found.values)
    fit, acc, kept = one.run(None, start)
    for again in range(SEARCHES if repeats else 0):
        before, one = fit, replace(one, phase=f"reading the log again ({again + 1})")
        one = one if motion is None else replace(one, motion=motion.estimated(options.filter, fit))
        fit, acc, kept = one.run(before, start)
        moved = np.abs(fit.values - before.values)
        if (moved <= STEADY * np.sqrt(np.maximum(np.diag(fit.covariance), 1e-300)) + 1e-12).all():
            break
    if found is not None:
        fit = replace(fit, covariance=fit.covariance + found.slopes @ found.covariance @ found.slopes.T)
    say("finding real bodies")
    whole = consistent(robot, eqs.parameters, fit.R @ eqs.base.map, fit.y, priors, options.prior_weight)
    values = whole.values
    rms, validation = _validated(acc, eqs, fit)
    Y, tau = eqs.at(kept)
    return Identified(
        robot=identified_robot(robot, eqs.parameters, values),
        base=eqs.base,
        base_values=fit.values,
        base_covariance=fit.covariance,
        values=values,
        covariance=whole.covariance,
        noise=dict(zip(eqs.rows, fit.noise.tolist(), strict=True)),
        validation=validation,
        torque=rms,
        condition=fit.condition,
        samples=max(sum(leaf.counts[i] for leaf in acc.leaves) for i in range(len(eqs.rows))),
        unexcited=_unexcited(eqs, fit),
        t=kept.t,
        measured=tau,
        predicted=Y @ fit.values,
        motor_constants={} if found is None else found.values,
        motor_constants_sigma={} if found is None else found.sigma,
    )


def _constants(one: _Pass, joints: tuple[str, ...]) -> TorqueConstants:
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
    pairs = zip((b for _, b in one.blocks()), (b for _, b in two.blocks()), strict=True)
    return torque_constants(one.eqs, pairs, joints)


@dataclass(frozen=True, eq=False)
class _Pass:
    """One reading of a log."""

    robot: Robot
    log: Any
    constants: Mapping[str, float]
    contacts: tuple[Contact, ...]
    eqs: Equations
    options: Options
    motion: Estimated | None = None
    phase: str = "reading the log"

    def run(self, before: Fit | None, start: Float[np.ndarray, " rank"]) -> tuple[Fit, Accumulator, Samples]:
        """Fit all blocks; where something was found `before`, by the weights that a robust loss gives residuals."""
        columns = _columns(self.eqs)
        acc, kept = Accumulator(columns, self.options.held_out), []
        for share, samples in self.blocks():
            Y, tau = self.eqs.at(samples)
            if before is not None and self.options.loss is not None:
                weight = _weights(self.options.loss, (tau - Y @ before.values) / before.noise)
                Y, tau = Y * weight[:, :, None], tau * weight
            acc.add(Y, tau)
            kept.append(Samples(*(x[:: max(1, len(x) // 20)] for x in samples)))
            if len(kept) * 20 > 2 * PICTURED:
                kept = kept[::2]
            say(self.phase, share)
        leaves = acc.finish()
        counts = [sum(leaf.counts[i] for leaf in leaves) for i in range(len(columns))]
        if sum(counts) <= self.eqs.base.rank:
            raise InputError(
                f"the log gives {sum(counts)} equations for {self.eqs.base.rank} combinations of parameters",
                fix="give a longer log, or fewer parameters",
            )
        fit = fitted(leaves, columns, start)
        whole = Samples(*(np.concatenate(x) for x in zip(*kept, strict=True)))
        return fit, acc, whole

    def blocks(self) -> Iterator[tuple[float | None, Samples]]:
        """Yield blocks of samples, and the share of the log that was read before each, where its length is known."""
        runs = len(self.log) if isinstance(self.log, Sequence) and not isinstance(self.log, str) else 1
        total = None if isinstance(self.log, Iterator) else float(runs)
        for number, run in enumerate(recordings(self.robot, self.log, self.constants, self.contacts)):
            read = 0
            size = int(np.clip(len(run.q) // LEAVES, SHORTEST, BLOCK))
            for piece in (self.motion or self.options.filter).pieces(self.robot, run):
                for low in range(0, len(piece.t), size):
                    block = Samples(*(x[low : low + size] for x in piece))
                    yield None if total is None else (number + read / len(run.q)) / total, block
                    read += len(block.t)


class _Motion:
    """Code that estimates motions for parameters. Raises InputError where positions are on no vector space."""

    def __init__(self, eqs: Equations, payload: str | None) -> None:
        robot = eqs.robot
        reasons = {
            "its positions have quaternions, which a spline of each coordinate leaves": robot.nq != robot.nv,
            "it is a closed chain: splines of all joints would open its loops": robot.is_closed,
            "wrenches at contacts are unknown": eqs.eliminated is not None,
        }
        why = next((reason for reason, holds in reasons.items() if holds), None)
        if why:
            raise InputError(
                f"the motion of {robot.name!r} is not estimated with its parameters",
                why=why,
                fix='leave motion="filtered", with a cutoff (Hz); or estimate the motion first, by sg.estimate with '
                "sensors joint_position and independent joints as inputs, and give the log its q, qd and qdd",
            )
        live = [p.name for p in eqs.parameters]
        self.eqs, self.torques = eqs, inverse_dynamics(robot, parameters=live, payload=payload)
        self.slopes = self.torques.jacobian("q", "qd", "qdd")

    def estimated(self, filter: Filter, fit: Fit) -> Estimated:
        """Return what estimates motions for the parameters of a fit."""
        values = np.zeros(len(self.eqs.base.labels))
        values[list(self.eqs.base.independent)] = fit.values
        return Estimated(filter, self.torques, self.slopes, values, fit.noise)


def _weights(loss: str, whitened: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
    square = np.where(np.isfinite(whitened), whitened, 0.0) ** 2
    return np.sqrt(LOSSES[loss].weight(square))


def _columns(eqs: Equations) -> tuple[np.ndarray, ...]:
    """Return which combinations the torques of each coordinate depend on, as `base` says; torques themselves last."""
    return tuple(np.append(seen, True) for seen in eqs.seen)


def _validated(acc: Accumulator, eqs: Equations, fit: Fit) -> tuple[dict[str, float], dict[str, float]]:
    """Return of each coordinate the root mean square of torques held out, and of what is unexplained of them."""
    held = acc.others or merged(acc.leaves)
    z, rms, left = np.append(fit.values, -1.0), {}, {}
    for name, R, own, count in zip(eqs.rows, held.triangles, acc.columns, held.counts, strict=True):
        root = np.sqrt(max(count, 1))
        rms[name] = float(np.linalg.norm(R[:, -1]) / root)
        left[name] = float(np.linalg.norm(R @ z[own]) / root)
    return rms, left


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
