"""Line search of a horizon: a step is as long as it lowers a merit function, among a few lengths.

The merit of a trajectory is its cost, penalties of soft limits included, plus nu times all defects of its dynamics,
each of the size of its costate: an exact penalty where nu > 1. nu is 2, and more where the cost rises while defects
fall, so that whole steps near an optimum are taken: Nocedal & Wright (2006), "Numerical Optimization", sections 15.4
and 18.3. One weight for all defects, as large as the largest costate asks, stops arms at their limits of speed.
Trajectories one of whose states has no closed loops, the last one included, have an endless merit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import compile_expression, make_numbered_argument
from screwgraph.motion.control.live_numbers import NO_SENSE
from screwgraph.motion.control.predictive.stage_terms import StageTerms
from screwgraph.optimize.chain_program import ChainProgram
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Memory, Number, Part, SettledWhen, SideBySide, StageLoop, Window

QUARTER = 0.25
"""Of a step that does not lower the merit, what is tried next."""
STEEPER = 2.0
"""Least nu."""
DESCENT = 0.3
"""Part of what defects weigh by which the merit shall fall at least, where that decides on nu."""
SLACK = 0.1
"""Part of the merit, at most, by which an interior point's freedom may raise it."""
TINY, NOTHING = 1e-9, 1e-14
"""Part of the merit, and merit, by which rounding and the least barrier may raise it; defects below the part do not
decide on nu."""
ENDLESS = 1e250
"""A cost or merit beyond is none."""
SEARCH = ("length", "best", "least", "cost0", "defect0", "weight", "open")
"""Numbers of a search: the length tried, the best one, its merit; cost, defects, nu at 0; whether it is open."""
MERIT = 2
"""Numbers of a trajectory of which its merit is made: its cost, its defects."""
SEARCH_SIZES = {"search": len(SEARCH), "merit": MERIT, "costate": 1, "duality gap": 1, "length": 1}
"""Vectors that stand once."""


@dataclass(frozen=True, eq=False)
class StepSearch:
    """The parts of a search, in a memory with the vectors of a tick.

    `trial` has the layout of `at`, and `merits` MERIT numbers a stage; `windows` move these, references, the solver's
    vectors and those of `more`, goals and switches of a stage.
    """

    __repr__ = one_line

    memory: Memory
    terms: StageTerms
    chain: ChainProgram
    windows: tuple[Window, ...]
    more: tuple[str, ...]

    def parts(self) -> tuple[Part, ...]:
        """Return what shortens inputs u and states x of the solver, and notes the length of the step."""
        block, terms, N = self.memory.block, self.terms, self.chain.stages
        self.memory.alias("costates", self.chain.costate(1))
        steps = ["at_u", "at_k+1", "u_k", "x'_k"]
        merit, gap = ["costates", "costate", "references_k", "weights"], ["gap_k"]
        efforts = ["C_k", "offset_k"] * bool(terms.own.C)
        first = [*terms.reads, *merit, "at_k", "at_k+1", *gap, *efforts, *self.more]
        start = block("start merit", first, ["merits_k"], terms.at_stage("weigh_start"))
        trial = (
            self._each(
                block("attempt", [*terms.reads, *steps, "search"], ["trial_u", "trial_k+1"], terms.at_stage("attempt"))
            ),
            self._weigh([*terms.reads, *merit, "trial_k", "trial_k+1", *self.more]),
            *self._sum("trial_N"),
            block("accept", ["search", "merit", "duality gap", "chain.solution"], ["search"], accept_length),
        )
        bounds = N * len([*self.chain.inputs, *self.chain.states, *self.chain.rows])
        open_search = self.memory.places("search")[SEARCH.index("open")]
        return (
            block("no costate", [], ["costate"], lambda: [0.0]),
            self._find_costate(),
            block("duality gap", ["chain.steps"], ["duality gap"], lambda steps: [float(bounds) * steps[3]]),
            self._each(start),
            *self._sum("at_N"),
            block("begin search", ["merit"], ["search"], begin_search),
            StageLoop(1 + terms.own.shortenings, (SettledWhen(open_search, trial),), ()),
            block("length", ["search"], ["length"], lambda search: [search[SEARCH.index("best")]]),
            self._each(block("shorten", [*steps, "length"], ["u_k", "x'_k"], terms.shorten)),
        )

    def _weigh(self, names: Sequence[str]) -> Part:
        """Return what computes cost and defects of a trial at each stage."""
        own = self.terms.own
        given = [make_numbered_argument(f"given{i}", len(self.memory.places(x))) for i, x in enumerate(names)]
        weigh = self.terms.at_stage("weigh")
        code = compile_expression("merit", own.question, tuple(given), weigh, branches=bool(own.steps.bent))
        return self._each(self.memory.placed("merit", code.program, names, ["merits_k"]))

    def _sum(self, last: str) -> tuple[Part, ...]:
        """Return what adds them, and the cost of the last state."""
        block, terms, N = self.memory.block, self.terms, self.chain.stages

        def add_last(references: Any, weights: Any, z: Any, merit: Any, *more: Any) -> list[Number]:
            cost = terms.add_last(references, weights, z, merit[:1], *more)[0]
            # The next call linearises about it: loops that do not close there would cost the whole trajectory.
            return [terms.refuse_open(z, cost, 2.0 * ENDLESS), merit[1]]

        def add(merit: Any, own: Any) -> list[Number]:
            return [a + b for a, b in zip(merit, own, strict=True)]

        return (
            block("none", [], ["merit"], lambda: [0.0] * MERIT),
            StageLoop(N, (block("add", ["merit", "merits_k"], ["merit"], add),), self.windows),
            block(
                "add last",
                ["references_N", terms.own.end, last, "merit", *terms.own.name_goals("_N")],
                ["merit"],
                add_last,
            ),
        )

    def _find_costate(self) -> Part:
        """Return what finds the largest costate: p stands behind the rows of P."""
        chain = self.chain
        part = self.memory.block("costate", ["costates", "costate"], ["costate"], largest_costate)
        return StageLoop(chain.stages, (part,), chain.window(chain.costates, first=1))

    def _each(self, part: Part) -> SideBySide:
        return SideBySide(self.chain.stages, (part,), (*self.windows, *self.chain.window(self.chain.costates, first=1)))


