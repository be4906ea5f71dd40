"""A convex quadratic program as code: min x'H x / 2 + g'x, lower <= A x <= upper, by a dual active set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
    make_numbered_argument,
)
from screwgraph.optimize.active_set.passages import TRIED, Passages
from screwgraph.optimize.dense_factors import flag
from screwgraph.tape import Loop, Memory, Part, Pick, Put, Routine, When
from screwgraph.tape.parts import Copies

SLOTS = ("duals", "normals", "row", "bound", "penalties", "multiplier")
SOLUTION = ("status", "iterations", "violation")
"""Status: 0 solved, 1 with rows relaxed at their penalty, 2 the most iterations, 3 no numbers: x is zero."""


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """A program of n unknowns and rows with entries in `columns` each, in a memory; `most` passages at most.

    Vectors of `problem_sizes` are there before `parts` are done. `H`: lower triangle by rows; `g`; `A`: dense, by rows;
    `lower`, `upper`; `penalty`: the largest multiplier of each row, beyond which it is relaxed (exact penalty);
    `active`: rows that may be active, 1 at their lower bound, -1 at their upper one, else 0, as the last result says.
    After them `x`, `active'` (2 and -2 are relaxed rows) and `solution` hold the result.

    A dual active set: x is always the best point for the rows that are active. A passage activates the row that is
    violated most, and one whose multiplier meets a bound on the way leaves: Goldfarb and Idnani (1983), "A numerically
    stable dual method for solving strictly convex quadratic programs". Multipliers are bounded by penalties, so that
    there is always a solution. At the end all is solved for the active rows at once, which corrects rounding; where
    rows were relaxed on the way, whose penalties are large, by the gradient in x.
    """

    __repr__ = one_line

    memory: Memory
    n: int
    columns: Sequence[Sequence[int]]
    most: int

    @property
    def problem_sizes(self) -> dict[str, int]:
        """Vectors that stand before, but for `active`."""
        n, m = self.n, len(self.columns)
        return {"H": n * (n + 1) // 2, "g": n, **dict.fromkeys(("lower", "upper", "penalty"), m), "A": m * n}

    @property
    def own(self) -> dict[str, int]:
        """Vectors of the solver, in an order in which what is read together stands together."""
        n, m = self.n, len(self.columns)
        scalars = ("shift", "way", "pending", "state", "low_p", "up_p", "gap", "p", "slot", "high", "joins", "free")
        flags = (
            "solves",
            "scans",
            "adds",
            "drops",
            "polished",
            "pushed",
            "corrected",
            "corrects",
            "more",
            "tries",
            "relaxes",
        )
        numbers = ("count", "left", "held", "minus", "nought")
        return {
            **{"low": m, "up": m, "y": n, "side": 1, "normal": n, "L": n * (n - 1) // 2, "inverse": n},
            **dict(zip(SLOTS, (n * n, n * n, n, n, n, n), strict=True)),
            **{"y0": n, "x": n, "active'": m, "solution": len(SOLUTION), "values": m, "try": m},
            **{"a": n, "multiples": n, "rest": n, "squares": 3, "picked": 7, "aimed": 3},
            **{"entry": n, "dual": n, "gone": n, "dropped": 4, "nothing": n, "missed": n, "gaps": n},
            **dict.fromkeys((*scalars, *flags, *numbers), 1),
        }

    def allocate(self) -> None:
        """Add all vectors to the memory."""
        for name, size in {**self.problem_sizes, **self.own, "active": len(self.columns)}.items():
            self.memory.add(name, size)

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve."""
        own = Passages(self.n, self.columns, self.most)
        block, at = self.memory.block, self._at
        flags = ["solves", "scans", "adds", "drops", "pending", "polished"]
        add = self._add(own)
        passage = (
            When(at("corrects"), self._correct(own)),
            When(
                at("solves"),
                (
                    block(
                        "solve",
                        [*SLOTS, "y0"],
                        ["y", "multiplier", "slot", "high", "drops", "scans", "polished"],
                        own.solve,
                    ),
                ),
            ),
            When(
                at("scans"),
                (
                    block(
                        "scan",
                        ["A", "low", "up", "y", "side", "normal", "L", "inverse"],
                        ["x", "values", "p", "adds"],
                        own.scan,
                    ),
                ),
            ),
            When(at("adds"), add),
            When(at("drops"), self._drop(own)),
            block(
                "next",
                [*flags, "pushed", "corrected", "count"],
                ["more", "count", "corrects", "corrected", *flags],
                own.next,
            ),
        )
        return (
            self._clear(),
            block(
                "begin",
                ["H", "g", "lower", "upper", "active"],
                ["low", "up", "y", "L", "inverse", "y0", "try", "tries", "relaxes"],
                own.begin,
            ),
            When(
                at("relaxes"),
                (
                    block(
                        "relax",
                        ["A", "lower", "upper", "penalty", "active", "L", "inverse", "y0"],
                        ["y0", "y", "low", "up", "active'", "pushed"],
                        own.relax,
                    ),
                ),
            ),
            When(at("tries"), self._try(add)),
            Loop(at("more"), passage),
            block(
                "judge",
                ["x", "values", "lower", "upper", "active'", "scans", "adds", "polished", "count"],
                ["x", "solution"],
                own.judge,
            ),
        )

    def _clear(self) -> Part:
        """Return what writes the numbers with which all begins."""
        n = self.n
        names = [name for name in self.own if name not in ("low", "up", "y", "L", "inverse", "y0", "try", "tries")]
        values = {"polished": [1.0], "scans": [1.0], "row": [-1.0] * n, "minus": [-1.0]}
        numbers = [x for name in names for x in values.get(name, [0.0] * self.own[name])]
        return self.memory.block("clear", [], names, lambda: numbers)

    def _try(self, add: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return what makes rows of the last solution active, one after the other, and has all solved for them."""
        m, block = len(self.columns), self.memory.block
        begin = block("row", [], ["pending", "way", "shift"], lambda: [TRIED, 1.0, 0.0])
        count = block("count", ["p"], ["p", "left"], lambda p: [p[0] + 1.0, flag(p[0] < m - 1.5)])
        one = (
            Pick(*self._rows("try", m), self._at("p"), self._at("side")),
            When(self._at("side"), (begin, *add)),
            count,
        )
        end = block(
            "tried",
            [],
            ["p", "solves", "scans", "drops", "pending", "polished"],
            lambda: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        )
        return (Loop(self._at("left"), one), end)

    def _add(self, own: Passages) -> tuple[Part, ...]:
        """Return what adds the row p, or goes some of its way."""
        block, at, m, n = self.memory.block, self._at, len(self.columns), self.n
        sources = ("low", "up", "values", "active'", "lower", "upper", "penalty")
        bases = ["duals", "normals"]
        split = ["multiples", "rest", "squares"]
        state, moved = ["side", "shift", "way"], ["y", "y0", "multiplier", "shift"]
        again = self.memory.places("squares")[-1]
        return (
            Pick(*self._rows("A", m), at("p"), at("normal")),
            *(Pick(*self._rows(name, m), at("p"), at("picked") + i) for i, name in enumerate(sources)),
            block("aim", ["picked", *state, "pending"], [*state, "aimed"], own.aim),
            block("project", ["side", "normal", "L", "inverse", *bases], ["a", *split], own.project),
            When(again, (block("refine", [*split, *bases], split, own.refine),)),
            block(
                "move",
                [
                    "a",
                    *split,
                    "row",
                    "penalties",
                    "multiplier",
                    "y",
                    "y0",
                    "picked",
                    *state,
                    "aimed",
                    "pending",
                    "pushed",
                ],
                [*moved, "state", "low_p", "up_p", "pending", "slot", "high", "drops", "joins", "free", "pushed"],
                own.move,
            ),
            *self._note("p"),
            When(
                at("joins"),
                (
                    block("join", [*split, "duals"], ["duals", "entry"], own.join),
                    Put(*self._rows("duals", n), at("free"), at("entry")),
                    Put(*self._rows("normals", n), at("free"), at("a")),
                    *(
                        Put(*self._rows(name, n), at("free"), place)
                        for name, place in (
                            ("row", at("p")),
                            ("bound", at("aimed")),
                            ("penalties", at("aimed") + 1),
                            ("multiplier", at("shift")),
                        )
                    ),
                ),
            ),
        )

    def _drop(self, own: Passages) -> tuple[Part, ...]:
        """Return what takes the row in `slot` out of it."""
        at, m, n = self._at, len(self.columns), self.n
        return (
            Pick(*self._rows("duals", n), at("slot"), at("dual")),
            Pick(*self._rows("normals", n), at("slot"), at("gone")),
            Pick(*self._rows("row", n), at("slot"), at("left")),
            Pick(*self._rows("penalties", n), at("slot"), at("dropped")),
            *(
                Pick(*self._rows(name, m), at("left"), at("dropped") + i)
                for i, name in enumerate(("active'", "lower", "upper"), start=1)
            ),
            self.memory.block(
                "drop",
                ["duals", "y0", "dual", "gone", "dropped", "high", "pushed"],
                ["duals", "y0", "state", "low_p", "up_p", "pushed"],
                own.drop,
            ),
            Put(*self._rows("duals", n), at("slot"), at("nothing")),
            Put(*self._rows("row", n), at("slot"), at("minus")),
            Put(*self._rows("multiplier", n), at("slot"), at("nought")),
            *self._note("left"),
        )

    def _correct(self, own: Passages) -> tuple[Part, ...]:
        """Return what corrects y and multipliers of the active rows by what x leaves of the gradient and misses."""
        block, at, m, n = self.memory.block, self._at, len(self.columns), self.n
        row = (
            Pick(*self._rows("A", m), at("left"), at("normal")),
            Pick(*self._rows("active'", m), at("left"), at("state")),
            Pick(*self._rows("multiplier", n), at("slot"), at("shift")),
            Pick(*self._rows("bound", n), at("slot"), at("gap")),
            block("miss_row", ["missed", "normal", "state", "shift", "x", "gap"], ["missed", "gap"], own.miss_row),
            Put(*self._rows("gaps", n), at("slot"), at("gap")),
        )
        slot = (
            Pick(*self._rows("row", n), at("slot"), at("left")),
            block("is_held", ["left"], ["held"], lambda left: [flag(left[0] > -0.5)]),
            When(at("held"), row),
            block("next_slot", ["slot"], ["slot", "more"], lambda j: [j[0] + 1.0, flag(j[0] < n - 1.5)]),
        )
        reads = ["missed", "gaps", "y", "L", "inverse", "duals", "normals", "row", "penalties", "multiplier"]
        return (
            block("miss", ["H", "g", "A", "penalty", "x", "active'"], ["missed", "slot"], own.miss),
            Loop(at("more"), slot),
            block("correct", reads, ["y", "multiplier"], own.correct),
        )

    def _note(self, row: str) -> tuple[Part, ...]:
        """Return what notes the state of a row and the bounds that it is watched for."""
        m, at = len(self.columns), self._at
        pairs = (("active'", "state"), ("low", "low_p"), ("up", "up_p"))
        return tuple(Put(*self._rows(name, m), at(row), at(number)) for name, number in pairs)

    def _at(self, name: str) -> int:
        return self.memory.places(name).start

    def _rows(self, name: str, rows: int) -> tuple[int, int, int]:
        places = self.memory.places(name)
        return places.start, rows, len(places) // rows


def compile_quadratic_program(n: int, m: int, most: int = 0) -> Function:
    """Return (H, g, A, lower, upper, penalty, active) -> (x, active, solution) of n unknowns and m rows.

    `QuadraticProgram` describes them; `most` are iterations at most, by default 10 (n + m).

    Raises:
        InputError: there are no unknowns or no rows.
    """
    if n < 1 or m < 1:
        raise InputError(f"a quadratic program of {n} unknowns and {m} rows", fix="there is one of each at least")
    shapes = {"H": (n, n), "g": (n,), "A": (m, n), **dict.fromkeys(("lower", "upper", "penalty", "active"), (m,))}
    arguments = tuple(
        replace(make_numbered_argument(name, prod(shape)), shape=shape, size=1.0) for name, shape in shapes.items()
    )
    results = (Result("x", (n,)), Result("active", (m,)), Result("solution", (len(SOLUTION),)))

    def make(_: Any) -> CachedCode:
        memory = Memory()
        own = QuadraticProgram(memory, n, [range(n)] * m, most or 10 * (n + m))
        own.allocate()
        square, kept = memory.add("square", n * n), memory.places("H")
        lower = Copies(tuple(square[n * i + j] for i in range(n) for j in range(i + 1)), tuple(kept))
        parts = (lower, *own.parts())
        inputs = [place for name in shapes for place in memory.places("square" if name == "H" else name)]
        outputs = [place for name in ("x", "active'", "solution") for place in memory.places(name)]
        names = tuple(name for argument in arguments for name in argument.names)
        return CachedCode(Routine(names, tuple(inputs), tuple(outputs), memory.size, parts), "none")

    question = ("quadratic program", n, m, most)
    return make_function(
        "quadratic_program",
        question,
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a quadratic program"),
        results,
        quietly=True,
    )
