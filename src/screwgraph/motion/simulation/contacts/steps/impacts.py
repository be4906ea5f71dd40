"""Impacts that rebound: when they happen within a step, and what positions are that rebound there.

A contact whose gap closes at the time t of a step moves with the velocity v until then, with v' after it: x' = x + t v
+ (h - t) v' = x + h v' - t (v' - v). Velocities of a step are those of its middle, so that gravity's part of the step
before an impact belongs to v, that after it to v': each bounce of a ball is exact. Impulses push with the Jacobian and
the mass matrix of the step's start; the velocities that Newton's law of restitution reflects are J v there, without the
arcs on which points go on to the middle of the step: these are velocities that no impulse of the impact makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from screwgraph.motion.simulation.contacts.laws.laws import TINY, Numbers
from screwgraph.spatial import choose, maximum, minimum, sqrt
from screwgraph.tape import Number

IMPACT = 1e-2
"""Normal velocity (m/s) from which on an impact rebounds."""
GRAZE = 0.01
"""Part of the largest way by which a position is corrected that may lead into the ground."""


class Approach(NamedTuple):
    """How a contact comes to the ground, in normal velocities (m/s).

    `rate` and b are those of the middles of the step before and of this one, `arrives` that between them, at the
    position from which impulses push; `falls` is what forces add in a step to what is at rest.
    """

    gap: Number
    rate: Number
    b: Number
    arrives: Number
    falls: Number


def find_impact(way: Approach, restitution: Number, pressed: Number, h: Number) -> tuple[Number, Number]:
    """Return the share of the step before a rebound, and the velocity (m/s) after it, zero where there is none.

    What pressed in the step before does not rebound, nor does what is on the ground again at the end of the step.
    """
    gap, rate, b, arrives, falls = way
    less = b - rate
    # gap + share h (rate + less / 2) + share^2 h less / 2 = 0: less h is the way that gravity adds to a whole step.
    open_, now = maximum(gap, 0.0) / h, rate + 0.5 * less
    share = 2.0 * open_ / maximum(sqrt(maximum(now * now - 2.0 * less * open_, TINY)) - now, IMPACT)
    back = -(restitution * (arrives + falls * share))
    leaves = back + minimum(0.5 * falls * (1.0 - share), 0.0)
    rebounds = choose(pressed > 0.0, 0.0, may_rebound(gap, rate, b, leaves, h))
    return rebounds * share, rebounds * maximum(back, TINY)


def may_rebound(gap: Number, rate: Number, b: Number, restitution: Number, h: Number) -> Number:
    """Return whether a contact arrives within the step fast enough for a rebound (1, else 0)."""
    return choose(gap + h * b < 0.0, choose(rate < -IMPACT, choose(restitution > 0.0, 1.0, 0.0), 0.0), 0.0)


def find_latest(times: Sequence[Number]) -> Number:
    """Return the largest time (s)."""
    latest: Number = 0.0
    for time in times:
        latest = maximum(latest, time)
    return latest


def average_times(x: Numbers, times: Numbers) -> list[Number]:
    """Return times (s) of impulses x of contacts, three each, and others: where none rebounds, the mean of those."""
    normal = [choose(t > 0.0, maximum(x[3 * c], 0.0), 0.0) for c, t in enumerate(times)]
    mean = sum((t * y for t, y in zip(times, normal, strict=True)), start=0.0) / maximum(sum(normal, start=0.0), TINY)
    own = [choose(t > 0.0, t, mean) for t in times for _ in range(3)]
    return [*own, *[mean] * (len(x) - len(own))]


def keep_energy(impulses: Numbers, before: Numbers, gained: Numbers) -> Number:
    """Return the part of impulses that makes no energy, of velocities before them, and of what these gain by them.

    With friction, Newton's law of restitution may make some: Kane & Levinson (1985), "Dynamics", section 5.8.
    """
    work = sum((x * u for x, u in zip(impulses, before, strict=True)), start=0.0)
    made = sum((x * u for x, u in zip(impulses, gained, strict=True)), start=0.0)
    most = maximum(-2.0 * work, 0.0)
    return choose(made > most, most / choose(made > most, made, 1.0), 1.0)


def shorten_way(ends: Sequence[Number], ways: Sequence[Number]) -> Number:
    """Return the part of the ways (m) of contacts, of gaps at the end of a step, with which none enters another."""
    most: Number = 0.0
    for way in ways:
        most = maximum(most, abs(way))
    part: Number = 1.0
    for end, way in zip(ends, ways, strict=True):
        most_in = maximum(end, 0.0) + GRAZE * most
        enters = way < -most_in
        part = minimum(part, choose(enters, most_in / choose(enters, -way, 1.0), 1.0))
    return part
