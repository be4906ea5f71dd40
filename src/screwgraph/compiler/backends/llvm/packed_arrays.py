"""Gufuncs of more arrays or axes than NumPy takes: of one array of the numbers of all arguments, and one of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm.domain_counter import Domains
from screwgraph.compiler.backends.llvm.inner_loop import Shape

MOST = 64 if int(np.__version__.partition(".")[0]) > 1 else 32
"""Arrays of a gufunc, and axes of a batch with those of all results, that NumPy takes."""
BATCH_AXES = 4
"""Axes that are left for batches."""


def exceeds_numpy(arguments: Sequence[Any], results: Sequence[Shape]) -> bool:
    """Return whether NumPy takes no gufunc of so many arguments and results."""
    return len(arguments) + len(results) > MOST or sum(map(len, results)) > MOST - BATCH_AXES


def pack_domains(domains: Domains, arguments: Sequence[Shape]) -> Domains:
    """Return the domains of numbers of one array, in which those of arguments stand one after the other."""
    starts = list(accumulate(map(prod, arguments), initial=0))
    kinds = (domains.quaternions, domains.nonnegative)
    return Domains(*(tuple((0, starts[i] + place) for i, place in each) for each in kinds))


@dataclass(frozen=True, eq=False)
class PackedArrays:
    """Callable as a gufunc of core shapes; `whole` is one of a vector of all numbers, and returns such a vector."""

    whole: np.ufunc
    arguments: Sequence[Shape]
    results: Sequence[Shape]

    def __call__(self, *values: Any, out: Sequence[Any] | None = None, dtype: Any = None) -> Any:
        """Return an array for each result, for arrays (..., *core) that broadcast; those of `out`, if given.

        Raises:
            TypeError: numbers of a kind that `dtype` does not hold, as complex ones.
            ValueError: shapes that are none of arguments, batches that do not broadcast, too few or many arrays.
        """
        arrays = [np.asarray(value) for value in values]
        batches = [x.shape[: x.ndim - len(core)] for x, core in zip(arrays, self.arguments, strict=True)]
        batch = np.broadcast_shapes(*batches)
        rows = list[np.ndarray]()
        for x, core, own in zip(arrays, self.arguments, batches, strict=True):
            if x.shape != (*own, *core):
                raise ValueError(f"an argument has the shape {x.shape}, whose last axes are not {core}")
            rows.append(np.broadcast_to(x.reshape((*own, prod(core))), (*batch, prod(core))))
        dtype = dtype or self.whole.types[0][-1]
        found = self.whole(np.concatenate(rows, axis=-1, dtype=dtype, casting="same_kind"), dtype=dtype)
        ends = accumulate(map(prod, self.results), initial=0)
        parts = [
            found[..., start:end].reshape((*batch, *core))[()]
            for (start, end), core in zip(pairwise(ends), self.results, strict=True)
        ]
        if out is not None:
            for target, part in zip(out, parts, strict=True):
                np.copyto(target, part, casting="same_kind")
            parts = list(out)
        return parts[0] if len(parts) == 1 else tuple(parts)
