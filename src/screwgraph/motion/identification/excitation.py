"""Motions that show as much of a model's parameters as can be: finite Fourier series within its limits.

Positions are q = offset + sum of a_k sin(k w t) + b_k cos(k w t), which begin and end at rest; each joint's series is
as large as its limits of position, velocity and acceleration let it be. Swevers et al. (1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.mechanics.dynamics import BaseParameters
from screwgraph.model.model import Model
from screwgraph.motion.identification.models import MODELS, CoordinateLimits, IdentifiedModel
from screwgraph.motion.simulation import Trajectory

DENSE = 20
"""Samples of the period of the highest harmonic."""
MARGIN = 0.98
"""Part of a limit that samples may reach: between samples a sine of the highest harmonic is 1.2 % higher at most."""
NORM = 30.0
"""Order of the norm over samples that stands for the largest of them, and is larger by less than a fifth."""
TURN = np.pi
"""Largest position (rad, m) of joints without limits; more than a turn shows nothing new."""
STEP = 1e-5
"""Central differences of the regressor: their error is about 1e-10 of it."""
PUNISHED = 1e3
"""Weight of squares of torques beyond limits, relative to these, beside logarithms."""
TIGHTER = (0.98, 0.93, 0.85)
"""Parts of the torque limits that searches try to keep, one after the other."""
STEPS = 150
BLOCKED = 1e9
"""Cost of motions that a mechanism cannot follow."""
NARROWER = (1.0, 0.7, 0.5, 0.35, 0.2)
"""Parts of ranges of single coordinates that are tried, since a mechanism may not be able to move all at once."""
OBJECTIVES = ("information", "condition")


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that excites parameters: `run` has states and torques of one period.

    `condition` is the condition number of its equations, rows relative to the limits of torques, columns of unit
    length; `information` the logarithm of the determinant of the information matrix of these rows (SI units). `base`
    are the combinations that it shows.
    """

    run: Trajectory
    base: BaseParameters
    condition: float
    information: float

    def __repr__(self) -> str:
        return (
            f"<excitation of {self.run.model.name!r}: {self.base.rank} combinations, condition {self.condition:.3g}, "
            f"{self.run.t[-1]:g} s>"
        )


@dataclass(frozen=True, eq=False)
class _Limits:
    middle: Float[np.ndarray, " n"]
    reach: Float[np.ndarray, " n"]
    velocity: Float[np.ndarray, " n"]
    acceleration: Float[np.ndarray, " n"]
    effort: Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class _Series:
    """Values and derivatives of the series (N, p) at N times, in coordinates in which motions begin at rest."""

    t: Float[np.ndarray, " N"]
    values: Float[np.ndarray, "N p"]
    rates: Float[np.ndarray, "N p"]
    accelerations: Float[np.ndarray, "N p"]


def _make_reporter(number: int) -> Callable[[np.ndarray], None]:
    """Return what says in which iteration of which search we are."""
    steps = count(1)

    def report_iteration(x: np.ndarray) -> None:
        step = next(steps)
        report_progress(
            f"optimising the motion, search {number + 1} of at most {len(TIGHTER)}, iteration {step}", step / STEPS
        )

    return report_iteration


