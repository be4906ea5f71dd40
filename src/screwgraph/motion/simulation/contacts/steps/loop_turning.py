"""What turns velocities as loops do in a step: a part that does nothing where these are slow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS
from screwgraph.motion.simulation.contacts.laws.sweeps import choose_vector, largest
from screwgraph.motion.simulation.contacts.steps.named_vectors import MakeParts
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Number, Part, SettledWhen

SLOW = 1e-4
"""Way of a coordinate in a step (rad, m) up to which passages turn velocities: by 1e-8 of these too much."""
TURN, TURNS = "turn", "turns"
"""Rates of loops, then impulses, that turn velocities; whether there are any."""


@dataclass(frozen=True, eq=False)
class LoopTurning:
    """The part of a model with loops that finds `TURN`, an argument of its terms."""

    __repr__ = one_line

    model: TouchingModel

    @property
    def size(self) -> int:
        """How many numbers `TURN` has."""
        coupled = self.model.free_velocities
        return len(coupled.loops) + len(coupled.free)

    def list_parts(self, memory: Memory, make: MakeParts) -> tuple[Part, ...]:
        """Return the parts that find whether velocities turn, and how."""
        values = [PARAMETERS] if self.model.parameters else []
        begin = make("begin turn", ["held q", "qd", "held dt"], [TURN, TURNS], self.begin)
        find = make("turn", ["held q", "qd", "held dt", *values, TURNS, TURN], [TURN], self.find)
        return *begin, SettledWhen(memory.places(TURNS).start, find)

    def begin(self, at: Mapping[str, Any]) -> list[Number]:
        """Return that nothing turns velocities, and whether to find what does."""
        fastest = largest(self.model.free_velocities.select(list(at["qd"])))
        return [*[0.0] * self.size, choose(at["dt"][0] * fastest > SLOW, 1.0, 0.0)]

    def find(self, at: Mapping[str, Any]) -> list[Number]:
        """Return what turns velocities that are not slow."""
        values = {"values": at[PARAMETERS]} if PARAMETERS in at else {}
        found = self.model.turn_loops(at["q"], at["qd"], at["dt"], **values)
        return choose_vector(at[TURNS][0] > 0.5, found, at[TURN])
