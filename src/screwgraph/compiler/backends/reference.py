"""Numbers that exported code is held against where it runs: random states, and what the program says there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.compiler.backends.base import Listing
from screwgraph.compiler.inputs import samples_of
from screwgraph.compiler.signature import PARAMETERS, Argument

COUNT, TRIED = 4, 16
"""States that are written, and those among which they are chosen."""
SPREAD = 0.1
"""By how much live parameters differ from the file's, relatively."""
EXACT = {"float64": 1e-12, "float32": 1e-5}
"""Least tolerance, relative to a result's largest number."""
MARGIN = 32.0
"""How many times the effect of rounding, as it is found at the states tried, is allowed."""
WIDER = {"float64": np.longdouble, "float32": np.float64}
"""Numbers in which the effect of rounding is measured."""


@dataclass(frozen=True)
class Reference:
    """States of a function, (k, numbers) an argument, its results there, and what each may be off by, absolutely."""

    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]
    tolerances: tuple[np.ndarray, ...]


def reference(f: Listing) -> Reference:
    """Return random states, finite results first, and tolerances that follow from rounding."""
    rng = np.random.default_rng(11)
    inputs = [_samples(a, rng).astype(f.dtype) for a in f.arguments]
    has_erf = any(instruction[0] == "erf" for instruction in f.program.instructions)  # which NumPy has no wider one of
    wider = np.float64 if has_erf else WIDER[f.dtype]
    narrow, wide = _evaluated(f, inputs, f.dtype), _evaluated(f, inputs, wider)
    finite = np.all([np.isfinite(values).all(axis=1) for values in (*wide, *narrow)], axis=0)
    chosen = np.argsort(~finite, kind="stable")[:COUNT]
    tolerances = []
    for exact, rounded in zip(wide, narrow, strict=True):
        size = np.abs(exact).max(axis=1, initial=0.0)
        with np.errstate(all="ignore"):
            off = np.abs(rounded - exact).max(axis=1, initial=0.0) / np.where(size > 0.0, size, 1.0)
        worst = max(EXACT[f.dtype], MARGIN * float(np.max(off[finite], initial=0.0)))
        tolerances.append((worst * size[chosen]).astype(f.dtype))
    outputs = tuple(w[chosen].astype(float) for w in wide)
    return Reference(tuple(x[chosen] for x in inputs), outputs, tuple(tolerances))


def _samples(argument: Argument, rng: np.random.Generator) -> np.ndarray:
    values = samples_of(argument, rng)[:TRIED]
    if argument.name == PARAMETERS and argument.nominal:
        return np.array(argument.nominal) * (1.0 + SPREAD * values)
    return values


def _evaluated(f: Listing, inputs: Sequence[np.ndarray], dtype: Any) -> list[np.ndarray]:
    """Return each result (TRIED, numbers) of the program in one type of numbers."""
    given = {n: x[:, i].astype(dtype) for a, x in zip(f.arguments, inputs, strict=True) for i, n in enumerate(a.names)}
    with np.errstate(all="ignore"):
        values = f.program.evaluate([given[name] for name in f.program.input_names])
    columns = iter(np.broadcast_to(np.asarray(value, dtype), (TRIED,)) for value in values)
    return [np.array([next(columns) for _ in range(r.size)], dtype).reshape(r.size, TRIED).T for r in f.results]
