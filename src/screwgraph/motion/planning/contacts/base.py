"""What contacts have in common: cones, holding on, staying above the ground.

A standing foot lacks rows of its laws that given states imply: these would make the equations singular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.argument_checks import convert_numbers, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.motion.planning.contacts.contact_constraints import (
    ContactHeight,
    FootholdError,
    NoSlip,
    ZeroContactAcceleration,
    ZeroContactVelocity,
)
from screwgraph.motion.planning.contacts.foot import Foot, Triple
from screwgraph.motion.planning.contacts.stance import Stance, list_open_points, split_runs
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables, each, equality, hinge, inequality

LEVELS = ("auto", "position", "velocity", "acceleration")

ON_GROUND = 1e-4
"""How far (m) from the ground a foot may be where a position is given and the foot stands."""


class ContactSettings(Protocol):
    """Variables and parameters that the laws of a contact depend on."""

    @property
    def frame(self) -> str: ...
    @property
    def ground(self) -> float: ...
    @property
    def at(self) -> Any: ...
    @property
    def level(self) -> str: ...
    @property
    def settling(self) -> float: ...
    @property
    def clearance(self) -> bool: ...
    @property
    def swing(self) -> float: ...


def validate_positive(what: str, value: Any) -> float:
    """Return a number that is positive. Raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
        raise InputError(f"{what} is {value!r}", why="it must be positive")
    return float(value)


def normalise_direction(normal: Sequence[float], what: str = "the normal") -> Triple:
    """Return a direction of length 1. Raises InputError."""
    try:
        n = convert_numbers(normal)
    except (TypeError, ValueError):
        n = np.zeros(0)
    if n.shape != (3,) or not np.isfinite(n).all() or np.linalg.norm(n) < 1e-9:
        raise InputError(f"{what} is {normal!r}", fix="give three numbers, not all zero, as [0, 0, 1]")
    x, y, z = (n / np.linalg.norm(n)).tolist()
    return x, y, z


def make_cone_factors(
    template: Any, forces: Variables, sigma: float | None, threshold: float, name: str, **parameters: Any
) -> Factors:
    """Return a cone as hard factors, or as hinges. Xie et al. (2020), V-C."""
    if sigma is None:
        return inequality(template, forces, name=f"{name}: friction", **parameters)
    return hinge(template, forces, sigma=sigma, threshold=threshold, name=f"{name}: friction", **parameters)


def make_contact_factors(
    steps: TrajectoryUnknowns, foot: Foot, runs: Sequence[Stance], contact: ContactSettings, name: str
) -> Iterable[Factors]:
    """Return the laws of a foot that stands during some runs and is above the ground at other times.

    Rows that repeat what given states already say are left out, so that the constraints stay independent.

    Raises:
        InputError: a given position leaves the foot in the air or below the ground, or a number is wrong.
    """
    level = _level(steps, contact)
    places = _footholds(contact, foot, runs)
    grounds = np.array([contact.ground if at is None else at @ foot.surface[:, 2] for at in places])
    for run, ground, at in zip(runs, grounds, places, strict=True):
        _check(steps, foot, run, float(ground), at)
    yield from _set_down(steps, foot, runs, grounds, places, level, name)
    if level == "position":
        yield from _not_displaced(steps, foot, runs, grounds, name)
    else:
        yield from _not_moving(steps, foot, runs, grounds, places, contact, level, name)
    free = np.setdiff1d(list_open_points(steps, runs), list(steps.given["q"]))
    low = each(find_swing_heights(steps, foot, runs, grounds, contact)[free]) if contact.swing else contact.ground
    if contact.clearance and len(free):
        yield inequality(ContactHeight(foot, -1.0), steps.q[free], ground=low, name=f"{name}: clearance")


def find_swing_heights(
    steps: TrajectoryUnknowns,
    foot: Foot,
    runs: Sequence[Stance],
    grounds: Float[np.ndarray, " n"],
    contact: ContactSettings,
) -> Float[np.ndarray, " K"]:
    """Return how high (m) along the normal a foot that swings must be at least at each point of time.

    It rises by swing sin^2(pi s) above the line between the heights where the foot leaves and where it is set
    down, s being the part of its time in the air. Of a foot that is in the air at the start only the ground is asked.

    Raises:
        InputError: the swing is no height, or clearance is off.
    """
    swing = validate_positive(f"swing of {contact.frame!r}", contact.swing)
    if not contact.clearance:
        raise InputError(f"{contact.frame!r} has a swing of {swing:g} m, but no clearance", fix="leave one of them out")
    standing = np.concatenate([run.points for run in runs])
    levels = np.repeat(grounds, [len(run.points) for run in runs])
    low = np.interp(steps.times, steps.times[standing], levels)
    for part in split_runs(list_open_points(steps, runs).tolist()):
        if part[0] == 0 and _is_in_the_air(steps, foot, low[0]):
            continue
        first, last = max(part[0] - 1, 0), min(part[-1] + 1, len(low) - 1)
        s = (steps.times[part] - steps.times[first]) / (steps.times[last] - steps.times[first])
        low[part] += swing * np.sin(np.pi * s) ** 2
    return low