@check_arguments
def excitation(
    robot: Model,
    parameters: Sequence[str] | None = None,
    *,
    payload: str | None = None,
    period: float = 10.0,
    harmonics: int = 5,
    objective: str = "information",
    velocity: float | None = None,
    acceleration: float | None = None,
    seed: int = 0,
    points: int | None = None,
) -> Excitation:
    """Plan a periodic motion within limits whose torques show a model's parameters as well as can be, for `identify`.

    Joints move by finite Fourier series, from rest to rest, within the file's limits of position and velocity, which
    hold at all times, and of torque, by the file's parameters. A local search (L-BFGS) begins at a random motion.
    Obstacles, and the robot itself, are not regarded: check `run` with `minimal_distance`. Swevers et al. (1997).

    Args:
        robot: a tree with a fixed base and joints of one coordinate; or a mechanism, planar or spatial, with as many
            motors as degrees of freedom, whose coordinates move where it can be assembled.
        parameters: as for `regressor`, by default all inertias, and armatures and dampings of the file.
        payload: the frame of an unknown body.
        period: of the motion (s).
        harmonics: of the series, 2 or more.
        objective: "information" (the largest determinant of the information matrix), or "condition" (the smallest
            condition number of the equations), with torques relative to their limits.
        velocity: a limit for all joints (rad/s, m/s), beside those of the file.
        acceleration: a limit for all joints (rad/s^2, m/s^2).
        seed: of the random motion.
        points: samples of the motion, by default twenty for each period of the highest harmonic.

    Raises:
        InputError: loops of joints, floating bases, coordinates without a limit of velocity, or torques that exceed
            their limits.
    """
    from scipy.optimize import minimize

    for name, value in (("period", period), ("velocity", velocity), ("acceleration", acceleration)):
        if value is not None and not (value > 0.0 and math.isfinite(value)):
            raise InputError(f"{name} is {value:g}", fix="give a positive number")
    for name, value, least in (("harmonics", harmonics, 2), ("points", points, 2), ("seed", seed, 0)):
        if value is not None and not least <= value <= 10**6:
            raise InputError(f"{name} is {value}", fix=f"give {least} or more, a million at most")
    if objective not in OBJECTIVES:
        raise InputError(f"there is no objective {objective!r}", fix=f"choose one of {', '.join(OBJECTIVES)}")
    bounds = (None if limit is None else float(limit) for limit in (velocity, acceleration))
    model: IdentifiedModel = MODELS[robot.kind](robot)
    own = model.limits()
    period, limits = float(period), _limits(own, *bounds)
    law = model.law(parameters, payload)
    base, follow = law.base, model.follower()
    nominal = np.concatenate([unknown.nominal for unknown in law.unknowns])

    def equations(*motion: np.ndarray) -> np.ndarray:
        return law.slopes(*follow(*motion))[:, law.free][:, :, list(base.independent)]

    def torques(*motion: np.ndarray) -> np.ndarray:
        return law.torques(*follow(*motion), np.tile(nominal, (len(motion[0]), 1)))[:, law.free]

    series = _series(period, harmonics, DENSE * harmonics)
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((len(own.names), series.values.shape[1] + 1))
    start, limits = _find_start(x, series, limits, torques)
    weight = 1.0 / _sizes(torques(*start), limits)
    columns = np.maximum(np.linalg.norm(_flat(equations(*start) * weight[:, None]), axis=0), 1e-12)
    for number, part in enumerate(TIGHTER):
        search = _Search(equations, torques, series, limits, weight, columns, objective, part * limits.effort)
        options, told = {"maxiter": STEPS}, _make_reporter(number)
        found = minimize(search.cost, x.ravel(), jac=True, method="L-BFGS-B", options=options, callback=told)
        x = found.x.reshape(x.shape)
        t, motion = _motion_at(x, period, harmonics, points, limits)
        tau = torques(*motion)
        if (np.abs(tau) <= limits.effort).all():
            break
    else:
        place = int(np.argmax(np.abs(tau).max(axis=0) / limits.effort))
        raise InputError(
            f"no motion was found within the torque limit of {own.names[place]}",
            why=f"{np.abs(tau[:, place]).max():.3g} N m, N are needed, {limits.effort[place]:.3g} allowed",
            fix="give a longer period, or smaller velocities",
        )
    Y = _flat(equations(*motion) * weight[:, None])
    values = np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)
    information = float(np.linalg.slogdet(Y.T @ Y)[1])
    run = Trajectory(robot, "excitation", t, *follow(*motion), tau)
    return Excitation(run, base, float(values[0] / max(values[-1], 1e-300)), information)


