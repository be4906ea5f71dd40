"""A bound of a step's energy where joints turn quickly: kinetic energy is that of the step before, and work.

It acts where a coordinate goes far in a step, in shorter steps where contacts push, and where loops lead aside.

A step has one mass matrix, that of its start, and Coriolis' forces and arcs of the velocities that it finds: errors of
the order of (h qd)^3, which grow where joints turn by tenths of a radian a step. Velocities of the middles of two steps
have energies which differ by the work of forces between these, to that order; what is above is taken away. Where
contacts push, all velocities shrink alike, so that what sticks sticks, and closed loops stay closed; in flight those
that the robot would not have with its joints locked, so that momentum stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS
from screwgraph.motion.simulation.contacts.laws.laws import TINY
from screwgraph.motion.simulation.contacts.laws.sweeps import add_vectors, choose_vector, largest
from screwgraph.motion.simulation.contacts.steps.named_vectors import MakeParts, make_named_block
from screwgraph.motion.simulation.contacts.steps.shorter_steps import SPLIT, WHOLE, find_lead
from screwgraph.motion.simulation.contacts.steps.step_terms import TERMS, Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.spatial import choose, maximum, minimum, sqrt
from screwgraph.spatial.manifolds.gliding import carry, glide
from screwgraph.tape import Memory, Number, SettledWhen, dot

READ = ("q'", "qd'", "qd", "ends", "release")
"""Vectors that the bound depends on, beside q, dt and arguments of forces."""
RELEASED = ("free", "change", "x", "aims", "b", "drift", "J", "soles", "places")
"""Vectors that velocities at the end and the work of contacts that part depend on."""


@dataclass(frozen=True, eq=False)
class EnergyBound:
    """The bound of the energy at the end of a step with some terms."""

    __repr__ = one_line

    model: TouchingModel
    terms: Terms

    @property
    def sizes(self) -> dict[str, int]:
        """Vectors in memory of its own: free velocities at the end; work (J), and the largest impulse."""
        return {"ends": len(self.model.free_velocities.free), "release": 2}

    def add_to(self, memory: Memory, efforts: str, make: MakeParts) -> SettledWhen:
        """Return the part that bounds velocities of the end of a step that is fast; `efforts` are tau."""
        given = [
            "held q",
            "held dt",
            "fast",
            *READ,
            *([SPLIT, f"{WHOLE}dt"] if self.leads else ()),
            *(efforts if name == "tau" else name for name in self._forces),
        ]
        release = make_named_block(memory, "release", RELEASED, list(self.sizes), self.release)
        return SettledWhen(memory.places("fast").start, (release, *make("bound", given, ["qd'"], self.bound)))

    @property
    def leads(self) -> bool:
        """Whether the end of a step is where its velocity belongs to the next one."""
        return bool(self.model.free_velocities.loops)

    @property
    def _forces(self) -> list[str]:
        """The arguments that forces depend on at rest, beside q."""
        return [a.name for a in self.terms.arguments if a.name in ("tau", PARAMETERS)]

    def release(self, at: Mapping[str, Any]) -> list[Number]:
        """Return velocities at the end, the work (J) of contacts that part while they push, and the largest impulse.

        Those that rebound do none.
        """
        rows = ContactRows.read(self.terms, at["J"], at["soles"], at["places"])
        free = self.terms.full_velocities(at["b"], at["drift"], at["places"])
        found: Number = 0.0
        for c, (b, w, aim) in enumerate(zip(free[::3], rows.move(at["change"])[::3], at["aims"], strict=False)):
            found = found + choose(aim > 0.0, 0.0, maximum(at["x"][3 * c], 0.0) * maximum(b + w, 0.0))
        return [*add_vectors(self.terms.full("free", at["free"]), at["change"]), found, largest(at["x"])]

    def bound(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the velocities at the end."""
        q, (h,), model, coupled = at["q"], at["dt"], self.model, self.model.free_velocities
        given = {TERMS.get(name, name): at[name] for name in self._forces}
        begun, qd, (release, pushed) = coupled.select(list(at["qd"])), list(at["qd'"]), at["release"]
        way = [0.5 * h * (v + w) for v, w in zip(begun, at["ends"], strict=True)]
        turned = coupled.spread([0.25 * h * (w - v) for v, w in zip(begun, at["ends"], strict=True)])
        between = model.manifold.retract(q, np.array(turned, dtype=object))
        work = dot(model.forces_at_rest(q=between, **given), way) + release
        values = {name: given[name] for name in given if name == "values"}
        lead = find_lead(largest(coupled.select(qd)), at) if self.leads else 0.0
        middle, velocity = self._middle(at["q'"], qd, h + 2.0 * lead)
        after = model.kinetic_energy(middle, velocity, **values)
        allowed = maximum(model.kinetic_energy(*self._middle(q, at["qd"], h), **values) + work, 0.0)
        locked = [choose(pushed > 0.0, 0.0, v) for v in model.lock_joints(middle, velocity, **values)]
        least = model.kinetic_energy(middle, np.array(locked, dtype=object), **values)
        part = minimum(1.0, sqrt(maximum((allowed - least) / maximum(after - least, TINY), TINY)))
        shrunk = np.array([u + part * (v - u) for u, v in zip(locked, velocity, strict=True)], dtype=object)
        carried = carry(model.manifold, middle, np.array(at["q'"], dtype=object), shrunk)
        is_above = choose(at["fast"][0] > 0.5, part, 1.0) < 1.0
        return choose_vector(is_above, carried, qd)

    def _middle(self, q: Any, qd: Any, h: Number) -> tuple[Any, Any]:
        """Return position and velocity of the middle of the step that ends at q with qd."""
        back = -0.5 * h
        at, way = glide(self.model.manifold, np.array(q, dtype=object), np.array([back * v for v in qd], dtype=object))
        return at, way * (1.0 / back)
