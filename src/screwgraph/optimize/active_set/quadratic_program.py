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
from screwgraph.optimize.active_set.dual_bases import DualBases
from screwgraph.optimize.active_set.passages import Passages
from screwgraph.optimize.dense_factors import flag
from screwgraph.tape import Loop, Memory, Number, Part, Pick, Put, Routine, StageLoop, When, Window
from screwgraph.tape.parts import Copies

SLOTS = ("row", "penalties", "multiplier")
SOLUTION = ("status", "iterations", "violation")
"""Status: 0 solved, 1 with rows relaxed at their penalty, 2 the most iterations, 3 no numbers: x is zero."""


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """A program of n unknowns and rows with entries in `columns` each, in a memory; `most` passages at most.

    Rows may be of x and of `combined` numbers E x, which many rows have in common: columns of these stand behind those
    of x. Vectors of `problem_sizes` are there before `parts` are done. `H`: lower triangle by rows; `g`; `E` and `A`:
    dense, by rows;
    `lower`, `upper`; `penalty`: the largest multiplier of each row, beyond which it is relaxed (exact penalty);
    `active`: rows that may be active, 1 at their lower bound, -1 at their upper one, else 0, as the last result says.
    After them `x`, `active'` (2 and -2 are relaxed rows) and `solution` hold the result.

    A dual active set: x is always the best point for the rows that are active. A passage activates the row that is
    violated most, and one whose multiplier meets a bound on the way leaves: Goldfarb and Idnani (1983), "A numerically
    stable dual method for solving strictly convex quadratic programs". Multipliers are bounded by penalties, so that
    there is always a solution. At the end all is solved for the active rows at once, which corrects rounding; where
    rows were relaxed on the way, whose penalties are large, by the gradient in x.

    With `holds`, rows whose penalty is negative are equations where `active` says so, else nothing: their multipliers
    have any sign, and they never leave. They are tried first, and those that depend on each other, as far as can be
    told, follow from the others.
    """

    __repr__ = one_line

    memory: Memory
    n: int
    columns: Sequence[Sequence[int]]
    most: int
    combined: int = 0
    holds: bool = False

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return self.n + self.combined

    @property
    def problem_sizes(self) -> dict[str, int]:
        """Vectors that stand before, but for `active`."""
        n, m = self.n, len(self.columns)
        bounds = dict.fromkeys(("lower", "upper", "penalty"), m)
        rows = {"A": m * self.width, **({"E": self.combined * n} if self.combined else {})}
        return {"H": n * (n + 1) // 2, "g": n, **bounds, **rows}

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
            "more rows",
            "tries",
            "relaxes",
            *(("turn", "turns left", "takes turn") if self.holds else ()),
        )
        return {
            **{"low": m, "up": m, "L": n * (n - 1) // 2, "inverse": n, **self.bases.sizes},
            **dict.fromkeys(SLOTS, n),
            **{"side": 1, "normal": self.width, "x": n, "combined": self.combined, "active'": m},
            **{"solution": len(SOLUTION), "values": m, "try": m, "number": m, "squares": 3, "picked": 7, "aimed": 3},
            **{"dropped": 4, "missed": self.width},
            **dict.fromkeys((*scalars, *flags, "count", "left", "held", "minus", "nought"), 1),
        }

    @property
    def bases(self) -> DualBases:
        """Products with normals of active rows and their dual vectors."""
        return DualBases(self.memory, self.n, self.combined)

    @property
    def passages(self) -> Passages:
        """Code of the passages."""
        return Passages(self.n, self.columns, self.most, self.combined, self.holds)

    def allocate(self) -> None:
        """Add all vectors to the memory."""
        for name, size in {"E": 0, **self.problem_sizes, **self.own, "active": len(self.columns)}.items():
            self.memory.add(name, size)
        self.bases.name_vectors()

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve."""
        own, block, at = self.passages, self.memory.block, self._at
        flags = ["solves", "scans", "adds", "drops", "pending", "polished"]
        goals = ["multiplier", "slot", "high", "drops", "scans", "polished"]
        solve = (
            Copies(tuple(self.memory.places("y0")), tuple(self.memory.places("y"))),
            *self.bases.approach("y", "y0", "bound"),
            block("settle", ["goals", *SLOTS], goals, own.settle),
        )
        reads = ["A", "E", "low", "up", "y", "L", "inverse", "count"]
        scan = block("scan", reads, ["x", "combined", "values", "p", "adds"], own.scan)
        passage = (
            When(at("corrects"), self._correct()),
            When(at("solves"), solve),
            When(at("scans"), (scan,)),
            When(at("adds"), self._add()),
            When(at("drops"), self._drop()),
            block(
                "next",
                [*flags, "pushed", "corrected", "count"],
                ["more rows", "count", "corrects", "corrected", *flags],
                own.next,
            ),
        )
        reads, bounds = ["A", "lower", "upper", "penalty", "active"], ["low", "up", "y", "L", "inverse", "y0"]
        relax = (
            block("relax", reads, ["missed", "low", "up", "active'", "pushed"], own.relax),
            self.bases.pull(self.memory.places("missed"), "a"),
            block("push", ["y0", "a"], ["y0", "y"], own.push),
        )
        return (
            self._clear(),
            block("begin", ["H", "g", "lower", "upper", "active"], [*bounds, "try", "tries", "relaxes"], own.begin),
            *self.bases.invert(),
            When(at("relaxes"), relax),
            When(at("tries"), self._try()),
            Loop(at("more rows"), passage),
            block(
                "judge",
                ["x", "values", "lower", "upper", "active'", "scans", "adds", "polished", "count"],
                ["x", "solution"],
                own.judge,
            ),
        )

    def _clear(self) -> Part:
        """Return what writes the numbers with which all begins."""
        n, m, pitch = self.n, len(self.columns), self.bases.pitch
        written = ("low", "up", "L", "inverse", "inverses", "try", "tries", "relaxes")
        names = [name for name in self.own if name not in written]
        values = {"polished": [1.0], "scans": [1.0], "row": [-1.0] * n, "minus": [-1.0]}
        values |= {"number": [float(i) for i in range(m)], "lane, padded": [float(i) for i in range(pitch)]}
        numbers = [x for name in names for x in values.get(name, [0.0] * self.own[name])]
        return self.memory.block("clear", [], names, lambda: numbers)

    def _try(self) -> tuple[Part, ...]:
        """Return what makes rows of the last solution active, one after the other, and has all solved for them."""
        block, at = self.memory.block, self._at
        own = dict.fromkeys(("try", "number", "active'", "lower", "upper", "penalty", "low", "up"), 1)
        first = {name: range(at(name), at(name) + size) for name, size in {**own, "A": self.width}.items()}
        for name, places in first.items():
            self.memory.alias(f"{name} of a row", places)
        of_row = (f"{name} of a row" for name in ("try", "lower", "upper", "penalty", *(("A",) if self.holds else ())))
        reads = ["squares", *of_row, *(("inverse",) if self.holds else ())]
        writes = ["joins", *(f"{name} of a row" for name in ("active'", "low", "up")), "aimed"]
        numbers = (("row", first["number"].start), ("bound", at("aimed")), ("penalties", at("aimed") + 1))
        next_slot = block("next_slot", ["free"], ["free"], lambda free: [free[0] + 1.0])
        one = (
            *self._project(first["A"], first["try"]),
            block("try", reads, writes, self.passages.try_held_row if self.holds else self.passages.try_row),
            When(at("joins"), (*self._join(numbers), next_slot)),
        )
        windows = tuple(Window(x.start, len(x), len(x)) for x in first.values())
        end = block("tried", [], ["solves", "scans", "drops", "polished"], lambda: [1.0, 0.0, 0.0, 0.0])
        if not self.holds:
            return (StageLoop(len(self.columns), (When(first["try"].start, one),), windows), end)
        turn = block("takes_turn", ["try of a row", "penalty of a row", "turn"], ["takes turn"], _take_turn)
        rows = StageLoop(len(self.columns), (turn, When(at("takes turn"), one)), windows)
        next_turn = block("next_turn", ["turn"], ["turn", "turns left"], lambda turn: [1.0 - turn[0], 1.0 - turn[0]])
        return (Loop(at("turns left"), (rows, next_turn)), end)

    def _add(self) -> tuple[Part, ...]:
        """Return what adds the row p, or goes some of its way."""
        block, at, m = self.memory.block, self._at, len(self.columns)
        sources = ("low", "up", "values", "active'", "lower", "upper", "penalty")
        state, row = ["side", "shift", "way"], self.memory.places("normal")
        reads = ["a", "multiples", "rest", "squares", *SLOTS, "y", "y0", "picked", *state, "aimed", "pushed"]
        writes = ["y", "y0", "multiplier", "shift", "state", "low_p", "up_p", "pending", "slot", "high"]
        numbers = (
            ("row", at("p")),
            ("bound", at("aimed")),
            ("penalties", at("aimed") + 1),
            ("multiplier", at("shift")),
        )
        return (
            Pick(*self._rows("A", m), at("p"), row.start),
            *(Pick(*self._rows(name, m), at("p"), at("picked") + i) for i, name in enumerate(sources)),
            block("aim", ["picked", *state, "pending"], [*state, "aimed"], self.passages.aim),
            *self._project(row, self.memory.places("side")),
            block("move", reads, [*writes, "drops", "joins", "free", "pushed"], self.passages.move),
            *self._note("p"),
            When(at("joins"), self._join(numbers)),
        )

    def _project(self, row: range, side: range) -> tuple[Part, ...]:
        """Return what splits the normal of a row at places, on the side at another, into active ones and a rest."""
        bases, squares = self.bases, self.memory.places("squares")
        measure = self.memory.block("measure", ["rest", "a"], ["squares"], self.passages.measure)
        again = When(squares[-1], (*bases.split_again(), measure))
        return (bases.pull(row, "a", side), *bases.split(), measure, again)

    def _join(self, numbers: Sequence[tuple[str, int]]) -> tuple[Part, ...]:
        """Return what makes a row active in the slot `free`; its `numbers` stand at places."""
        at, n, pitch = self._at, self.n, self.bases.pitch
        normal = Put(at("normals"), n, pitch, at("free"), at("a"))
        return (*self.bases.join(), normal, *(Put(*self._rows(name, n), at("free"), place) for name, place in numbers))

    def _drop(self) -> tuple[Part, ...]:
        """Return what takes the row in `slot` out of it."""
        at, m, n, pitch = self._at, len(self.columns), self.n, self.bases.pitch
        reads = ["y0", "gone", "dropped", "high", "pushed"]
        return (
            Pick(at("duals"), n, pitch, at("slot"), at("dual")),
            Pick(at("normals"), n, pitch, at("slot"), at("gone")),
            Pick(*self._rows("row", n), at("slot"), at("left")),
            Pick(*self._rows("penalties", n), at("slot"), at("dropped")),
            *(
                Pick(*self._rows(name, m), at("left"), at("dropped") + i)
                for i, name in enumerate(("active'", "lower", "upper"), start=1)
            ),
            *self.bases.drop(),
            self.memory.block("drop", reads, ["y0", "state", "low_p", "up_p", "pushed"], self.passages.drop),
            Put(*self._rows("row", n), at("slot"), at("minus")),
            Put(*self._rows("multiplier", n), at("slot"), at("nought")),
            *self._note("left"),
        )

    def _correct(self) -> tuple[Part, ...]:
        """Return what corrects y and multipliers of the active rows by what x leaves of the gradient and misses."""
        block, at, m, n, own = self.memory.block, self._at, len(self.columns), self.n, self.passages
        reads = ["missed", "normal", "state", "shift", "gap", "x", "combined"]
        row = (
            Pick(*self._rows("A", m), at("left"), at("normal")),
            Pick(*self._rows("active'", m), at("left"), at("state")),
            Pick(*self._rows("multiplier", n), at("slot"), at("shift")),
            Pick(*self._rows("bound", n), at("slot"), at("gap")),
            block("miss_row", reads, ["missed", "gap"], own.miss_row),
            Put(*self._rows("gap of rows", n), at("slot"), at("gap")),
        )
        slot = (
            Pick(*self._rows("row", n), at("slot"), at("left")),
            block("is_held", ["left"], ["held"], lambda left: [flag(left[0] > -0.5)]),
            When(at("held"), row),
            block("next_row", ["slot"], ["slot", "more rows"], lambda j: [j[0] + 1.0, flag(j[0] < n - 1.5)]),
        )
        return (
            block("miss", ["H", "g", "A", "penalty", "x", "active'"], ["missed", "slot"], own.miss),
            Loop(at("more rows"), slot),
            self.bases.pull(self.memory.places("missed"), "a"),
            Copies(tuple(self.memory.places("a")), tuple(self.memory.places("rest"))),
            *self.bases.approach("rest", "a", "gap of rows"),
            block("correct", ["y", "rest", "goals", *SLOTS], ["y", "multiplier"], own.correct),
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


def _take_turn(tried: Any, penalty: Any, turn: Any) -> list[Number]:
    """Return whether a row is tried in a turn, 0 of those that are held, 1 of others."""
    return [flag(abs(tried[0]) > 0.5) * flag(abs(flag(penalty[0] >= 0.0) - turn[0]) < 0.5)]


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
