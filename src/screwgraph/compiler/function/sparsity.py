"""Which entries of a result may differ from zero, and which are the mirror images of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.passes.output_deduplication import deduplicate_outputs
from screwgraph.compiler.passes.parameter_hoisting import slice_program
from screwgraph.compiler.signature import Result
from screwgraph.tape import Program


@dataclass(frozen=True)
class Sparsity:
    """The entries that are kept of an array of some shape; others are zeros, or mirror images of these.

    `places` are their flat places, row by row. Of an array that is `symmetric` in two axes, those entries are kept
    whose index on the first of the two is not below that on the second: of a matrix the lower triangle.
    """

    __repr__ = one_line

    shape: tuple[int, ...]
    places: tuple[int, ...]
    symmetric: tuple[int, int] | None = None

    @cached_property
    def indices(self) -> tuple[Int[np.ndarray, " k"], ...]:
        """The index of each entry on each axis: of a matrix `rows, columns`."""
        return np.unravel_index(np.array(self.places, dtype=np.intp), self.shape) if self.shape else ()

    @check_arguments
    def dense(self, values: Float[np.ndarray, "... k"]) -> Float[np.ndarray, "..."]:
        """Return whole arrays `(..., *shape)` from the entries that are kept, `(..., k)`.

        Raises:
            InputError: there are more or fewer entries.
        """
        if values.shape[-1] != len(self.places):
            raise InputError(f"{values.shape[-1]} entries were given, {len(self.places)} are kept")
        whole = np.zeros((*values.shape[:-1], *self.shape), values.dtype)
        if not self.shape:
            return values[..., 0].copy()
        whole[..., *self.indices] = values
        if self.symmetric is not None:
            mirrored, (i, j) = list(self.indices), self.symmetric
            mirrored[i], mirrored[j] = mirrored[j], mirrored[i]
            whole[..., *mirrored] = values
        return whole


def find_sparsities(program: Program, results: Sequence[Result]) -> tuple[Sparsity, ...]:
    """Return the entries of each result that code computes, or that are other constants than zero.

    Of a result that is zero throughout, the first one is kept: no function returns vectors of no numbers.
    """
    found, values = [], _split(deduplicate_outputs(program).places, results)
    for result, value, outputs in zip(results, values, _split(program.outputs, results), strict=True):
        which = np.array(value).reshape(result.shape)
        kept = np.array([isinstance(o, int) or o != 0.0 for o in outputs], dtype=bool).reshape(result.shape)
        axes = next((pair for pair in combinations(range(which.ndim), 2) if _mirrors(which, pair)), None)
        if axes:
            index = np.indices(result.shape)
            kept &= index[axes[0]] >= index[axes[1]]
        if kept.size:
            kept.flat[0] |= not kept.any()
        found.append(Sparsity(result.shape, tuple(np.flatnonzero(kept).tolist()), axes))
    return tuple(found)


def select_entries(
    program: Program, results: Sequence[Result], kept: Sequence[Sparsity]
) -> tuple[Program, tuple[Result, ...]]:
    """Return code of the entries that are kept of each result, and results that are vectors of them."""
    outputs, vectors = list[int | float](), []
    for result, values, these in zip(results, _split(program.outputs, results), kept, strict=True):
        outputs += [values[place] for place in these.places]
        names = tuple(_entry(result, np.unravel_index(place, result.shape)) for place in these.places)
        vectors.append(Result(result.name, (len(these.places),), names))
    return slice_program(program, program.input_names, {}, outputs), tuple(vectors)


def _entry(result: Result, index: Sequence[np.intp]) -> str:
    return f"{result.name}[{', '.join(str(int(i)) for i in index)}]" if result.shape else result.name


def _mirrors(which: np.ndarray, axes: tuple[int, int]) -> bool:
    return np.array_equal(which, which.swapaxes(*axes))


def _split(values: Sequence[int | float], results: Sequence[Result]) -> list[Sequence[int | float]]:
    """Return those of each result."""
    parts, start = [], 0
    for result in results:
        parts.append(values[start : start + prod(result.shape)])
        start += prod(result.shape)
    return parts
