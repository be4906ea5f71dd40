"""Strict priorities: quadratic programs one after the other, each among the solutions of those before.

Escande, Mansard & Wieber (2014), "Hierarchical quadratic programming": a task of a later level changes nothing of what
those of earlier levels reach. One program serves all levels: rows of tasks, which have no bounds at first, are held
where the solution of their level has them, as equations that no limit moves.

Small weights, without which a program of few tasks has no one solution, play no part in what a level reaches: it is
solved twice, the second time with squares of the distance from the first solution: Rockafellar (1976), "Monotone
operators and the proximal point algorithm".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.active_set import QuadraticProgram, RoundCones
from screwgraph.optimize.dense_factors import flag
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Loop, Memory, Number, Part, Pick, Put, StageLoop, When, Window

UNBOUNDED = 1e300
"""Bound of a row of a task before its level."""
PUSHED = 10.0
"""How many times as large as by small weights alone a multiplier is that tasks cause."""
ROUNDING = 1e-9
"""Part of the largest multiplier that is rounding."""
CANCELLED = 1e-10
"""Part of the largest slope of a level's cost that is: multipliers are what is left of slopes that cancel."""
VISIBLE = 1e-7
"""Violation of a bound, in its units, that counts as such."""
HELD = -1.0
"""Penalty of rows of tasks: a negative one says that they are held."""