def _is_in_the_air(steps: TrajectoryUnknowns, foot: Foot, ground: float) -> bool:
    if steps.is_measured:
        return True
    q = steps.asked_of(0)
    return q is not None and float(np.min(foot.heights(q))) - ground > ON_GROUND


def _level(steps: TrajectoryUnknowns, contact: ContactSettings) -> str:
    if contact.level not in LEVELS:
        raise InputError(f"level {contact.level!r}", fix=f"choose one of {', '.join(LEVELS)}")
    validate_positive(f"settling of {contact.frame!r}", contact.settling)
    if contact.level != "auto":
        return contact.level
    return "position" if steps.is_open else "velocity"


def _footholds(contact: ContactSettings, foot: Foot, runs: Sequence[Stance]) -> list[Float[np.ndarray, "3"] | None]:
    """Return where the foot is set down each time: the point of the ground below its centre."""
    if contact.at is None:
        return [None] * len(runs)
    at = validate_numbers(f"footholds of {contact.frame!r}", contact.at)
    if at.shape == (3,):
        at = np.tile(at, (len(runs), 1))
    if at.shape != (len(runs), 3) or not np.isfinite(at).all():
        raise InputError(
            f"footholds of {contact.frame!r} have the shape {np.shape(contact.at)}",
            why=f"number of touchdowns: {len(runs)}",
            fix=f"give (3,) or ({len(runs)}, 3)",
        )
    return list(at)


def _check(
    steps: TrajectoryUnknowns, foot: Foot, run: Stance, ground: float, at: Float[np.ndarray, "3"] | None
) -> None:
    """See that given positions of a run leave the foot on the ground. Raises InputError."""
    for point in run.points:
        q = steps.asked_of(int(point))
        if q is None:
            continue
        high = np.array(foot.heights(q)).ravel() - ground
        worst = float(high[np.abs(high).argmax()])
        when = f"at t = {steps.times[point]:.6g} s"
        if abs(worst) > ON_GROUND:
            side = "above" if worst > 0 else "below"
            raise InputError(
                f"{when} the foot {foot.frame!r} is in contact, but {abs(worst):.3g} m {side} the ground",
                why="the position there is given",
                fix="change that position, the ground, or the phases of this contact",
            )
        if at is not None:
            off = float(np.abs(np.array(FootholdError(foot)(q, at=at))).max())
            if off > ON_GROUND:
                raise InputError(
                    f"{when} the foot {foot.frame!r} is {off:.3g} m away from its foothold",
                    why="the position there is given",
                )


def _set_down(
    steps: TrajectoryUnknowns, foot: Foot, runs: Any, grounds: np.ndarray, places: Any, level: str, name: str
) -> Iterable[Factors]:
    """Return what holds where a foot is set down: it is on the ground, at its foothold, and in a smooth way at rest."""
    is_known = is_anchored if level == "position" else is_touchdown_given
    new = [i for i, run in enumerate(runs) if not is_known(steps, run)]
    if not new:
        return
    first = steps.q[np.array([runs[i].first for i in new])]
    if level != "position":
        yield equality(ContactHeight(foot), first, ground=each(grounds[new]), name=f"{name}: on the ground")
    if places[0] is not None:
        at = each(np.array([places[i] for i in new]))
        yield equality(FootholdError(foot), first, at=at, name=f"{name}: foothold")


def is_anchored(steps: TrajectoryUnknowns, run: Stance) -> bool:
    """Whether a given position says where the foot stands."""
    return any(int(p) in steps.given["q"] for p in run.points)


def is_touchdown_given(steps: TrajectoryUnknowns, run: Stance) -> bool:
    """Whether the position in which the foot is set down is given."""
    return run.first in steps.given["q"]


