"""The problem of a step's impulses: velocities without them, compliance, and numbers of laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.steps.impacts import find_latest
from screwgraph.motion.simulation.contacts.steps.step_terms import Terms
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

PUSH_OUT = 0.5
"""Velocity (m/s, rad/s) at most at which bodies part that are within each other, and joints return to their range."""
LATEST = 0.99
"""Part of the time of impacts after which others may come to the ground."""
UNBOUNDED = 1e300
"""Velocity (rad/s, m/s) that no joint reaches."""
Problem = tuple[list[Number], list[Number], list[Number], list[Number]]
"""Of impulses: velocities b without them, compliance R, values of laws, and arcs that are in b."""


def make_problem(terms: Terms, at: Mapping[str, Any], last: Numbers) -> Problem:
    """Return b with the contacts' springs and rebounds, compliance R of each row, values of laws, arcs in b.

    A spring k and a damper d push with -k (gap + h w) - d w at the end of the step, so that w + R x + gap k / (h k
    + d) = 0, R = 1 / (h (h k + d)). Before it touches, a contact does not stop before the ground: w + gap / h >= 0.
    An impact with rebound is rigid.
    """
    (h,), q, contacts, model = at["dt"], at["q"], at["contacts"], terms.model
    b = terms.full_velocities(at["b"], at["drift"], at["places"])
    gaps, rates = terms.full("gaps", at["gaps"]), terms.full("rates", at["rates"])
    R, values, arrives = [0.0] * len(b), list[Number](), list[Number]()
    times, aims = at["times"], at["aims"]
    late = find_latest(times)
    soon = 1.0 / (h - LATEST * late)
    for c, (gap, rate, aim) in enumerate(zip(gaps, rates, aims, strict=True)):
        friction, _, compliance, damping = contacts[4 * c : 4 * c + 4]
        # With compliance s = 1 / k: 1 / (h + s d) = k / (h k + d), and R = s / (h (h + s d)); s = 0 is rigid.
        i, scale = 3 * c, 1.0 / (h + compliance * damping)
        # What others push as they rebound has moved away until then.
        far = gap + late * maximum(b[i], 0.0)
        rests = choose(far > 0.0, far * soon, maximum(gap * scale, -PUSH_OUT))
        b[i] = b[i] + rests
        # Deep in the ground R is less: a body at rest feels -k gap, one that parts at PUSH_OUT nothing.
        soft = compliance * scale / h * (PUSH_OUT / maximum(-(gap * scale), PUSH_OUT))
        R[i] = choose(aim > 0.0, 0.0, soft)
        values.append(friction)
        arrives.append(choose(gap + h * rate < 0.0, 1.0, 0.0))
    rub = iter(terms.full("rub", at["rub"]))
    for place, _, lower, upper, rubs in model.stop_rows:
        values.append(minimum((lower - q[place]) / h, PUSH_OUT) if np.isfinite(lower) else -UNBOUNDED)
        values.append(maximum((upper - q[place]) / h, -PUSH_OUT) if np.isfinite(upper) else UNBOUNDED)
        values += [h * next(rub)] if rubs else []
    swings = terms.held.average_arcs(last, arrives, terms.full("arcs", at["arcs"]))
    b = [u + swing for u, swing in zip(b, swings, strict=True)]
    for c, aim in enumerate(aims):
        for i in range(3 * c, 3 * c + 3):
            own = at["arrive"][i] - (aim if i == 3 * c else 0.0)
            swings[i] = choose(aim > 0.0, own - b[i] + swings[i], swings[i])
            b[i] = choose(aim > 0.0, own, b[i])
    return b, R, [*values, *(h * bound for bound in rub)], swings
