"""Loops closed as far as they can be, where passages with rows K of one position lead nowhere.

Near dead centres and branch points rows of loops depend on one another: K of a position nearby leads far away, and a
step may end where no position closes all loops. Each passage here has K of the position that it begins with, and rows
that yield a little (Levenberg's method); the nearest of all positions is the end of the step. Its velocity is the
projection that takes the least kinetic energy: by K of that position, contacts as they were. What is left open is
reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS
from screwgraph.motion.simulation.contacts.laws.closed_inertia import deviate
from screwgraph.motion.simulation.contacts.laws.laws import FAR
from screwgraph.motion.simulation.contacts.laws.sweeps import add_vectors, choose_vector, largest
from screwgraph.motion.simulation.contacts.steps.named_vectors import make_named_block
from screwgraph.motion.simulation.contacts.steps.step_terms import Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.spatial import choose, maximum
from screwgraph.spatial.manifolds.gliding import carry, glide
from screwgraph.tape import Memory, Number, SettledWhen, SettlingLoop
from screwgraph.tape.sparse_rows import multiply_vector

MOST = 12.0
"""Passages."""
SOFTNESS = 1e-9
"""What rows yield to their impulses, relative to what single velocities do."""
CLOSED = 1e-13
"""Gaps (rad, m) that count as closed."""
NEAREST = 3
"""Numbers of the state: whether to go on, passages, the least of the largest gaps (rad, m)."""
MOVED = ("change", "way", "nearest", "nearest change", "nearest way", "closing", "round")
"""What a passage changes."""


@dataclass(frozen=True, eq=False)
class NearestClosing:
    """The passages of a model with loops; they begin where the number `nearest` is not zero."""

    __repr__ = one_line

    model: TouchingModel
    terms: Terms

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of vectors that a step keeps for these passages."""
        n = len(self.model.free_velocities.free)
        return {"nearest": NEAREST, "nearest change": n, "nearest way": n}

    def begin(self) -> list[Number]:
        """Return all vectors of `sizes` before the first passage: none is made."""
        return [0.0, 0.0, FAR, *[0.0] * (2 * len(self.model.free_velocities.free))]

    def list_parts(self, memory: Memory, reads: Sequence[str]) -> SettledWhen:
        """Return the passages; `reads` are q, dt, parameters, free velocities, impulses, Jacobians, first changes."""
        first = memory.places("nearest").start
        block = make_named_block(memory, "nearest", [*MOVED, *reads], MOVED, self.pass_once)
        return SettledWhen(first, (SettlingLoop(first, (block,)),))

    def pass_once(self, at: Mapping[str, Any]) -> list[Number]:
        """Return `MOVED` after a passage: a shift of the position; of the last one, velocities of the nearest."""
        change, way, (goes, passages, least), near_change, near_way, closing, round_ = (at[name] for name in MOVED)
        h, free, is_last = at["dt"][0] + closing[-1], self.terms.full("free", at["free"]), passages > MOST - 1.5
        change, way = choose_vector(is_last, near_change, change), choose_vector(is_last, near_way, way)
        ahead, carried = self.move(at["q"], h, add_vectors(free, change), way)
        values = at.get(PARAMETERS, ())
        gaps, K, rates = self.model.open_loops(ahead, values)
        drift = deviate(multiply_vector(K, self.model.free_velocities.select(list(carried))), rates)
        inertia, none = self.model.close_inertia(at["q"], at["dt"], K, values, SOFTNESS)[0], [0.0] * len(change)
        corrected = inertia.solve(none, [-r for r in drift])
        open_ = largest(gaps)
        ends = choose(is_last, 1.0, choose(open_ < CLOSED, 1.0, 0.0)) > 0.5
        # A velocity that is corrected leads elsewhere.
        shift = inertia.solve(none, [choose(ends, 0.0, -gap) for gap in gaps])
        is_nearer, moved = open_ < least, add_vectors(change, corrected)
        shifted = [d + s - h * c for d, s, c in zip(way, shift, corrected, strict=True)]
        opening = [r + v for r, v in zip(drift, multiply_vector(K, corrected), strict=True)]
        first = [u - v for u, v in zip(moved, at["unclosed change"], strict=True)]
        rows = ContactRows.read(self.terms, *(at[name] for name in ("J", "soles", "places"))).move(first)
        slips = [choose(abs(x) > 0.0, w, 0.0) for x, w in zip(at["x"], rows, strict=True)]
        left, is_on = maximum(maximum(open_ / h, largest(opening)), largest(slips)), goes > 0.5
        square = sum((gap * gap for gap in gaps), start=0.0)
        return [
            *choose_vector(is_on, moved, at["change"]),
            *choose_vector(is_on, shifted, at["way"]),
            *(choose(is_on, choose(ends, 0.0, 1.0), 0.0), passages + goes, choose(is_nearer, open_, least)),
            *choose_vector(is_nearer, change, near_change),
            *choose_vector(is_nearer, way, near_way),
            *(*closing[:2], choose(is_on, square, closing[2]), *closing[3:]),
            *(*round_[:2], choose(is_on, left, round_[2])),
        ]

    def move(self, q: Any, h: Number, velocity: Sequence[Number], way: Sequence[Number]) -> tuple[Any, Any]:
        """Return where a step leads that also goes a `way`, and its velocity in the axes there."""
        coupled, manifold = self.model.free_velocities, self.model.manifold
        step = coupled.spread([h * v + d for v, d in zip(velocity, way, strict=True)])
        ahead = self.model.couple(glide(manifold, q, np.array(step, dtype=object))[0])
        return ahead, carry(manifold, q, ahead, np.array(coupled.spread(velocity), dtype=object))
