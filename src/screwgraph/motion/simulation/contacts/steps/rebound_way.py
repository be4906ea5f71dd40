"""The way of a step that impacts which rebound are late: a part that does nothing where none does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import add_vectors, choose_vector
from screwgraph.motion.simulation.contacts.steps.impacts import (
    IMPACT,
    Approach,
    average_times,
    find_impact,
    find_latest,
    keep_energy,
    may_rebound,
    shorten_way,
)
from screwgraph.motion.simulation.contacts.steps.jammed_contacts import LEFT_OUT
from screwgraph.motion.simulation.contacts.steps.named_vectors import make_named_block
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, TERMS, Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.spatial import choose
from screwgraph.spatial.manifolds.gliding import carry, glide
from screwgraph.tape import Block, Memory, Number, SettledWhen
from screwgraph.tape.sparse_rows import multiply_transposed

VELOCITIES = ("b", "drift", "places")
"""Terms of velocities without impulses."""
LATE = ("arrive", "dt", "forces", "times", "rates", "axes", "gaps", "b", "drift")
"""Vectors that the way depends on, beside rows, inertia, impulses and the change of velocities."""


@dataclass(frozen=True, eq=False)
class ReboundWay:
    """The correction of positions q + h v' where contacts rebound within a step, by velocities couplings leave free."""

    __repr__ = one_line

    model: TouchingModel
    terms: Terms

    def list_impacts(self, memory: Memory, efforts: str) -> tuple[Block, SettledWhen]:
        """Return the parts that say whether and when contacts rebound, and at what velocities; `efforts` are tau."""
        reads, found = ["held dt", "held contacts", "gaps", "rates", *VELOCITIES], ["times", "aims", "arrive", "latest"]
        expect = make_named_block(memory, "expect", reads, [*found, LEFT_OUT], self.expect)
        own = [efforts if name == "tau" else name for name in self._forces]
        reads = [*reads, "held forces", "axes", "free", "J", "soles", *INERTIA, "qd", *own]
        locate = make_named_block(memory, "impacts", reads, found, self.locate)
        return expect, SettledWhen(memory.places("latest").start, (locate,))

    def expect(self, at: Mapping[str, Any]) -> list[Number]:
        """Return no times and aims, whether to look for them, and nothing left out."""
        each, (h,) = self._normals(at), at["dt"]
        flags = [may_rebound(*own, e, h) for own, e in zip(each, at["contacts"][1::4], strict=True)]
        return [*[0.0] * (2 * len(flags) + self.model.rows), find_latest(flags), *[0.0] * (3 * len(flags))]

    def locate(self, at: Mapping[str, Any]) -> list[Number]:
        """Return times (s) of contacts that rebound, their velocities after it, those before it, and the latest time.

        Velocities of rows before an impact are J v with J and v of the position from which impulses push: its energy
        is that of what impulses do there. To that are added those that forces make until then.
        """
        terms, (h,), model = self.terms, at["dt"], self.model
        last = terms.read_impulses(at["dt"], at["forces"], at["axes"])[::3]
        rows, inertia = self._read_rows(at)
        begun = model.free_velocities.select(list(at["qd"]))
        at_rest = model.forces_at_rest(**{TERMS.get(name, name): at[name] for name in self._forces})
        falls = rows.move(inertia.solve([h * f for f in at_rest]))
        arrive = rows.move([0.5 * (v + w) for v, w in zip(begun, terms.full("free", at["free"]), strict=True)])
        times, aims = list[Number](), list[Number]()
        each = zip(self._normals(at), at["contacts"][1::4], last, model.swaying, strict=False)
        for c, (own, e, pressed, sways) in enumerate(each):
            share, aim = find_impact(Approach(*own, arrive[3 * c], falls[3 * c]), e, pressed, h)
            for i in range(3 * c, 3 * c + 3):
                arrive[i] = arrive[i] + share * falls[i]
            # Where both bodies move, an impulse along the axes of the start keeps angular momentum there, not later.
            times.append(0.0 if sways else h * share)
            aims.append(aim)
        return [*times, *aims, *arrive, find_latest(times)]

    @property
    def _forces(self) -> list[str]:
        """The arguments that forces depend on at rest."""
        return [a.name for a in self.terms.arguments if a.name in ("q", "tau", PARAMETERS)]

    def read_impacts(self, at: Mapping[str, Any]) -> dict[str, list[Number]]:
        """Return times and aims of impacts by name, of terms and arguments of a step."""
        found, k = self.locate(at), len(self.model.contacts)
        return {"times": found[:k], "aims": found[k : 2 * k], "arrive": found[2 * k : -1]}

    def _normals(self, at: Mapping[str, Any]) -> list[tuple[Number, Number, Number]]:
        """Return the gap of each contact, its normal velocity, and that without impulses."""
        terms, b = self.terms, self.terms.full_velocities(*(at[name] for name in VELOCITIES))
        return list(zip(terms.full("gaps", at["gaps"]), terms.full("rates", at["rates"]), b[::3], strict=False))

    def _read_rows(self, at: Mapping[str, Any]) -> tuple[ContactRows, ClosedInertia]:
        """Return rows of contacts, and what velocities yield to impulses."""
        rows = ContactRows.read(self.terms, at["J"], at["soles"], at["places"])
        return rows, self.terms.inertia(*(at[name] for name in INERTIA))

    def find(self, at: Mapping[str, Any], x: Numbers, change: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return impulses, the change of velocities and the way, of terms and `LATE`.

        What an impact makes of impulses is cut where it would make energy. Contacts that press while others rebound
        do until then what they did in the step before. The way is cut where it would lead into the ground.
        """
        terms, (h,), times, k = self.terms, at["dt"], at["times"], len(self.model.contacts)
        rows, inertia = self._read_rows(at)
        full = terms.full_rows(at["J"], at["soles"], at["places"])
        free, rates = terms.full_velocities(at["b"], at["drift"], at["places"]), terms.full("rates", at["rates"])
        last = terms.read_impulses(at["dt"], at["forces"], at["axes"])
        rests = [choose(abs(rate) > IMPACT, 0.0, 1.0) for rate in rates for _ in range(3)]
        resting = [old * still for old, still in zip(last, [*rests, *last[3 * k :]], strict=True)]
        impulses = [new - old for new, old in zip(x, resting, strict=True)]
        dv = inertia.solve(multiply_transposed(full, impulses, len(change)))
        w, gained = add_vectors(free, rows.move(change)), rows.move(dv)
        others = rows.move(inertia.solve(multiply_transposed(full, resting, len(change))))
        before = [u + v for u, v in zip(at["arrive"], others, strict=True)]
        less = 1.0 - keep_energy(impulses, before, gained)
        x = [y - less * i for y, i in zip(x, impulses, strict=True)]
        change = [y - less * v for y, v in zip(change, dv, strict=True)]
        late = [(1.0 - less) * t * i for t, i in zip(average_times(x, times), impulses, strict=True)]
        way = [-y for y in inertia.solve(multiply_transposed(full, late, len(change)))]
        ends = [gap + h * (w[3 * c] - less * gained[3 * c]) for c, gap in enumerate(terms.full("gaps", at["gaps"]))]
        part = shorten_way(ends, rows.move(way)[: 3 * k : 3])
        return x, change, [part * y for y in way]

    def add_to(self, memory: Memory, names: Sequence[str], closes: bool) -> SettledWhen:
        """Return the part that finds it, of terms of these names; where loops close, in their first passage alone."""
        given = [f"held {name}" if name in ("dt", "forces") else name for name in (*LATE, *names)]
        changed = ["x", "change", "way"]
        reads = [*changed, *given, *(["closing"] if closes else [])]
        block = make_named_block(memory, "delay", reads, changed, self.replace)
        return SettledWhen(memory.places("latest").start, (block,))

    def replace(self, at: Mapping[str, Any]) -> list[Number]:
        """Return impulses, changes of velocities and the way."""
        first = find_latest(at["times"])
        if "closing" in at:
            first = choose(at["closing"][1] < 0.5, first, 0.0)
        return [*chain(*self.follow(at, at["x"], at["change"], first, at["way"]))]

    def follow(
        self,
        at: Mapping[str, Any],
        x: Numbers,
        change: Numbers,
        first: Number | None = None,
        way: Numbers | None = None,
    ) -> Iterator[list[Number]]:
        """Yield what `find` returns where `first`, by default the latest time, is not zero; else what is given."""
        is_late = (find_latest(at["times"]) if first is None else first) > 0.0
        old = x, change, [0.0] * len(change) if way is None else way
        for after, before in zip(self.find(at, x, change), old, strict=True):
            yield choose_vector(is_late, after, before)

    def displace(self, q: Any, dt: Any, free: Any, change: Any, way: Any, times: Any, *found: Any) -> list[Number]:
        """Return the end of a step without loops, q' and qd' of `found`, moved by a way where any time is not zero."""
        coupled, manifold, (h,), (q_after, qd_after) = self.model.free_velocities, self.model.manifold, dt, found
        step = [h * (v + c) + d for v, c, d in zip(self.terms.full("free", free), change, way, strict=True)]
        ahead = self.model.couple(glide(manifold, q, np.array(coupled.spread(step), dtype=object))[0])
        carried = carry(manifold, np.array(q_after, dtype=object), ahead, np.array(qd_after, dtype=object))
        is_late, ends = find_latest(times) > 0.0, [*q_after, *qd_after]
        return choose_vector(is_late, [*ahead, *carried], ends)

    def displace_end(self, memory: Memory) -> SettledWhen:
        """Return the part that moves the end of a step without loops."""
        reads = ["held q", "held dt", "free", "change", "way", "times", "q'", "qd'"]
        block = memory.block("displace", reads, reads[-2:], self.displace)
        return SettledWhen(memory.places("latest").start, (block,))