@dataclass(frozen=True, eq=False)
class _Search:
    equations: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    torques: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    series: _Series
    limits: _Limits
    weight: Float[np.ndarray, " n"]
    columns: Float[np.ndarray, " k"]
    objective: str
    effort: Float[np.ndarray, " n"]

    def cost(self, x: Float[np.ndarray, " d"]) -> tuple[float, Float[np.ndarray, " d"]]:
        """Return the cost of coefficients and its gradient.

        The cost depends on equations Y and torques, whose slopes by these are fixed: one scalar a sample then has the
        derivatives by its position, velocity and acceleration.
        """
        own = x.reshape(len(self.weight), -1)
        q, qd, qdd, back = _motion(own, self.series, self.limits)
        scale = self.weight[:, None] / self.columns
        try:
            Y, tau = self.equations(q, qd, qdd) * scale, self.torques(q, qd, qdd)
        except InputError:  # blocked on the way: the line search takes a shorter step
            return BLOCKED, np.zeros(len(x))
        value, dY = _objective(_flat(Y), self.objective)
        dY = dY.reshape(Y.shape) * scale
        beyond = np.maximum(np.abs(tau) / self.effort - 1.0, 0.0)
        dtau = 2.0 * PUNISHED * beyond * np.sign(tau) / self.effort
        slopes = [np.empty_like(q) for _ in range(3)]
        # Central differences of torques and equations along q_j, qd_j, qdd_j of all samples at once: one call a side.
        for k in range(3):
            for j in range(q.shape[1]):
                sides = []
                for step in (STEP, -STEP):
                    moved = [q, qd, qdd]
                    moved[k] = moved[k].copy()
                    moved[k][:, j] += step
                    change = np.einsum("nij,nij->n", self.equations(*moved), dY)
                    sides.append(change + (self.torques(*moved) * dtau).sum(axis=1))
                slopes[k][:, j] = (sides[0] - sides[1]) / (2.0 * STEP)
        return value + PUNISHED * float((beyond**2).sum()), back(*slopes).ravel()


def _objective(Y: Float[np.ndarray, "m k"], name: str) -> tuple[float, Float[np.ndarray, "m k"]]:
    """Return the logarithm of the condition number, or of the determinant's inverse, and the slopes by Y."""
    U, S, Vt = np.linalg.svd(Y, full_matrices=False)
    S = np.maximum(S, 1e-12 * S[0])
    if name == "condition":
        return float(np.log(S[0] / S[-1])), np.outer(U[:, 0], Vt[0]) / S[0] - np.outer(U[:, -1], Vt[-1]) / S[-1]
    return -2.0 * float(np.log(S).sum()), -2.0 * (U / S) @ Vt


def _limits(own: CoordinateLimits, velocity: float | None, acceleration: float | None) -> _Limits:
    """Return limits of all coordinates, at most a turn. Raises InputError where there is none of a velocity."""
    low, high = np.maximum(own.lower, -TURN), np.minimum(own.upper, TURN)
    fast = np.minimum(own.velocity, np.inf if velocity is None else velocity)
    still = [n for n, a, b, v in zip(own.names, low, high, fast, strict=True) if not (a < b and v > 0.0)]
    if still:
        raise InputError(f"the limits of {still[0]} let it not move", fix="lock it, or correct its limits")
    if not np.isfinite(fast).all():
        name = own.names[int(np.argmin(np.isfinite(fast)))]
        raise InputError(f"{name} has no velocity limit", fix="give velocity= (rad/s, m/s)")
    quick = np.full(len(low), np.inf if acceleration is None else acceleration)
    return _Limits((low + high) / 2.0, MARGIN * (high - low) / 2.0, MARGIN * fast, MARGIN * quick, own.effort)


def _find_start(
    x: Float[np.ndarray, "n p1"],
    series: _Series,
    limits: _Limits,
    torques: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], _Limits]:
    """Return the first motion, and ranges within which it can be followed. Raises InputError where there are none."""
    for part in NARROWER:
        narrow = replace(limits, reach=part * limits.reach)
        q, qd, qdd, _ = _motion(x, series, narrow)
        try:
            torques(q, qd, qdd)
        except InputError:
            if part == NARROWER[-1]:
                raise
        else:
            break
    return (q, qd, qdd), narrow