def begin_search(start: Any) -> list[Number]:
    """Return a search that tries the whole step, from the cost and the defects where it starts (2,)."""
    return [1.0, 0.0, 0.0, *start, 0.0, 1.0]


def accept_length(search: Any, trial: Any, duality_gap: Any, solved: Any) -> list[Number]:
    """Return the search after a trial: its trajectory has the cost and the defects `trial` (2,).

    A whole step is taken where it raises the merit by no more than the duality gap (1,) of the interior point.
    Else the length of the least merit is; none where the solver, whose solution is `solved`, has no numbers.
    """
    length, best, least, cost0, defect0, weight, _ = search
    cost, defect = trial
    is_whole = choose(length > 0.9, 1.0, 0.0)
    rise = (cost - cost0) / ((1.0 - DESCENT) * maximum(defect0, TINY))
    # A whole step beyond where loops can be closed has no cost: its rise says nothing about shorter ones.
    told = (defect0 > TINY) * (abs(rise) < ENDLESS)
    nu = choose(is_whole > 0.5, maximum(STEEPER, choose(told > 0.5, rise, 0.0)), weight)
    merit, before = cost + nu * defect, cost0 + nu * defect0
    free = minimum(duality_gap[0], SLACK * before) + TINY * before + NOTHING
    is_sound = (1.0 * (solved[0] < NO_SENSE)) * (cost < ENDLESS)  # else costates and the merit may be no numbers
    whole = choose(before < ENDLESS, choose(merit <= before + free, is_sound, 0.0), is_sound)
    shorter = choose(best > 0.9, 0.0, choose(merit < least, is_sound, 0.0))
    taken = choose(is_whole > 0.5, whole, shorter)
    best = choose(taken > 0.5, length, best)
    least = choose(taken > 0.5, merit, choose(is_whole > 0.5, before, least))
    return [QUARTER * length, best, least, cost0, defect0, nu, choose(best > 0.9, 0.0, 1.0)]


def largest_costate(p: Sequence[Number], costate: Any) -> list[Number]:
    """Return the size of the largest costate so far."""
    return [largest_size(p, costate[0])]
