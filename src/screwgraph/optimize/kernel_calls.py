"""Kernels of many batches, called one after the other by machine code: values change, arrays stay in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler.kernels import (
    Bundle,
    Ints,
    Reals,
    Record,
    Table,
    address_of,
    call_loop,
    compile_kernels,
    fix_arguments,
    loop_address,
    new_table,
    tail,
)
from screwgraph.optimize.batch import Batch


class Gather(Record):
    """Unknowns of one batch that do not stand side by side: `width` numbers each, `count` of them."""

    first: int
    """Where the family begins among the values."""
    indices: int
    """Where the numbers of its unknowns begin."""
    to: int
    count: int
    width: int


class CallTables(Bundle):
    """Gathers, and of each call its loop's address and counts, and where its operands and steps begin."""

    gathers: Table[Gather]
    indices: Ints
    gathered: Reals
    loops: Ints
    counts: Ints
    operands: Ints
    operands_at: Ints
    steps: Ints
    steps_at: Ints


def gather_unknowns(tables: CallTables, x: Reals, gathers: int) -> None:
    """Copy unknowns side by side."""
    for g in range(gathers):
        own = tables.gathers[g]
        at = own.to
        for i in range(own.count):
            first = own.first + tables.indices[own.indices + i] * own.width
            for k in range(own.width):
                tables.gathered[at + k] = x[first + k]
            at = at + own.width


def call_kernels(tables: CallTables, x: Reals, gathers: int, calls: int) -> None:
    """Gather unknowns, and call all kernels."""
    gather_unknowns(tables, x, gathers)
    for c in range(calls):
        operands = tail(tables.operands, tables.operands_at[c])
        call_loop(tail(tables.loops, c), operands, tail(tables.counts, c), tail(tables.steps, tables.steps_at[c]))


@cache
def _compile_calls() -> Any:
    return compile_kernels((gather_unknowns, call_kernels)).functions


@dataclass(frozen=True, eq=False)
class KernelCall:
    """A kernel of a batch, which writes its results (N, n) to contiguous arrays.

    Among these, multipliers come first where it takes some beside unknowns and parameters.
    """

    kernel: np.ufunc
    batch: Batch
    results: tuple[np.ndarray, ...]

    def evaluate(self, views: dict[str, np.ndarray]) -> None:
        """Write the results where families have these arrays."""
        self.kernel(*self.batch.inputs(views), out=self.results)


Operand = tuple[int, int, tuple[int, ...]]
"""The address of an array, its step from one factor to the next, and those between its numbers (bytes)."""


def _describe_rows(array: np.ndarray) -> Operand:
    """Return rows of factors as an operand; one row is that of all of them."""
    return address_of(array), array.strides[0] if len(array) > 1 else 0, array.strides[1:]


class BoundCalls:
    """Calls on values that change in their places: families' arrays (count, *shape) in `views` are parts of x (s,)."""

    def __init__(self, calls: Sequence[KernelCall], x: np.ndarray, views: dict[str, np.ndarray]) -> None:
        self._views, self._refreshed = views, list[tuple[Batch, np.ndarray]]()
        self._loops, self._known_loops = [loop_address(call.kernel) for call in calls], list[int]()
        chosen = [(n, i) for call in calls for n, i, _ in call.batch.sources if not isinstance(i, slice)]
        buffer, gathers = np.empty(sum(len(i) * views[n][0].size for n, i in chosen)), new_table(Gather, len(chosen))
        first = address_of(x)
        families = {name: (view.ctypes.data, view.ctypes.data - first, view.strides) for name, view in views.items()}
        rows, self._gathered = list[list[Operand]](), (0, 0, 0)
        for call in calls:
            rows.append([*self._list_inputs(call.batch, families, buffer, gathers), *map(_describe_rows, call.results)])
        steps = [[step for _, step, _ in row] + [step for *_, inner in row for step in inner] for row in rows]
        self._tables = CallTables(
            gathers=gathers,
            indices=np.concatenate([np.zeros(0, dtype=np.int64), *(i for _, i in chosen)]),
            gathered=buffer,
            loops=np.zeros(len(calls), dtype=np.int64),
            counts=np.array([len(call.batch) for call in calls], dtype=np.int64),
            operands=np.array([address for row in rows for address, *_ in row], dtype=np.int64),
            operands_at=np.cumsum([0, *map(len, rows)]),
            steps=np.array([step for row in steps for step in row], dtype=np.int64),
            steps_at=np.cumsum([0, *map(len, steps)]),
        )
        self._kept, self._sizes = [calls, x], (len(chosen), len(calls))
        self._call = self._bind(x)

    def move(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]], views: dict[str, np.ndarray]) -> BoundCalls:
        """Return the calls with other arrays in the place of some, of the same layout: that of values first.

        `views` are parts of the other values.
        """
        other, operands = copy(self), self._tables.operands.copy()
        for old, new in pairs:
            place = self._tables.operands - old.ctypes.data
            operands[(place >= 0) & (place < old.nbytes)] += new.ctypes.data - old.ctypes.data
        other._views, other._kept = views, [self._kept, pairs]
        other._tables = CallTables(**{**vars(self._tables), "operands": operands})
        other._call = other._bind(pairs[0][1])
        return other

    def _bind(self, x: np.ndarray) -> Callable[[], None]:
        return fix_arguments(_compile_calls()["call_kernels"], *self._tables.addresses, x.ctypes.data, *self._sizes)

    def _list_inputs(
        self, batch: Batch, families: dict[str, tuple[int, int, tuple[int, ...]]], buffer: np.ndarray, gathers: Any
    ) -> Iterator[Operand]:
        """Yield the unknowns and parameters of a batch; note which are to be gathered.

        Of families there are addresses, how far they are from the first value, and strides (bytes).
        """
        for name, where, _ in batch.sources:
            address, offset, (row, *inner) = families[name]
            if isinstance(where, slice):
                step = (where.step or 1) * row if where.stop - where.start > 1 else 0
                yield address + where.start * row, step, (*inner,)
                continue
            size, (place, used, chosen) = buffer.itemsize, self._gathered
            gathers[place] = (offset // size, chosen, used, len(where), row // size)
            yield address_of(buffer) + size * used, row if len(where) > 1 else 0, (*inner,)
            self._gathered = place + 1, used + len(where) * row // size, chosen + len(where)
        parameters = batch.parameters
        if batch.factors.refresh is not None:
            parameters = [*parameters[:-1], np.empty((len(batch), parameters[-1].shape[1]))]
            self._refreshed.append((batch, parameters[-1]))
        for array in parameters:
            yield _describe_rows(array) if array.ndim > 1 else (address_of(array), 0, array.strides)

    def __call__(self) -> None:
        """Write all results at the values that are there now."""
        for batch, own in self._refreshed:
            own[...] = batch.inputs(self._views)[-1]
        loops = [loop.address for loop in self._loops]
        if loops != self._known_loops:  # fast code may have come meanwhile
            self._tables.loops[:] = self._known_loops = loops
        self._call()
