"""Loops closed together with contacts: passages at the end of a step.

The end of a step is q' = q + h v' + d, where v' obeys the laws of contacts and, at q', K v' = 0, and the displacement d
closes loops. K is known where q' is: factors are those of a K nearby, and each passage corrects v' by what K v' is not
zero, d by the gaps of loops that are left, with contacts that hold their places held: neither moves a foot that stands.
Where contacts slip, velocities with which loops open are aims of the next search for impulses. Contacts jam what keeps
bodies of natural coordinates rigid, as both ends of a rod on the ground its length. There places are held without the
compliance of contacts, so that one of two holds that exclude one another is left out: ends that yield a little would go
far instead. What slides is not held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS
from screwgraph.motion.simulation.contacts.laws.active_rows import StickingSystem
from screwgraph.motion.simulation.contacts.laws.closed_inertia import deviate
from screwgraph.motion.simulation.contacts.laws.held_soles import Hold
from screwgraph.motion.simulation.contacts.laws.laws import FAR, Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import PATIENT, add_vectors, choose_vector, largest, rounding
from screwgraph.motion.simulation.contacts.steps.named_vectors import make_named_block
from screwgraph.motion.simulation.contacts.steps.nearest_closing import NearestClosing
from screwgraph.motion.simulation.contacts.steps.shorter_steps import SPLIT, WHOLE, find_lead
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import (
    ContactRows,
    StickingGuess,
    find_deviation,
    make_example,
)
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.spatial import choose, maximum
from screwgraph.spatial.manifolds.gliding import carry, glide
from screwgraph.tape import Memory, Number, Part, Row, SettledWhen, SettlingLoop, TreeFactor
from screwgraph.tape.sparse_rows import multiply_vector

MOST = 20.0
"""Passages at most."""
SLOW, LOST = 0.5, 1e4
"""Part of what is open from which on a passage has not closed it, and a size of it with which a step does not end.

The last one is in smallest changes of sweeps.
"""
SWERVE, LITTLE = 0.05, 1e-6
"""Part of the way of a step by which loops lead aside that lets energy be bounded, and a way (rad, m) that does not."""
NEAR, CLOSED = 0.01, 0.1
"""Sizes of gaps and of velocities, in smallest changes of sweeps, that a last correction takes away, or that stay."""
ROUNDED = 1e-4
"""A size, in smallest changes of sweeps, that is left as it is."""
CLOSING = 5
"""Numbers of the state of passages: whether to go on, passages; of the last, gaps' square (rad, m), size (m/s); a time.

