"""Inverse kinematics for other programs: the search with limits, weights and settings as constants."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import ExportedFunction, Result, normalise_inputs
from screwgraph.mechanics.kinematics.inverse.problem import InverseProblem
from screwgraph.mechanics.kinematics.inverse.search_routine import COUNTS, make_search_routine
from screwgraph.mechanics.kinematics.inverse.search_step import list_end_results
from screwgraph.mechanics.kinematics.inverse.solution import Solution
from screwgraph.mechanics.kinematics.targets import TargetValue
from screwgraph.spatial import Array, choose
from screwgraph.tape import Block, Memory, Number, Routine

FLAW = 1e-9
"""Squared difference from a rotation up to which the digits of a file explain it."""

NEAR = (0.2, 0.02, 0.002, 0.0)
"""How far (rad, m) starts of examples are from positions that meet targets; the first of which some are found."""
EXAMPLES = 8


def export_search(
    problem: InverseProblem,
    constants: Mapping[str, np.ndarray],
    name: str,
    dtype: str,
    examples: Callable[[], Sequence[np.ndarray]],
) -> ExportedFunction:
    """Return the search as a function of targets' values and a start: q, errors, and `counts`.

    `constants` are values of the other parameters by name. A quaternion of the start is divided by its length. Where a
    target is no rigid motion, it counts as not reached, as nobody can be told why.
    """
    fixed = {n: x for a in problem.parameters for n, x in zip(a.names, constants.get(a.name, ()), strict=False)}
    open_ = [a for a in problem.parameters if a.name not in constants]
    routine = _judging(make_search_routine(problem), problem).bind(fixed)
    values = [a for a in open_ if a.name != "start"]
    names = ["target"] if len(values) == 1 else [f"target_{i + 1}" for i in range(len(values))]
    arguments = [replace(a, name=own) for a, own in zip(values, names, strict=True)] + [problem.model.start]
    q, errors, _ = list_end_results(problem)
    labels = tuple(f"{t.label} ({unit})" for t in problem.targets for unit in t.units)
    joints = tuple(n.removeprefix("start:") for n in problem.model.start.names)
    results = [replace(q, names=joints), replace(errors, names=labels), Result("counts", (len(COUNTS),), COUNTS)]
    code = normalise_inputs(routine, [problem.model.start])
    return ExportedFunction(name, code, arguments, results, dtype, examples)


def _judging(routine: Routine, problem: InverseProblem) -> Routine:
    """Return the routine whose last result but two is whether all is reached and targets make sense; without flaws."""
    flaws, counts = len(problem.targets), len(COUNTS)
    kept = routine.outputs[: -flaws - counts]
    places = routine.outputs[-flaws - counts : -counts]
    reached = routine.outputs[-counts]
    memory = Memory()
    memory.add("flaws", flaws)
    memory.add("reached", 1)

    def judge_reached(flaw: Array, reached: Array) -> list[Number]:
        found = reached[0]
        for x in flaw:
            found = choose(x <= FLAW, found, 0.0)
        return [found]

    own = memory.block("judge_values", ["flaws", "reached"], ["reached"], judge_reached)
    judge = Block(own.name, own.program, (*places, reached), (reached,))
    return replace(routine, outputs=(*kept, *routine.outputs[-counts:]), parts=(*routine.parts, judge))


def example_values(problem: InverseProblem, fixed: Collection[int], solve: Callable[..., Solution]) -> list[np.ndarray]:
    """Return values of targets, but for the `fixed` ones, and starts at which few attempts meet them, as rows.

    Targets are where positions put them that the search tries itself; starts are near these, of one far away.

    Raises:
        InputError: there are none.
    """
    model, rng = problem.model, np.random.default_rng(11)
    positions = model.later_starts(4 * EXAMPLES)
    shapes = [t.shape(model.subject) for t in problem.targets]
    values = [np.empty((len(positions), *shape)) for shape in shapes]
    for k, q in enumerate(positions):
        for value, t, moving in zip(values, problem.targets, problem.moving(q), strict=True):
            value[k] = t.value(TargetValue(moving.at.astype(float), moving.jacobian))
    own = [x for i, x in enumerate(values) if i not in fixed]

    def list_examples(starts: np.ndarray, attempts: int) -> list[list[np.ndarray]]:
        found = solve(*own, start=starts)
        chosen = np.flatnonzero(np.asarray(found.reached) & (np.asarray(found.attempts) == attempts))
        return [[*(x[k].ravel() for x in own), starts[k]] for k in chosen]

    rows = list_examples(np.tile(model.first_start(), (len(positions), 1)), 2)[:1]
    for near in NEAR:
        away = rng.uniform(-near, near, (len(positions), model.manifold.dim))
        rows += list_examples(np.array([model.manifold.retract(q, d) for q, d in zip(positions, away, strict=True)]), 1)
        if len(rows) > 1:
            break
    if not rows:
        raise InputError(
            f"inverse kinematics of {model.name} meets its targets nowhere",
            why="limits, loops or fixed values leave no position, and nothing to try its code at",
            fix="ask for its `reasons`, or give limits=False",
        )
    return [np.array(column) for column in zip(*rows[:EXAMPLES], strict=True)]
