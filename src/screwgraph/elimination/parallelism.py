"""How much of a computation can run at the same time: cliques of a tree, operations of straight-line code."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.cost import instruction_costs
from screwgraph.tape import LEAVES, Program


@dataclass(frozen=True)
class Parallelism:
    """Parallelism of tasks that wait for one another: what they leave to several processors.

    `levels` counts the tasks that can start together when each starts as soon as it can; `work` is the cost of all
    tasks, `span` that of the most costly chain of tasks that wait for one another (the critical path).
    """

    __repr__ = one_line

    levels: tuple[int, ...]
    work: float
    span: float

    @property
    def depth(self) -> int:
        """Tasks in the longest chain."""
        return len(self.levels)

    @property
    def width(self) -> int:
        """Tasks on the widest level."""
        return max(self.levels, default=0)

    def speed_up(self, processors: float = math.inf) -> float:
        """Return the bound work / max(work / processors, span) on the speed-up (Brent, 1974), without communication."""
        longest = max(self.work / processors, self.span)
        return self.work / longest if longest else 1.0


def parallelism(costs: Sequence[float], waits: Sequence[Sequence[int]]) -> Parallelism:
    """Judge tasks of some costs, each of which waits for earlier ones of the list."""
    level, finished = list[int](), list[float]()
    for cost, before in zip(costs, waits, strict=True):
        level.append(max((level[i] + 1 for i in before), default=0))
        finished.append(max((finished[i] for i in before), default=0.0) + cost)
    counts = Counter(level)
    return Parallelism(tuple(counts[i] for i in sorted(counts)), sum(costs), max(finished, default=0.0))


def program_parallelism(program: Program) -> Parallelism:
    """Judge the operations of straight-line code, at the costs of the cost model; inputs and constants are there.

    Sine and cosine of an angle are computed together: the second waits for the first, and costs nothing.
    """
    costs, waits, task, first = list[float](), list[list[int]](), dict[int, int](), dict[int, int]()
    for i, cost in enumerate(instruction_costs(program)):
        operation, *operands = program.instructions[i]
        if operation in LEAVES:
            continue
        before = [task[o] for o in operands if o in task]
        task[i] = len(costs)
        if operation in ("sin", "cos"):
            twin = first.setdefault(operands[0], task[i])
            before += [twin] if twin != task[i] else []
        costs.append(cost)
        waits.append(before)
    return parallelism(costs, waits)