The end of a step is that much later (s), where its velocity belongs to the middle of the next one.
"""
HOLD = 6
"""Numbers of a `Hold`."""
ROWS = ("J", "soles", "places")
"""Terms that rows of all contacts are made of."""
PROBLEM = ("b'", "R", "values")
"""The problem of impulses: velocities without them, compliance, numbers of laws."""
OPENED = ("beta", "gained")
"""Rates at which loops open at the start (m/s), and by how much they do (m), so that at the end they are closed."""
MOVED = (
    "x",
    "own x",
    "change",
    *OPENED,
    "way",
    "state",
    "round",
    "closing",
    "unclosed x",
    "unclosed change",
    "nearest",
)
"""What a passage changes."""
SEEN = ("closing", "seen", "gaps of loops", "rates of loops")
"""What is measured in a passage."""
GUESSED = ("limbs", "factors", "inverse", "holds", "active", "yields")
"""What is kept of a guess."""


@dataclass(frozen=True, eq=False)
class LoopClosing:
    """The passages of a model with loops; `sizes` are those of vectors of its own in the memory of a step."""

    __repr__ = one_line

    model: TouchingModel
    terms: Terms

    @cached_property
    def example(self) -> StickingSystem:
        """A system of any numbers, so that nothing cancels."""
        terms, rng = self.terms, np.random.default_rng(0)
        names = (*ROWS, *INERTIA, "A")
        at = {name: rng.normal(size=np.prod(terms.shapes[name], dtype=int)).tolist() for name in names}
        inertia = terms.inertia(*(at[name] for name in INERTIA))
        return make_example(
            terms, ContactRows.read(terms, *(at[name] for name in ROWS)), inertia, terms.rows("A", at["A"])
        )

    @property
    def nearest(self) -> NearestClosing:
        """The passages where these lead nowhere."""
        return NearestClosing(self.model, self.terms)

    @cached_property
    def limbs(self) -> list[list[int]]:
        """The columns of each row of a system that are not of the root."""
        return [sorted(k for k in y if k >= self.model.root) for y in self.example.Y]

    @cached_property
    def factors(self) -> list[list[int]]:
        """The columns of each row of factors."""
        return self.example.pattern()

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of vectors that a step keeps for passages."""
        coupled, m, soles = self.model.free_velocities, self.model.rows, len(self.model.soles)
        return {
            "own x": len(self.limbs),
            **dict.fromkeys(OPENED, len(coupled.loops)),
            "seen": 1,
            "gaps of loops": len(coupled.loops),
            "rates of loops": len(coupled.loops),
            "way": len(coupled.free),
            "closing": CLOSING,
            "unclosed x": m,
            "unclosed change": len(coupled.free),
            **self.nearest.sizes,
            "limbs": sum(map(len, self.limbs)),
            "factors": sum(map(len, self.factors)),
            "inverse": len(self.factors),
            "holds": HOLD * soles,
            "active": m,
            "yields": len(self.limbs),
        }

    def list_parts(self, memory: Memory, search: Sequence[Part], held: Sequence[str]) -> tuple[Part, ...]:
        """Return the passages, a search for impulses within; `held` are q, dt, contacts, forces and parameters."""
        own = [*held[:2], *held[4:]]
        reads = [
            "change",
            "way",
            "state",
            "closing",
            "free",
            *([SPLIT, f"{WHOLE}dt"] if self.model.whirls else ()),
            *own,
        ]
        look = make_named_block(memory, "measure", reads, SEEN, self.measure)
        reads = [*MOVED, *SEEN[2:], *PROBLEM, *GUESSED, *ROWS, *INERTIA, "A", *held[1:3]]
        advance = make_named_block(memory, "advance", reads, MOVED, self.advance)
        passage = (*search, look, SettledWhen(memory.places("seen").start, (advance,)))
        nearest = self.nearest.list_parts(memory, ["free", "x", "unclosed change", *ROWS, *own])
        return SettlingLoop(memory.places("closing").start, passage), nearest

    def begin(self, guess: StickingGuess, x: Numbers) -> list[Number]:
        """Return all vectors of `sizes` before the first passage: impulses x of the system, and what is kept of it."""
        sizes = self.sizes
        found: list[Number] = [*x, *[0.0] * (4 * sizes["beta"] + 1 + sizes["way"]), 1.0, 0.0, 0.0, FAR, 0.0]
        found += [0.0] * (sizes["unclosed x"] + sizes["unclosed change"])
        found += self.nearest.begin()
        for kept, columns in ((guess.system.Y, self.limbs), (guess.factor.rows, self.factors)):
            found += [row.get(k, 0.0) for row, own in zip(kept, columns, strict=True) for k in own]
        found += guess.factor.inverse
        for hold in guess.holds:
            found += [hold.sticks, hold.turns, *hold.at, *hold.arc]
        return [*found, *guess.active, *guess.system.yields]

    def restore(self, at: Mapping[str, Any]) -> StickingGuess:
        """Return a guess of what is kept of it, `GUESSED`, of `INERTIA` and A."""
        inertia, A = self.terms.inertia(*(at[name] for name in INERTIA)), self.terms.rows("A", at["A"])
        limbs, factors, inverse, holds, active, yields = (at[name] for name in GUESSED)
        system = StickingSystem(A, inertia, _fill(self.limbs, limbs), [], self.terms.order, yields)
        own = (holds[i : i + HOLD] for i in range(0, len(holds), HOLD))
        held = [Hold(x[0], x[1], (x[2], x[3]), (x[4], x[5])) for x in own]
        factor, every = TreeFactor(_fill(self.factors, factors), list(inverse)), self.terms.held.spread(yields)
        return StickingGuess(system, factor, held, active, every)

    def move(self, q: Any, h: Number, velocity: Numbers, way: Numbers) -> tuple[Any, Any, Any]:
        """Return where a step leads that also goes a `way`, its velocity in the axes there, and the step."""
        coupled, manifold = self.model.free_velocities, self.model.manifold
        step = np.array(coupled.spread([h * v + d for v, d in zip(velocity, way, strict=True)]), dtype=object)
        ahead = self.model.couple(glide(manifold, q, step)[0])
        return ahead, carry(manifold, q, ahead, np.array(coupled.spread(velocity), dtype=object)), step

    def swerve(self, velocity: Numbers, at: Mapping[str, Any]) -> Number:
        """Return 1 where loops lead far from a straight way, as they do near dead centres, else 0."""
        (h,), fastest = at["dt"], largest(velocity)
        return choose(largest(at["way"]) > maximum(SWERVE * h * fastest, LITTLE), 1.0, 0.0)

    def look(self, at: Mapping[str, Any], velocity: Numbers, way: Numbers) -> tuple[list[Number], list[Number]]:
        """Return gaps of loops (rad, m) at the end of a step, and velocities with which they open there.

        It is one from q in a time dt, with `PARAMETERS` of the robot where some are inputs.
        """
        ahead, carried, _ = self.move(at["q"], at["dt"][0], velocity, way)
        gaps, K, rates = self.model.open_loops(ahead, at.get(PARAMETERS, ()))
        return gaps, deviate(multiply_vector(K, self.model.free_velocities.select(list(carried))), rates)

    def measure(self, at: Mapping[str, Any]) -> list[Number]:
        """Return `SEEN`. Where all is closed to rounding, a passage is the last."""
        goes, passages, square, before, lead = at["closing"]
        velocity = add_vectors(self.terms.full("free", at["free"]), at["change"])
        if SPLIT in at:
            lead = choose(passages < 0.5, find_lead(largest(velocity), at), lead)
        gaps, drift = self.look({**at, "dt": [at["dt"][0] + lead]}, velocity, at["way"])
        seen = choose(maximum(largest(gaps), largest(drift)) > ROUNDED * at["state"][2], goes, 0.0)
        ahead = sum((gap * gap for gap in gaps), start=0.0)
        ends = choose(seen > 0.5, passages, passages + goes), choose(goes > 0.5, ahead, square), before
        return [seen, *ends, lead, seen, *gaps, *drift]

    def advance(self, at: Mapping[str, Any]) -> list[Number]:
        """Return `MOVED` after a passage."""
        x, own_x, change, beta, sums, way, state, round_, closing, first_x, first_change, nearest = (
            at[n] for n in MOVED
        )
        (h,), (goes, passages, _, before, lead), smallest = at["dt"], closing, state[2]
        gaps, drift = (at[name] for name in SEEN[2:])
        rows, guess = ContactRows.read(self.terms, *(at[name] for name in ROWS)), self.restore(at)
        less = [-r for r in drift]
        impulses, corrected = guess.close(rows, less)
        # Where contacts stick or are open, a correction keeps them so; laws say whether they still are.
        sticks, is_on, is_first = round_[1] < 0.5, goes > 0.5, passages < 0.5
        held_x, moved = add_vectors(own_x, impulses), add_vectors(change, corrected)
        all_x = self.terms.held.distribute(held_x, guess.holds, rows.places, at["contacts"][::4], guess.active)
        b, R, values = (at[name] for name in PROBLEM)
        deviation = find_deviation(self.model.laws, (b, R, values), all_x, rows.move(moved), guess)
        breaks = choose(sticks, choose(deviation > smallest, 1.0, 0.0), 0.0)
        open_, opening = largest(gaps), largest(drift)
        least = choose(sticks, NEAR, CLOSED) * smallest
        far = choose(opening > least, 1.0, choose(open_ > NEAR * smallest, 1.0, 0.0))
        size = maximum(opening, open_ / h)
        stalls, is_last = choose(size > SLOW * before, far, 0.0), choose(passages < MOST - 1.5, 0.0, far)
        falls = maximum(stalls, is_last) * choose(size > LOST * smallest, goes, 0.0)
        again = choose(stalls > 0.5, 0.0, maximum(far, breaks)) * choose(passages < MOST - 1.5, goes, 0.0)
        searching, fallen = again * choose(sticks, breaks, 1.0) > 0.5, falls > 0.5
        left = choose(again > 0.5, 0.0, choose(fallen, size, far * opening))
        _, count, _, share, last, most = state
        start_x, start_change = choose_vector(is_first, x, first_x), choose_vector(is_first, change, first_change)
        keeps, aims = choose(sticks, goes, 0.0) > 0.5, choose(sticks, goes, choose(searching, 1.0, 0.0))
        # A velocity that is corrected leads elsewhere.
        gained = [choose(aims > 0.5, (h + lead) * r, 0.0) - gap for r, gap in zip(drift, gaps, strict=True)]
        pushes = choose_vector(keeps, all_x, x)
        _, shift = self.hold(guess, rows, pushes, at).close(rows, gained)
        return [
            *choose_vector(fallen, start_x, pushes),
            *choose_vector(keeps, held_x, own_x),
            *choose_vector(fallen, start_change, choose_vector(keeps, moved, change)),
            *choose_vector(fallen, [0.0] * len(beta), choose_vector(aims > 0.5, add_vectors(beta, less), beta)),
            *choose_vector(fallen, [0.0] * len(sums), choose_vector(is_on, add_vectors(sums, gained), sums)),
            *choose_vector(fallen, [0.0] * len(way), choose_vector(is_on, add_vectors(way, shift), way)),
            *(choose(searching, 1.0, state[0]), count, smallest),
            *(choose(searching, 1.0, share), choose(searching, FAR, last), choose(searching, count + PATIENT, most)),
            *(choose(searching, 1.0, round_[0]), choose(searching, 0.0, round_[1])),
            choose(is_on, maximum(choose(sticks, deviation, round_[2]), left), round_[2]),
            *(again, passages + goes, choose(is_on, sum((gap * gap for gap in gaps), start=0.0), closing[2])),
            *(choose(is_on, size, before), lead),
            *choose_vector(is_on, start_x, first_x),
            *choose_vector(is_on, start_change, first_change),
            *(maximum(falls, nearest[0]), *nearest[1:]),
        ]

    def hold(self, guess: StickingGuess, rows: ContactRows, x: Numbers, at: Mapping[str, Any]) -> StickingGuess:
        """Return the guess that holds places while gaps close, of impulses x of all rows."""
        if not self.model.jams:
            return guess
        return guess.hold_places(rows, x, at["contacts"][::4], rounding(at["dt"][0]))

    def follow(
        self, guess: StickingGuess, x: Numbers, velocity: Numbers, late: Numbers, at: Mapping[str, Any]
    ) -> tuple[list[Number], list[Number]]:
        """Return the way of a step that ends in a time dt, and what is zero there: rates and gaps of loops.

        It is `late`, and what closes gaps, `OPENED`, while impulses x push.
        """
        rows = ContactRows.read(self.terms, *(at[name] for name in ROWS))
        way = add_vectors(late, self.hold(guess, rows, x, at).close(rows, at["gained"])[1])
        gaps, drift = self.look(at, velocity, way)
        return way, [*drift, *gaps]


def _fill(pattern: Sequence[Sequence[int]], numbers: Any) -> list[Row]:
    given: Iterator[Number] = iter(numbers)
    return [{k: next(given) for k in columns} for columns in pattern]
