"""The search of inverse kinematics: steps from one start after the other, around the straight-line code of a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screwgraph.mechanics.kinematics.inverse.problem import SETTINGS, InverseProblem
from screwgraph.mechanics.kinematics.inverse.search_step import compile_end, compile_step, initial_memory
from screwgraph.spatial import Array, choose, maximum
from screwgraph.tape import Lookup, Loop, Memory, Number, Routine

STARTS = 64
"""Later starts that differ; more attempts begin there again."""
COUNTS = ("reached", "attempts", "steps")
"""The last results: whether all is met, and how many starts and steps it took."""
JUDGED = ("best", "attempt", "row", "taken", "least", "reached")
"""What an attempt leaves to the next one."""


def make_search_routine(problem: InverseProblem) -> Routine:
    """Return the search as a routine of the problem's parameters: results are those of the end, and `COUNTS`.

    An attempt takes steps until one meets the targets (verdict 1) or gives up (any other but 0), at most as many as the
    settings say. Attempts begin at `start`, then at other positions, again and again. The first that meets the targets
    ends the search; else the position of least cost counts.
    """
    step, end = compile_step(problem), compile_end(problem)
    starts, kept = problem.model.later_starts(STARTS), initial_memory(problem)
    memory, parameters, (nq,) = Memory(), [a.name for a in problem.parameters], problem.model.manifold.shape
    state = {"q": nq, "cost": 1, "kept": len(kept)}
    for name, size in state.items():  # beside the parameters: what a step reads stands together
        memory.add(name, size)
    for argument in problem.parameters:
        memory.add(argument.name, len(argument.names))
    for name, size in (("best", nq), ("other", nq), ("end", len(end.program.outputs)), ("counts", len(COUNTS))):
        memory.add(name, size)
    for name in ("verdict", "step", "again", "attempt", "row", "taken", "least", "reached", "more"):
        memory.add(name, 1)
    table = starts if len(starts) else np.zeros((1, nq))
    (row,), (again,), (more,) = (memory.places(name) for name in ("row", "again", "more"))
    steps = Loop(
        again,
        (
            memory.placed("step", step.program, [*state, *parameters], [*state, "verdict"]),
            memory.block("next_step", ["verdict", "step", "setting"], ["step", "again"], _next_step),
        ),
    )
    attempts = Loop(
        more,
        (
            Lookup(table, row, memory.places("other").start),
            memory.block("start", ["attempt", "start", "other"], [*state, "step"], _make_search_start(kept)),
            steps,
            memory.block(
                "judge", [*JUDGED, "q", "cost", "verdict", "step", "setting"], [*JUDGED, "more"], _make_judgement(table)
            ),
        ),
    )
    parts = (
        memory.block("begin", ["start"], JUDGED, lambda start: [*start, 0.0, len(table) - 1.0, 0.0, np.inf, 0.0]),
        attempts,
        memory.placed("end", end.program, ["best", *parameters], ["end"]),
        memory.block("counts", ["reached", "attempt", "taken"], ["counts"], lambda *x: [v[0] for v in x]),
    )
    return Routine(
        tuple(n for a in problem.parameters for n in a.names),
        tuple(i for name in parameters for i in memory.places(name)),
        (*memory.places("end"), *memory.places("counts")),
        memory.size,
        parts,
    )


def _next_step(verdict: Array, step: Array, setting: Array) -> list[Number]:
    """Count a step; another one follows if it neither met the targets nor gave up, and there may be one."""
    count = step[0] + 1.0
    in_time = choose(count < setting[SETTINGS.index("steps")], 1.0, 0.0)
    return [count, choose(verdict[0] > 0.0, 0.0, in_time)]


def _make_search_start(kept: tuple[float, ...]) -> Callable[..., list[Number]]:
    def expression(attempt: Array, start: Array, other: Array) -> list[Number]:
        is_first = attempt[0] < 0.5
        return [*(choose(is_first, a, b) for a, b in zip(start, other, strict=True)), np.inf, *kept, 0.0]

    return expression


def _make_judgement(table: np.ndarray) -> Callable[..., list[Number]]:
    def expression(best: Array, attempt: Array, row: Array, taken: Array, least: Array, reached: Array, *end: Array):
        """Keep the position if it meets the targets, or costs less than the best; say whether to try again."""
        q, (cost,), (verdict,), (step,), setting = end
        met = choose(verdict < 0.5, 0.0, choose(verdict > 1.5, 0.0, 1.0))
        is_less, count = choose(cost < least[0], 1.0, 0.0), attempt[0] + 1.0
        keeps = maximum(met, is_less)
        following = choose(row[0] + 1.0 < float(len(table)), row[0] + 1.0, 0.0)
        is_left = choose(count < setting[SETTINGS.index("attempts")], 1.0, 0.0)
        return [
            *(choose(keeps > 0.0, a, b) for a, b in zip(q, best, strict=True)),
            *(count, following, taken[0] + step, choose(is_less > 0.0, cost, least[0]), met),
            choose(met > 0.0, 0.0, is_left),
        ]

    return expression