def list_static_points(steps: TrajectoryUnknowns) -> set[int]:
    """Return points at which nothing moves: where velocities lead to positions, these are those of the point before."""
    return {p for p, qd in steps.given["qd"].items() if p and not qd.any()} if steps.is_open else set()


def list_tied_points(steps: TrajectoryUnknowns, run: Stance) -> list[int]:
    """Return the points of a run that are tied to the point before; given ones are, but for the first of them."""
    given, found, known = steps.given["q"], [], 0
    for p in run.points.tolist():
        known += p in given
        if p != run.first and not (p in given and known > 1):
            found.append(p)
    return found


def list_undecided_points(
    steps: TrajectoryUnknowns, points: Int[np.ndarray, " k"], samples: Int[np.ndarray, " m"] | None = None
) -> tuple[list[int], list[int]]:
    """Return points of a run at which velocities are constrained to vanish, or samples, of accelerations.

    First those at which all of them are, then those at which only what slides is. Where states are given later than at
    the first point, the last ones before follow: from a given velocity the acceleration or velocity there, from a given
    position one more. But the first given position does not say that the foot has not slid before.
    """
    q, qd, first = steps.given["q"], steps.given["qd"], int(points[0])
    later = [int(p) for p in points if int(p) in q and int(p) != first]
    new = later[0] if later and first not in q else None

    def list_remaining(position_counts: Callable[[int], bool]) -> list[int]:
        kept = points.tolist() if samples is None else samples.tolist()
        for p in points.tolist():
            follow = (p in qd) and (p != first or samples is None)
            many = follow + (p in q and p != first and position_counts(p))
            before = [m for m in kept if (m if samples is None else steps.points[m]) <= p]
            implied = set(before[len(before) - many :])
            kept = [m for m in kept if m not in implied]
        return kept

    whole = list_remaining(lambda p: True)
    return whole, [m for m in list_remaining(lambda p: p != new) if m not in whole]


def _not_displaced(
    steps: TrajectoryUnknowns, foot: Foot, runs: Any, grounds: np.ndarray, name: str
) -> Iterable[Factors]:
    given, resting = steps.given["q"], list_static_points(steps)
    points = [
        [int(p) for p in run.points if int(p) not in given and (int(p) not in resting or int(p) == run.first)]
        for run in runs
    ]
    levels = np.repeat(grounds, [len(p) for p in points])
    lying = np.array([p for part in points for p in part], dtype=int)
    if len(lying):
        yield equality(ContactHeight(foot), steps.q[lying], ground=each(levels), name=f"{name}: on the ground")
    later = np.array([p for run in runs for p in list_tied_points(steps, run) if p not in resting], dtype=int)
    if len(later):
        yield equality(NoSlip(foot), steps.q[later - 1], steps.q[later], name=f"{name}: no slip")


def _not_moving(
    steps: TrajectoryUnknowns,
    foot: Foot,
    runs: Any,
    grounds: np.ndarray,
    places: Any,
    contact: ContactSettings,
    level: str,
    name: str,
) -> Iterable[Factors]:
    rest = ZeroContactVelocity(foot, contact.settling, places[0] is not None)
    laws = rest, replace(rest, sliding=True)
    starts = [list_undecided_points(steps, run.points if level == "velocity" else run.points[:1]) for run in runs]
    for law, chosen in zip(laws, zip(*starts, strict=True), strict=True):
        if points := _join_parts(chosen):
            at, values = np.array(points), _parameters(grounds, places, chosen)
            yield equality(law, steps.q[at], steps.qd[at], name=f"{name}: no slip", **values)
    if level == "acceleration":
        kept = [list_undecided_points(steps, run.points, run.samples) for run in runs]
        for law, chosen in zip(laws, zip(*kept, strict=True), strict=True):
            if found := _join_parts(chosen):
                samples, values = np.array(found), _parameters(grounds, places, chosen)
                at, rate = steps.points[samples], ZeroContactAcceleration(law)
                yield equality(rate, steps.q[at], steps.qd[at], steps.qdd[samples], name=f"{name}: held", **values)


def _join_parts(parts: Iterable[list[int]]) -> list[int]:
    return [m for part in parts for m in part]


def _parameters(grounds: np.ndarray, places: Any, chosen: Sequence[list[int]]) -> dict[str, Any]:
    """Return ground and foothold of what is chosen of each run."""
    which = np.repeat(np.arange(len(chosen)), [len(part) for part in chosen])
    found: dict[str, Any] = {"ground": each(grounds[which])}
    if places[0] is not None:
        found["at"] = each(np.array(places)[which])
    return found