def _sizes(tau: Float[np.ndarray, "N n"], limits: _Limits) -> Float[np.ndarray, " n"]:
    """Return what noise of torques is proportional to: limits, and where there are none torques."""
    return np.where(np.isfinite(limits.effort), limits.effort, np.maximum(np.abs(tau).max(axis=0), 1e-6))


def _series(period: float, harmonics: int, samples: int) -> _Series:
    from scipy.linalg import null_space

    t = np.linspace(0.0, period, samples + 1)
    w = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    values = np.hstack([sine, cosine])
    rates, accelerations = np.hstack([cosine * w, -sine * w]), np.hstack([-sine * w * w, -cosine * w * w])
    at_rest = null_space(np.array([rates[0] / w.max(), accelerations[0] / w.max() ** 2]))
    return _Series(t, values @ at_rest, rates @ at_rest, accelerations @ at_rest)


def _motion(x: Float[np.ndarray, "n p1"], series: _Series, limits: _Limits) -> tuple:
    """Return q, qd, qdd (N, n) within limits, and what makes slopes by coefficients of slopes by these.

    A joint's series c is divided by a norm s(c) of all its values over their limits, of which 1 is the largest; its
    offset takes a part of the room that is left.
    """
    c, room = x[:, :-1], np.tanh(x[:, -1])
    bases = np.stack([series.values, series.rates, series.accelerations])  # (3, N, p)
    bound = np.stack([limits.reach, limits.velocity, limits.acceleration])  # (3, n)
    shares = np.einsum("bsp,np->bns", bases, c) / bound[:, :, None]
    most = np.abs(shares).max(axis=(0, 2))
    # A p-norm, a smooth bound of the maximum: shares are scaled by the largest, so that no power overflows.
    powers = (np.abs(shares) / most[:, None]) ** NORM
    size = most * powers.sum(axis=(0, 2)) ** (1.0 / NORM)
    unit = c / size[:, None]
    q, qd, qdd = (basis @ unit.T for basis in bases)
    reach = np.einsum("sp,np->ns", series.values, unit)
    widest = np.abs(reach).max(axis=1)
    where = np.abs(reach).argmax(axis=1)
    sign = np.sign(reach[np.arange(len(where)), where])
    left = np.maximum(limits.reach - widest, 0.0)
    q = q + limits.middle + room * left

    def back(dq: np.ndarray, dqd: np.ndarray, dqdd: np.ndarray) -> np.ndarray:
        """Chain rule, backward."""
        shift = dq.sum(axis=0)
        dunit = dq.T @ series.values + dqd.T @ series.rates + dqdd.T @ series.accelerations
        # The rest of a joint's range shrinks as the widest value of its series grows.
        dunit -= (shift * room * (left > 0.0) * sign)[:, None] * series.values[where]
        slope = powers * np.sign(shares) / np.maximum(np.abs(shares), 1e-300) / bound[:, :, None]
        dsize = np.einsum("bns,bsp->np", slope, bases) * (size / powers.sum(axis=(0, 2)))[:, None]
        dc = dunit / size[:, None] - ((dunit * unit).sum(axis=1) / size)[:, None] * dsize
        return np.hstack([dc, (shift * left * (1.0 - room**2))[:, None]])

    return q, qd, qdd, back


def _motion_at(
    x: Float[np.ndarray, "n p1"], period: float, harmonics: int, points: int | None, limits: _Limits
) -> tuple[Float[np.ndarray, " N"], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the motion at its samples, or as many as are asked for: the same series, divided by the same norm."""
    coarse = _series(period, harmonics, DENSE * harmonics)
    fine = coarse if points is None else _series(period, harmonics, points - 1)
    q, qd, qdd, _ = _motion(x, coarse, limits)
    if points is not None:
        unit = np.linalg.lstsq(coarse.rates, qd, rcond=None)[0]
        q = q[0] + (fine.values - coarse.values[0]) @ unit
        qd, qdd = fine.rates @ unit, fine.accelerations @ unit
    return fine.t, (q, qd, qdd)


def _flat(Y: Float[np.ndarray, "N n k"]) -> Float[np.ndarray, "m k"]:
    return Y.reshape(-1, Y.shape[-1])
