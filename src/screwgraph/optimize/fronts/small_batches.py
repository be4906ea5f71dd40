"""A kernel called for a few factors, by machine code: NumPy takes longer to gather and to scatter than it computes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from screwgraph.compiler.kernels import Bundle, Ints, Reals, Table, call_loop, loop_address
from screwgraph.optimize.fronts.tree_records import Factor

BY_INDEX, BY_ROW, BY_TURN = 1, 2, 3
"""What operands differ by: the unknown of a factor, its row, its turn. Others are one for all."""


class KernelCalls(Bundle):
    """The operands of calls of one kernel, by their addresses."""

    loop: Ints
    operands: Ints
    counts: Ints
    steps: Ints
    bases: Ints
    strides: Ints
    kinds: Ints
    """Where each operand begins, by how much it moves, and with what: `BY_INDEX`, `BY_ROW`, `BY_TURN`."""
    indices: Ints
    """Of each argument, the unknowns of all rows."""


class Destinations(Bundle):
    """Where results go."""

    owners: Ints
    """The factor of each row."""
    places: Ints
    """Among the numbers of a factor."""
    out: Reals


def call_kernel(calls: KernelCalls, count: int, capacity: int, rows: Ints, n: int) -> None:
    """Call a kernel of so many operands for some rows, one after the other."""
    for t in range(n):
        row = rows[t]
        for k in range(count):
            place = 0
            if calls.kinds[k] == BY_INDEX:
                place = calls.indices[k * capacity + row]
            elif calls.kinds[k] == BY_ROW:
                place = row
            elif calls.kinds[k] == BY_TURN:
                place = t
            calls.operands[k] = calls.bases[k] + calls.strides[k] * place
        call_loop(calls.loop, calls.operands, calls.counts, calls.steps)


def scatter_rows(
    factors: Table[Factor], data: Reals, to: Destinations, size: int, width: int, rows: Ints, n: int
) -> None:
    """Put the first numbers of each row of results into those of its factor."""
    for t in range(n):
        at = factors[to.owners[rows[t]]].numbers
        for p in range(size):
            data[at + to.places[p]] = to.out[t * width + p]


def call_and_scatter(
    calls: KernelCalls, count: int, capacity: int,
    factors: Table[Factor], data: Reals, to: Destinations, size: int, width: int,
    rows: Ints, n: int,
) -> None:  # fmt: skip
    """Call a kernel for some rows, and put its results into the numbers of their factors."""
    call_kernel(calls, count, capacity, rows, n)
    scatter_rows(factors, data, to, size, width, rows, n)


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
        self.calling = (ctypes.addressof(cell), *addresses, indices.ctypes.data, len(cores), indices.shape[1])
        self.putting = (factors.ctypes.data, places.ctypes.data, self.out.ctypes.data, len(places), self.out.shape[1])
