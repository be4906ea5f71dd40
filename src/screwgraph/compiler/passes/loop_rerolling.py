"""Stretches of straight-line code that are the same operations again and again: what each joint of a chain takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.tape import LEAVES, Program

TIMES = 4
"""Repetitions from which on a loop is worth while."""
LEAST = 16
"""Operations of the shortest body of a loop; shorter ones are a part of something else."""
LONGEST = 1_500
"""Operations of the longest one that is looked for."""


@dataclass(frozen=True, eq=False)
class Repeat:
    """Places of instructions: a row for each repetition, the same operations in each."""

    rows: Sequence[Sequence[int]]

    @property
    def period(self) -> int:
        """Instructions of the body."""
        return len(self.rows[0])

    @cached_property
    def inside(self) -> Mapping[int, tuple[int, int]]:
        """Of each instruction, in which repetition it is, and which one of the body."""
        return {i: (t, k) for t, row in enumerate(self.rows) for k, i in enumerate(row)}

    def operands(self, program: Program, k: int) -> list[tuple[int, ...]]:
        """Return the operands of instruction k of the body, one tuple for each: what it is in each repetition."""
        return list(zip(*(program.instructions[row[k]][1:] for row in self.rows), strict=True))

    def made_before(self, column: Sequence[int]) -> int | None:
        """Return which instruction of the body makes an operand, in the same repetition; None where not always one."""
        found = {self.inside.get(i, (-1, -1))[1] for i in column}
        same = all(self.inside.get(i, (-1, -1))[0] == t for t, i in enumerate(column))
        return found.pop() if same and len(found) == 1 else None

    def list_needed(self, program: Program) -> list[int]:
        """Return the values that its repetitions read from memory: neither their own, nor all constants, or inputs."""
        found: dict[int, None] = {}
        for k in range(self.period):
            for column in self.operands(program, k):
                kinds = {program.instructions[i][0] for i in column}
                if self.made_before(column) is None and kinds not in ({"constant"}, {"input"}):
                    found |= dict.fromkeys(column)
        return list(found)


def find_repeats(program: Program, places: Sequence[int]) -> list[Sequence[int] | Repeat]:
    """Return the instructions at these places, in their order, as stretches that repeat and what is between them.

    Constants and inputs are left out.
    """
    code = program.instructions
    rest = [i for i in places if code[i][0] not in LEAVES]
    names = {name: k for k, name in enumerate(sorted({code[i][0] for i in rest}))}
    words = np.array([names[code[i][0]] for i in rest], np.uint8)
    parts, done = list[Sequence[int] | Repeat](), 0
    for start, period, times in _chosen(program, rest, _periodic(words)):
        if start > done:
            parts.append(rest[done:start])
        done = start + period * times
        parts.append(Repeat([rest[a : a + period] for a in range(start, done, period)]))
    return [*parts, rest[done:]] if done < len(rest) else parts


def _periodic(words: np.ndarray) -> list[tuple[int, int, int]]:
    """Return stretches (length, period, start) that repeat themselves, the longest first, of short period first."""
    found: list[tuple[int, int, int]] = []
    for period in range(LEAST, min(LONGEST, len(words) // TIMES) + 1):
        same = np.concatenate(([False], words[period:] == words[:-period], [False]))
        edges = np.flatnonzero(same[1:] != same[:-1])
        begins, lengths = edges[::2], edges[1::2] - edges[::2]
        for k in np.flatnonzero(lengths >= (TIMES - 1) * period).tolist():
            found.append((int(lengths[k]) + period, period, int(begins[k])))
    return sorted(found, key=lambda stretch: (-stretch[0] + stretch[1], stretch[1]))


def _chosen(program: Program, rest: Sequence[int], found: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return (start, period, times) of stretches that do not overlap, in order."""
    free, chosen = np.ones(len(rest), bool), list[tuple[int, int, int]]()
    for length, period, start in found:
        inside = np.flatnonzero(free[start : start + length])
        if len(inside) == 0:
            continue
        first, end = start + int(inside[0]), start + int(inside[-1]) + 1
        if not free[first:end].all() or end - first < TIMES * period:
            continue
        first += _shift(program, rest, first, period) if end - first >= (TIMES + 1) * period else 0
        times = (end - first) // period
        free[first : first + times * period] = False
        chosen.append((first, period, times))
    return sorted(chosen)


def _shift(program: Program, rest: Sequence[int], start: int, period: int) -> int:
    """Return where in a body it is best to begin: where the fewest values wait for what follows."""
    window = rest[start : start + 3 * period]
    place, last = {i: n for n, i in enumerate(window)}, dict[int, int]()
    for n, i in enumerate(window):
        for operand in program.instructions[i][1:]:
            if operand in place:
                last[place[operand]] = n
    waiting = np.zeros(len(window) + 1, int)
    for made, used in last.items():
        waiting[made + 1] += 1
        waiting[used + 1] -= 1
    return int(np.argmin(np.cumsum(waiting)[period : 2 * period]))
