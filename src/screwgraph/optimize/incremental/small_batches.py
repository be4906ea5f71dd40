"""A kernel called for a few factors, by machine code: NumPy takes longer to gather and to scatter than it computes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from screwgraph.compiler.kernels import Ints, Reals, Table, call_loop, loop_address
from screwgraph.optimize.incremental.tree_records import Factor

BY_INDEX, BY_ROW, BY_TURN = 1, 2, 3
"""What operands differ by: the unknown of a factor, its row, its turn. Others are one for all."""


def call_kernel(
    loop: Ints,
    operands: Ints,
    counts: Ints,
    steps: Ints,
    bases: Ints,
    strides: Ints,
    kinds: Ints,
    many: int,
    indices: Ints,
    capacity: int,
    rows: Ints,
    n: int,
) -> None:
    """Call a kernel for some rows, one after the other."""
    for t in range(n):
        row = rows[t]
        for k in range(many):
            place = 0
            if kinds[k] == BY_INDEX:
                place = indices[k * capacity + row]
            elif kinds[k] == BY_ROW:
                place = row
            elif kinds[k] == BY_TURN:
                place = t
            operands[k] = bases[k] + strides[k] * place
        call_loop(loop, operands, counts, steps)


def scatter_rows(
    factors: Table[Factor],
    data: Reals,
    owners: Ints,
    places: Ints,
    count: int,
    out: Reals,
    width: int,
    rows: Ints,
    n: int,
) -> None:
    """Put the first numbers of each row into those of its factor."""
    for t in range(n):
        at = factors[owners[rows[t]]].numbers
        for p in range(count):
            data[at + places[p]] = out[t * width + p]


def call_and_scatter(
    loop: Ints,
    operands: Ints,
    counts: Ints,
    steps: Ints,
    bases: Ints,
    strides: Ints,
    kinds: Ints,
    many: int,
    indices: Ints,
    capacity: int,
    factors: Table[Factor],
    data: Reals,
    owners: Ints,
    places: Ints,
    count: int,
    out: Reals,
    width: int,
    rows: Ints,
    n: int,
) -> None:
    """Call a kernel for some rows, and put its results into the numbers of their factors."""
    call_kernel(loop, operands, counts, steps, bases, strides, kinds, many, indices, capacity, rows, n)
    scatter_rows(factors, data, owners, places, count, out, width, rows, n)


FEW = (call_kernel, scatter_rows, call_and_scatter)


class SmallBatchCalls:
    """Arguments of calls of one kernel, results one after the other in a row of `out` for each factor.

    Arguments are the unknowns' arrays, then those that all factors share, then one row a factor. The first of the
    results go to `places` among the numbers of the rows' factors. No array may move in memory.
    """

    def __init__(
        self,
        kernel: np.ufunc,
        unknowns: Sequence[np.ndarray],
        shared: Sequence[np.ndarray],
        own: np.ndarray | None,
        indices: Int[np.ndarray, "a c"],
        results: Sequence[int],
        factors: Int[np.ndarray, " c"],
        places: Int[np.ndarray, " p"],
        most: int,
    ) -> None:
        self.out = np.zeros((most, sum(results)))
        self._kept = (kernel, [*unknowns, *shared, own], indices, factors, places)
        cell = loop_address(kernel)
        given = [(a, a[0].nbytes, BY_INDEX, a.shape[1:]) for a in unknowns]
        given += [(a, 0, 0, a.shape) for a in shared]
        given += [] if own is None else [(own, own[0].nbytes, BY_ROW, own.shape[1:])]
        bases = [a.ctypes.data for a, *_ in given]
        starts = np.cumsum([0, *results[:-1]]) * self.out.itemsize
        bases += [self.out.ctypes.data + int(start) for start in starts]
        strides = [step for _, step, *_ in given] + [self.out[0].nbytes] * len(results)
        kinds = [kind for _, _, kind, _ in given] + [BY_TURN] * len(results)
        cores = [shape for *_, shape in given] + [(n,) for n in results]
        inner = [step for shape in cores for step in np.zeros(shape).strides]
        self._arrays = [
            np.array(numbers, dtype=np.int64)
            for numbers in ([0] * len(cores), [1], [0] * len(cores) + inner, bases, strides, kinds)
        ]
        addresses = [a.ctypes.data for a in self._arrays]
        self.calling = (ctypes.addressof(cell), *addresses, len(cores), indices.ctypes.data, indices.shape[1])
        self.putting = (factors.ctypes.data, places.ctypes.data, len(places), self.out.ctypes.data, self.out.shape[1])
