"""The solution of a step whose contacts only stick or are open, as the step before lets one guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from screwgraph.motion.simulation.contacts.laws.active_rows import StickingSystem, find_yields
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.laws.held_soles import HeldSoles, Hold
from screwgraph.motion.simulation.contacts.laws.laws import ImpulseLaw, Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, add_vectors, largest, rounding
from screwgraph.motion.simulation.contacts.steps.step_problem import Problem
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, Terms
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, Row, TreeFactor
from screwgraph.tape.sparse_rows import multiply_vector

STUCK = 1.0 - 1e-6
"""Part of the largest friction up to which a contact sticks."""


class StickingGuess(NamedTuple):
    """A guess: the system and its factors, how soles are held, which rows of the model are active, yields.

    `given` are impulses of rows that are not active, `right` velocities of active ones.
    """

    system: StickingSystem
    factor: TreeFactor
    holds: Sequence[Hold]
    active: Numbers
    yields: Numbers
    given: Numbers = ()
    right: Numbers = ()

    def close(self, rows: ContactRows, rates: Numbers) -> tuple[list[Number], list[Number]]:
        """Return impulses of the system, and the change of velocities with which loops open at rates; rows stay."""
        opened = self.system.inertia.open(rates)
        own, soles = multiply_vector(rows.own, opened), multiply_vector(rows.soles, opened)
        right = [-w for w in (*own, *rows.held.move_velocities(soles, self.holds))]
        impulses, change = self.system.close(self.factor, rates, right)
        return impulses, add_vectors(opened, change)

    def hold_places(self, rows: ContactRows, x: Numbers, friction: Numbers, rounding: Number) -> StickingGuess:
        """Return the guess that holds, without compliance, contacts that impulses x of all rows press and let stick."""
        presses, sticks = list(self.active), list[Number]()
        for c, mu in enumerate(friction):
            normal, *tangents = x[3 * c : 3 * c + 3]
            edge = STUCK * mu * maximum(normal, 0.0)
            sticks.append(choose(sum((t * t for t in tangents), start=0.0) < edge * edge, 1.0, 0.0))
            presses[3 * c] = choose(normal > 0.0, presses[3 * c], 0.0)
            for i in (3 * c + 1, 3 * c + 2):
                presses[i] = choose(sticks[c] > 0.5, presses[i], 0.0)
        holds = list[Hold]()
        for sole, hold in zip(rows.held.soles, self.holds, strict=True):
            stuck = largest(sticks[c] * self.active[3 * c + 1] for c in sole)
            holds.append(hold._replace(sticks=hold.sticks * stuck, turns=hold.turns * stuck))
        system = replace(self.system, R=[0.0] * len(self.system.Y))
        factor = system.factor(list_active(rows.held, presses, holds), rounding)
        return StickingGuess(system, factor, self.holds, presses, self.yields)


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Rows of contacts at one state: those held by themselves, those of soles, and places of soles' points (m)."""

    held: HeldSoles
    own: Sequence[Row]
    soles: Sequence[Row]
    places: Numbers

    @staticmethod
    def read(terms: Terms, J: Numbers, soles: Numbers, places: Numbers) -> ContactRows:
        """Return the rows of what varies in terms."""
        return ContactRows(terms.held, terms.rows("J", J), terms.rows("soles", soles), terms.full("places", places))

    def move(self, change: Numbers) -> list[Number]:
        """Return the velocities of all the model's rows that a change of velocities makes."""
        return self.held.expand(multiply_vector(self.own, change), multiply_vector(self.soles, change), self.places)


def make_guess(
    terms: Terms, at: Mapping[str, Any], rows: ContactRows, problem: Problem, last: Numbers
) -> StickingGuess:
    """Return what is guessed of a problem at some terms, and of the last impulses."""
    inertia, drift = terms.inertia(*(at[name] for name in INERTIA)), terms.full("drift", at["drift"])
    A, eps = terms.rows("A", at["A"]), rounding(at["dt"][0])
    held, (b, R, values, swings), laws = rows.held, problem, terms.model.laws
    Y, soft = _condense(inertia, rows), held.select(R)
    found = find_yields(inertia, [*rows.own, *rows.soles], Y, soft, terms.order)
    yields = held.spread(found)
    known, active, aims = list[Number](), list[Number](), list[Number]()
    for law, own, numbers, _ in list_blocks(laws, b, values):
        parts = law.guess(last[own], b[own], numbers, yields[own])
        for whole, part in zip((known, active, aims), parts, strict=True):
            whole += part
    holds = held.hold(active, rows.places, swings)
    right = held.select(
        [aim - own for aim, own in zip(aims, b, strict=True)],
        [-v for v in held.move_velocities(drift, holds, on_arcs=True)],
    )
    acts = list_active(held, active, holds)
    given, before = held.select(known), held.select(last)
    # Along rows that repeat others, impulses stay what they are.
    for i in terms.order.repeated:
        given[i] = choose(acts[i] > 0.5, before[i], given[i])
    first = len(rows.own)
    Y[first:] = held.move_rows(Y[first:], holds)
    system = StickingSystem(A, inertia, Y, soft, terms.order, found)
    return StickingGuess(system, system.factor(acts, eps), holds, active, yields, given, right)


def list_active(held: HeldSoles, active: Numbers, holds: Sequence[Hold]) -> list[Number]:
    """Return which rows of a system are active, of those of the model and of how soles are held."""
    return held.select(active, [x for hold in holds for x in (hold.sticks, hold.sticks, hold.turns)])


def make_example(terms: Terms, rows: ContactRows, inertia: ClosedInertia, A: Sequence[Row]) -> StickingSystem:
    """Return a system whose numbers are of no meaning, but its entries are those of any other."""
    Y, first, number = _condense(inertia, rows), len(rows.own), 0.71
    holds = [Hold(number, number, (number, -number), (number, number)) for _ in rows.held.soles]
    Y[first:] = rows.held.move_rows(Y[first:], holds)
    return StickingSystem(A, inertia, Y, [number] * len(Y), terms.order, [number] * len(Y))


def find_deviation(
    laws: Sequence[ImpulseLaw],
    problem: tuple[Numbers, Numbers, Numbers],
    x: Numbers,
    moved: Numbers,
    guess: StickingGuess,
) -> Number:
    """Return the largest velocity (m/s) by which impulses x do not obey laws; `moved` is what they make of b."""
    (b, R, values), worst = problem, 0.0
    w = [u + r * y + v for u, r, y, v in zip(b, R, x, moved, strict=True)]
    for law, own, numbers, _ in list_blocks(laws, b, values):
        worst = maximum(worst, law.deviation(x[own], w[own], numbers, guess.active[own], guess.yields[own]))
    return worst


def list_blocks(
    laws: Sequence[ImpulseLaw], b: Numbers, values: Numbers
) -> list[tuple[ImpulseLaw, slice, Numbers, Numbers]]:
    """Return each law, its rows, its values, and zeros in the place of what it prepares."""
    return list(ImpulseProblem(laws, [], b, values, [0.0] * sum(law.prepared for law in laws)).blocks())


def _condense(inertia: ClosedInertia, rows: ContactRows) -> list[Row]:
    return [inertia.condense(row) for row in (*rows.own, *rows.soles)]
