"""Strict priorities: quadratic programs one after the other, each among the solutions of those before.

Escande, Mansard & Wieber (2014), "Hierarchical quadratic programming": a task of a later level changes nothing of what
those of earlier levels reach. One program serves all levels: rows of tasks, which have no bounds at first, are held
where the solution of their level has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.active_set import QuadraticProgram, RoundCones
from screwgraph.spatial import choose
from screwgraph.tape import Loop, Memory, Number, Part, Pick, dot

UNBOUNDED = 1e300
"""Bound of a row of a task before its level."""


@dataclass(frozen=True)
class HeldRow:
    """A row of the program that is of a task: the task, the level, and its columns."""

    row: int
    task: int
    level: int


@dataclass(frozen=True, eq=False)
class TaskLevels:
    """A program whose terms `H` and `g` are one of each level, in the vectors `Hs` and `gs`."""

    memory: Memory
    program: QuadraticProgram | RoundCones
    levels: int
    held: Sequence[HeldRow]

    def allocate(self) -> None:
        """Add the vectors of levels to the memory, beside those of the program."""
        sizes = self.program.problem_sizes
        for name, size in {
            "Hs": self.levels * sizes["H"],
            "gs": self.levels * sizes["g"],
            "level": 1,
            "levels_left": 1,
            "passed": 1,
        }.items():
            self.memory.add(name, size)

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve all levels."""
        block, at = self.memory.block, self.memory.places
        loads = (
            Pick(at(source).start, self.levels, len(at(name)), at("level").start, at(name).start)
            for source, name in (("Hs", "H"), ("gs", "g"))
        )
        reads = ["x", "combined", "A", "lower", "upper", "active'", "solution", "gains", "level", "passed"]
        hold = block("hold", reads, ["lower", "upper", "active", "level", "levels_left", "passed"], self.hold)
        return (
            block("first_level", ["active"], ["active", "level", "passed"], self.begin),
            Loop(at("levels_left").start, (*loads, *self.program.parts(), hold)),
            block("all_levels", ["solution", "passed"], ["solution"], lambda a, b: [a[0], b[0], a[2]]),
        )

    def begin(self, active: Any) -> list[Number]:
        """Return active rows without those of tasks, and the first level."""
        own = {held.row for held in self.held}
        return [*(0.0 if i in own else x for i, x in enumerate(active)), 0.0, 0.0]

    def hold(
        self,
        x: Any,
        combined: Any,
        A: Any,
        lower: Any,
        upper: Any,
        active: Any,
        solution: Any,
        gains: Any,
        level: Any,
        passed: Any,
    ) -> list[Number]:
        """Return bounds that hold tasks of the level where they are, active rows, the next level, and all passages."""
        low, up, states, every = list(lower), list(upper), list(active), [*x, *combined]
        for held in self.held:
            i = held.row
            counts = (1.0 * (abs(level[0] - held.level) < 0.5)) * (gains[3 * held.task + 2] > 0.0)
            value = dot(A[len(every) * i : len(every) * (i + 1)], every)
            low[i], up[i] = choose(counts > 0.5, value, low[i]), choose(counts > 0.5, value, up[i])
            states[i] = choose(counts > 0.5, 1.0, states[i])
        left = 1.0 * (level[0] < self.levels - 1.5)
        return [*low, *up, *states, level[0] + 1.0, left, passed[0] + solution[1]]
