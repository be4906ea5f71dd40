"""Contacts that friction jams: where no impulse obeys all laws, a search goes on with less that laws ask for.

A knee that moves on a circle arrives at a wall at an angle. Friction helps to stop it, as it slips inwards; where its
cone holds the direction of the way back, it holds it there, and no impulse obeys both Coulomb's and Newton's laws.
First rebounds are left out: impacts are inelastic, at the same times. Then contacts are asked for velocities J v', that
is without arcs of their points, which such a knee cannot cancel along both tangents, and without being pushed out of
the ground: standing still is a solution. What that leaves of laws is in the residual.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from screwgraph.motion.simulation.contacts.laws.laws import FAR, TINY, Numbers
from screwgraph.motion.simulation.contacts.laws.nonmonotone_newton import UNSOLVED
from screwgraph.motion.simulation.contacts.laws.sweeps import PATIENT, choose_vector, largest
from screwgraph.motion.simulation.contacts.steps.named_vectors import make_named_block
from screwgraph.motion.simulation.contacts.steps.step_terms import Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Memory, Number, Part, SettledWhen, SettlingLoop

JAMS, LEFT_OUT = "jams", "left out"
"""The state: 1 where rebounds are left out, 2 where arcs and springs are, else 0; and what these are of rows (m/s)."""
CHANGED = ("x", "state", "round", "aims", JAMS, LEFT_OUT)
"""What it changes, beside velocities without impulses."""
GIVEN = ("R", "J", "soles", "places", "free", "gaps", "held dt")
"""Compliance of rows, and what velocities of contacts are made of."""


def search_again(memory: Memory, terms: Terms, search: Sequence[Part], velocities: Sequence[str]) -> Part:
    """Return the parts `search` and, where they leave laws, the same with less that laws ask for.

    `velocities` are names of those of rows without impulses.
    """
    changes = [*CHANGED, *velocities]

    def ease(at: Mapping[str, Any]) -> list[Number]:
        return ease_problem(terms, at, velocities)

    block = make_named_block(memory, "ease", [*changes, *GIVEN], changes, ease)
    return SettlingLoop(memory.places("round").start, (*search, block))


def ease_problem(terms: Terms, at: Mapping[str, Any], velocities: Sequence[str]) -> list[Number]:
    """Return `CHANGED` and the `velocities` after a search: where it failed, those with which it begins again."""
    x, state, round_, aims, (jams,), left_out = (at[name] for name in CHANGED)
    _, count, smallest, *_ = state
    b, stands = list(at[velocities[0]]), choose(largest(aims) > TINY, 0.0, 1.0) > 0.5
    held = [u - v for u, v in zip(b, hold_contacts(terms, at, b), strict=True)][: len(left_out)]
    # Contacts that yield, but for rebounds, have a solution.
    rigid = largest(choose(x[i] > 0.0, choose(at["R"][i] > 0.0, 0.0, 1.0), 0.0) for i in range(0, len(left_out), 3))
    jammed = choose(stands, choose(jams < 1.5, rigid, 0.0), 1.0)
    goes = choose(round_[2] > UNSOLVED * smallest, jammed, 0.0) > 0.5
    now = choose(goes, choose(stands, 2.0, 1.0), jams)
    lower = stop_rebounds(aims, now)
    let_off = [0.0] * len(left_out)
    let_off[::3] = [none - aim for aim, none in zip(aims, lower, strict=True)]
    let_off = choose_vector(goes, choose_vector(stands, held, let_off), [0.0] * len(left_out))
    return [
        *choose_vector(goes, [0.0] * len(x), x),
        *choose_vector(goes, [1.0, count, smallest, 1.0, FAR, count + PATIENT], state),
        *(choose(goes, 1.0, round_[0]), *round_[1:], *lower, now),
        *choose_vector(goes, let_off, left_out),
        *(v - d for name in velocities for v, d in zip_longest(at[name], let_off, fillvalue=0.0)),
    ]


def list_parts(memory: Memory, search: Iterable[Part]) -> list[Part]:
    """Return the parts of all searches of a solution, after which the residual knows what is left out of rows."""

    def report(x: Any, round_: Any, jams: Any, left_out: Any) -> list[Number]:
        return [*round_[:2], choose(jams[0] > 1.5, maximum(round_[2], find_left(x, left_out)), round_[2])]

    begin = memory.block("no jams", ["aims"], [JAMS], lambda aims: [tell_jams(aims)])
    end = memory.block("report", ["x", "round", JAMS, LEFT_OUT], ["round"], report)
    return [begin, *search, SettledWhen(memory.places(JAMS).start, (end,))]


def find_left(x: Numbers, left_out: Numbers) -> Number:
    """Return the largest of what is left out of contacts that press (m/s)."""
    return largest(choose(x[i - i % 3] > 0.0, own, 0.0) for i, own in enumerate(left_out))


def stop_rebounds(aims: Numbers, jams: Number) -> list[Number]:
    """Return velocities after impacts: none, but for what tells an impact, where rebounds jam."""
    return [choose(jams > 0.5, minimum(aim, TINY), aim) for aim in aims]


def tell_jams(aims: Numbers) -> Number:
    """Return the state with which a solution begins, the second of a step whose first one left rebounds out, too."""
    most = largest(aims)
    return choose(most > 0.0, choose(most > TINY, 0.0, 1.0), 0.0)


def hold_contacts(terms: Terms, at: Mapping[str, Any], b: Numbers) -> list[Number]:
    """Return velocities b of rows without impulses, those of contacts without arcs and springs."""
    rows = ContactRows.read(terms, at["J"], at["soles"], at["places"])
    found, count = list(b), 3 * len(terms.model.contacts)
    found[:count] = rows.move(terms.full("free", at["free"]))[:count]
    for c, gap in enumerate(terms.full("gaps", at["gaps"])):
        found[3 * c] = found[3 * c] + maximum(gap, 0.0) / at["dt"][0]
    return found
