"""Slopes of a floating robot through its base: rows of J and C are few numbers times the slopes of six accelerations.

The model of a stage writes what a limb does by itself into these rows. Then products of `arms` (nv + m, b) and rows of
`base` (b, width), whose columns are those of the solver's rows, are added, all columns side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.optimize.chain_program import ChainProgram
from screwgraph.optimize.chain_program.columns import make_columns
from screwgraph.tape import Memory, Number, SideBySide, dot
from screwgraph.tape.parts import Fill


@dataclass(frozen=True, eq=False)
class BaseSlopes:
    """Places of the slopes of stage 0 in the memory of a tick."""

    memory: Memory
    own: Horizon
    chain: ChainProgram

    @property
    def strides(self) -> dict[str, int]:
        """Numbers of a stage."""
        b = self.own.model.base
        return {"arms": len(self.own.own_columns) * b, "base": b * self.chain.row_width}

    @cached_property
    def written(self) -> dict[str, list[int]]:
        """Places that the model writes, behind all others: of J, C, arms, base."""
        n, own = self.own.model.robot.nv, self.own
        kept, arms, base = own.own_columns, self.memory.places("arms"), self.memory.places("base")
        J = [
            place
            for place, (i, j) in zip(self.chain.entries("J", 0), _list_live(own.J), strict=True)
            if i < n or kept[i - n][j]
        ]
        C = [
            place
            for place, (i, j) in zip(self.chain.entries("C", 0), _list_live(own.C), strict=True)
            if n + i >= len(kept) or kept[n + i][j]
        ]
        columns = [column for column, is_kept in zip(self.chain.row_columns, own.columns, strict=True) if is_kept]
        rows = range(base.start, base.start + self.strides["base"], self.chain.row_width)
        return {
            "J": J,
            "C": C,
            "arms": [*arms[: self.strides["arms"]]],
            "base": [start + column for start in rows for column in columns],
        }

    def clear(self) -> Fill:
        """Return what makes the columns zero that no stage writes."""
        places = self.memory.places("base")
        return Fill(places.start, len(places))

    def add(self) -> SideBySide:
        """Return what adds the products of a stage."""
        b, n, width = self.own.model.base, self.own.model.robot.nv, self.chain.row_width
        arms, start = self.memory.places("arms"), self.memory.places("base").start
        rows = [*self.chain.list_rows("J", 0)[n:], *self.chain.list_rows("C", 0)[: self.own.motors]]
        base = [start + k * width for k in range(b)]

        def multiply(scalars: Any, vectors: Any) -> Sequence[Number]:
            base, rows = vectors[:b], vectors[b:]
            return [x + dot(scalars[i * b : i * b + b], base) for i, x in enumerate(rows)]

        return make_columns("through base", width, arms[: len(rows) * b], [*base, *rows], rows, multiply)


def _list_live(pattern: Any) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(pattern) for j, x in enumerate(row) if x is None]
