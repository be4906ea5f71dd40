"""Inverse kinematics for other programs: the search with limits, weights and settings as constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.compiler import Argument, Listing, Result, normalising, quaternion_places
from screwgraph.kinematics.inverse.problem import InverseProblem
from screwgraph.kinematics.inverse.search import COUNTS, search_routine
from screwgraph.kinematics.inverse.step import end_results
from screwgraph.spatial import Array, choose
from screwgraph.tape import Block, Memory, Number, Program, Routine

FLAW = 1e-9
"""Squared difference from a rotation up to which the digits of a file explain it."""


def search_listing(
    problem: InverseProblem,
    constants: Mapping[str, np.ndarray],
    name: str,
    dtype: str,
    examples: Callable[[], Sequence[np.ndarray]],
) -> Listing:
    """Return the search as a function of targets' values and a start: q, errors, and `counts`.

    `constants` are values of the other parameters by name. A quaternion of the start is divided by its length. Where a
    target is no rigid motion, it counts as not reached, as nobody can be told why.
    """
    fixed = {n: x for a in problem.parameters for n, x in zip(a.names, constants.get(a.name, ()), strict=False)}
    open_ = [a for a in problem.parameters if a.name not in constants]
    routine = _judging(_with_unit_start(search_routine(problem), problem.model.start), problem).bound(fixed)
    values = [a for a in open_ if a.name != "start"]
    names = ["target"] if len(values) == 1 else [f"target_{i + 1}" for i in range(len(values))]
    arguments = [replace(a, name=own) for a, own in zip(values, names, strict=True)] + [problem.model.start]
    q, errors, _ = end_results(problem)
    labels = tuple(f"{t.label} ({unit})" for t in problem.targets for unit in t.units)
    joints = tuple(n.removeprefix("start:") for n in problem.model.start.names)
    results = [replace(q, names=joints), replace(errors, names=labels), Result("counts", (len(COUNTS),), COUNTS)]
    return Listing(name, routine, arguments, results, dtype, examples)


def _with_unit_start(routine: Routine, start: Argument) -> Routine:
    """Return the routine that divides quaternions of the start by their lengths first."""
    places = quaternion_places([start])
    if not places:
        return routine
    count = len(start.names)
    same = Program(start.names, tuple(("input", i) for i in range(count)), tuple(range(count)))
    at = dict(zip(routine.input_names, routine.inputs, strict=True))
    own = tuple(at[name] for name in start.names)
    unit = Block("unit", normalising(same, [start], places), own, own)
    return replace(routine, parts=(unit, *routine.parts))


def _judging(routine: Routine, problem: InverseProblem) -> Routine:
    """Return the routine whose last result but two is whether all is reached and targets make sense; without flaws."""
    flaws, counts = len(problem.targets), len(COUNTS)
    kept = routine.outputs[: -flaws - counts]
    places = routine.outputs[-flaws - counts : -counts]
    reached = routine.outputs[-counts]
    memory = Memory()
    memory.add("flaws", flaws)
    memory.add("reached", 1)

    def judged(flaw: Array, reached: Array) -> list[Number]:
        found = reached[0]
        for x in flaw:
            found = choose(x <= FLAW, found, 0.0)
        return [found]

    own = memory.block("judge_values", ["flaws", "reached"], ["reached"], judged)
    judge = Block(own.name, own.program, (*places, reached), (reached,))
    return replace(routine, outputs=(*kept, *routine.outputs[-counts:]), parts=(*routine.parts, judge))