REACHED = ("x", "combined", "values")
"""What a level reaches."""


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

    @property
    def rows(self) -> int:
        """How many rows the program has."""
        return self.program.problem_sizes["lower"]

    def allocate(self) -> None:
        """Add the vectors of levels to the memory, beside those of the program."""
        sizes = self.program.problem_sizes
        for name, size in {
            "Hs": self.levels * sizes["H"],
            "gs": self.levels * sizes["g"],
            "rests": self.levels * sizes["g"],
            "rest of level": sizes["g"],
            **{f"last {name}": len(self.memory.places(name)) for name in REACHED},
            **dict.fromkeys(("kept", "needed"), self.rows),
            "center": sizes["g"],
            **dict.fromkeys(
                (
                    "level",
                    "levels_left",
                    "is second",
                    "goes again",
                    "ends level",
                    "own row",
                    "is needed",
                    "is row",
                    "largest",
                    "one",
                ),
                1,
            ),
            "worst": 3,
        }.items():
            self.memory.add(name, size)

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve all levels."""
        block, at = self.memory.block, self.memory.places
        loads = (
            Pick(at(source).start, self.levels, len(at(name)), at("level").start, at(name).start)
            for source, name in (("Hs", "H"), ("gs", "g"), ("rests", "rest of level"))
        )
        last = [f"last {name}" for name in REACHED]
        center = block("center_rest", ["g", "rest of level", "center"], ["g"], _center_rest)
        turn = block(
            "look_at_level", ["level", "is second"], ["goes again", "ends level", "levels_left"], self._look_at_level
        )
        reads = ["solution", "level", *REACHED, *last]
        settle = block("settle_level", reads, [*REACHED, *last, "solution"], self.settle)
        writes = ["center", "active", "is second", "worst"]
        again = block("go_again", ["x", "active'", "solution", "worst"], writes, self._go_again)
        reads = ["values", "lower", "upper", "penalty", "active'", "solution", "gains", "level", "worst"]
        writes = ["lower", "upper", "penalty", "active", "level", "worst", "kept", "needed"]
        hold = block("hold", [*reads, "kept", "needed"], [*writes, "center", "is second"], self.hold)
        writes = ["active", "level", "worst", "kept", "needed", "center", "is second", *last]
        passage = (
            *(*loads, center, *self.program.parts(), turn),
            When(at("ends level").start, self._find_needed()),
            settle,
            When(at("goes again").start, (again,)),
            When(at("ends level").start, (hold,)),
        )
        return (
            block("first_level", ["active"], writes, self.begin),
            Loop(at("levels_left").start, passage),
            block("all_levels", ["worst", "kept", "active'"], ["solution", "active'"], self.end),
        )

    def _find_needed(self) -> tuple[Part, ...]:
        """Return what finds the rows without which tasks of the level would miss less: `needed`.

        Multipliers of active rows are those of tasks and of small weights; N* L^-1 R (x - c) are the latter.
        """
        block, at = self.memory.block, self.memory.places
        program = self.program.program if isinstance(self.program, RoundCones) else self.program
        bases, n = program.bases, program.n
        zeros = [0.0] * program.combined
        names = {"row of slot": "row", "multiplier of slot": "multiplier", "share of slot": "multiples"}
        for name, source in names.items():
            self.memory.alias(name, range(at(source).start, at(source).start + 1))
        slot = (
            block(
                "look_at_slot",
                ["row of slot", "multiplier of slot", "share of slot", "largest"],
                ["own row", "is row", "is needed"],
                _need,
            ),
            When(
                at("is row").start, (Put(at("needed").start, self.rows, 1, at("own row").start, at("is needed").start),)
            ),
        )
        windows = tuple(Window(at(source).start, 1, 1) for source in names.values())
        return (
            block(
                "pull_by_rest",
                ["rest of level", "x", "center"],
                ["missed"],
                lambda rest, x, c: [*(r * (a - b) for r, a, b in zip(rest, x, c, strict=True)), *zeros],
            ),
            bases.pull(at("missed"), "a"),
            *bases.split(),
            block("bound_push", ["multiplier", "multiples", "g"], ["largest"], _bound_push),
            StageLoop(n, slot, windows),
        )

    def begin(self, active: Any) -> list[Number]:
        """Return active rows without those of tasks, the first level, the solution so far, and no row that is held."""
        own, zeros = {held.row for held in self.held}, [0.0] * (2 * self.rows)
        reached = [0.0] * sum(len(self.memory.places(name)) for name in REACHED)
        return [
            *(0.0 if i in own else x for i, x in enumerate(active)),
            0.0,
            *[0.0] * 3,
            *zeros,
            *self._no_center,
            *reached,
        ]

    @property
    def _no_center(self) -> list[Number]:
        """Small weights about zero, for the first of a level's programs."""
        return [0.0] * (self.program.problem_sizes["g"] + 1)

    def _look_at_level(self, level: Any, is_second: Any) -> list[Number]:
        """Return whether the level has a second program, whether it ends, and whether another one follows."""
        is_last = flag(level[0] > self.levels - 1.5)
        again = (1.0 - is_last) * (1.0 - is_second[0])
        return [again, 1.0 - again, 1.0 - is_last]

    def _go_again(self, x: Any, active: Any, solution: Any, worst: Any) -> list[Number]:
        """Return the center of small weights and what else the second program of a level begins with."""
        return [*x, *active, 1.0, worst[0], worst[1] + solution[1], worst[2]]

    def settle(self, solution: Any, level: Any, *vectors: Any) -> list[Number]:
        """Return what a program reached, twice, and its solution; where it found none, what the last one reached.

        The last point is within all bounds of later levels: what gives way there is a failure.
        """
        k, later = len(REACHED), flag(level[0] > 0.5)
        gives_way = flag(solution[0] > 0.5) * flag(solution[2] > VISIBLE)
        fails = later * maximum(gives_way, flag(solution[0] > 1.5)) > 0.5
        found = [
            choose(fails, b, a)
            for new, old in zip(vectors[:k], vectors[k:], strict=True)
            for a, b in zip(new, old, strict=True)
        ]
        # What a later level that is solved misses are rows that follow from others, as far as can be told.
        misses = choose(later * flag(solution[0] < 0.5) + flag(fails) > 0.5, 0.0, solution[2])
        return [*found, *found, choose(fails, maximum(solution[0], 2.0), solution[0]), solution[1], misses]

    def hold(
        self,
        values: Any,
        lower: Any,
        upper: Any,
        penalty: Any,
        active: Any,
        solution: Any,
        gains: Any,
        level: Any,
        worst: Any,
        kept: Any,
        needed: Any,
    ) -> list[Number]:
        """Return bounds that hold what the level reaches, active rows, the next level, and the solution till now.

        Rows of its tasks stay where they are, and so do limits that gave way, or without which tasks would miss less:
        they are active whatever later levels ask for. Held as equations, they leave no room that only rounding has.
        The solution has the worst status of all levels, all passages, and the largest violation.
        """
        low, up, most, states, keep = (list[Number]() for _ in range(5))
        own = {held.row: held for held in self.held}
        for i, value in enumerate(values):
            if i in own:
                counts = flag(gains[3 * own[i].task + 2] > 0.0)
                state = counts * flag(abs(level[0] - own[i].level) < 0.5)
            else:
                state = active[i] * maximum(flag(abs(active[i]) > 1.5), flag(abs(active[i]) > 0.5) * needed[i])
            begins = flag(abs(state) > 0.5) * flag(abs(kept[i]) < 0.5) > 0.5
            keep.append(choose(begins, state, kept[i]))
            is_kept = abs(keep[-1]) > 0.5
            states.append(maximum(-1.0, minimum(1.0, choose(is_kept, keep[-1], active[i]))))
            # Later levels begin at a point within all bounds.
            low.append(choose(begins, value, minimum(lower[i], value)))
            up.append(choose(begins, value, maximum(upper[i], value)))
            low[-1], up[-1] = (choose(abs(kept[i]) > 0.5, a, b) for a, b in ((lower[i], low[-1]), (upper[i], up[-1])))
            most.append(choose(is_kept, HELD, penalty[i]))
        total = maximum(worst[0], solution[0]), worst[1] + solution[1], maximum(worst[2], solution[2])
        return [*low, *up, *most, *states, level[0] + 1.0, *total, *keep, *[0.0] * self.rows, *self._no_center]

    def end(self, worst: Any, kept: Any, active: Any) -> list[Number]:
        """Return the solution of all levels, and active rows, of which those that are held have their first state."""
        return [*worst, *(choose(abs(a) > 0.5, a, b) for a, b in zip(kept, active, strict=True))]


def _center_rest(g: Any, rest: Any, center: Any) -> list[Number]:
    """Return the linear cost where small weights are of the distance from a center."""
    return [x - r * c for x, r, c in zip(g, rest, center, strict=True)]


def _bound_push(multiplier: Any, shares: Any, g: Any) -> list[Number]:
    """Return what a multiplier without its share of small weights is up to, where tasks do not push against the row."""
    rounding = maximum(ROUNDING * largest_size(multiplier), CANCELLED * largest_size(g))
    return [maximum(PUSHED * largest_size(shares), rounding)]


def _need(row: Any, multiplier: Any, share: Any, largest: Any) -> list[Number]:
    """Return the row of a slot, whether there is one, and whether tasks push against it."""
    return [maximum(row[0], 0.0), flag(row[0] > -0.5), flag(multiplier[0] - share[0] > largest[0])]
