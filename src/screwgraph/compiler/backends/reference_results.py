"""Numbers that exported code is held against where it runs: random states, and what the program says there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.compiler.backends.base import ExportedFunction
from screwgraph.compiler.derivatives.tape_inputs import draw_samples
from screwgraph.compiler.signature import PARAMETERS, Argument
from screwgraph.tape import Routine

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
LONG, NUDGES = 50_000, 3
"""Operations of code with loops beyond which machine code answers, and how often inputs are changed by rounding."""


@dataclass(frozen=True)
class Reference:
    """States of a function, (k, numbers) an argument, its results there, and what each may be off by, absolutely."""

    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]
    tolerances: tuple[np.ndarray, ...]


def make_reference(f: ExportedFunction) -> Reference:
    """Return states of a function, with finite results where there are some, and tolerances that follow from rounding.

    States at which rounding changes how often a loop goes round are left out; those that are left are repeated.
    """
    rng = np.random.default_rng(11)
    given = [_samples(a, rng) for a in f.arguments] if f.examples is None else f.examples()
    inputs = [np.asarray(values).astype(f.dtype) for values in given]
    is_long = isinstance(f.code, Routine) and f.compute is not None and f.code.operations.total > LONG
    exact, off, sound = (_nudge if is_long else _widen)(f, inputs)
    sound &= np.all([np.isfinite(values).all(axis=1) for values in exact], axis=0)
    chosen = np.resize(np.argsort(~sound, kind="stable")[: max(1, min(COUNT, int(sound.sum())))], COUNT)
    tolerances = []
    for values, own in zip(exact, off, strict=True):
        worst = max(EXACT[f.dtype], MARGIN * float(np.max(own[sound], initial=0.0)))
        tolerances.append((worst * np.abs(values).max(axis=1, initial=0.0)[chosen]).astype(f.dtype))
    outputs = tuple(w[chosen].astype(float) for w in exact)
    return Reference(tuple(x[chosen] for x in inputs), outputs, tuple(tolerances))


Measured = tuple[Sequence[np.ndarray], Sequence[np.ndarray], np.ndarray]
"""Results (k, numbers), what rounding changes in each (k,), relatively, and at which states it changes nothing else."""


def _widen(f: ExportedFunction, inputs: Sequence[np.ndarray]) -> Measured:
    """Interpret the code with wider numbers, too."""
    has_erf = any(i[0] == "erf" for program in f.code.programs for i in program.instructions)  # NumPy has no wider one
    wider = np.float64 if has_erf else WIDER[f.dtype]
    (narrow, rounds), (wide, exact_rounds) = _evaluate_code(f, inputs, f.dtype), _evaluate_code(f, inputs, wider)
    sound = np.array([a == b for a, b in zip(rounds, exact_rounds, strict=True)])
    sound &= np.all([np.isfinite(values).all(axis=1) for values in narrow], axis=0)
    return wide, _compare(narrow, wide), sound


def _nudge(f: ExportedFunction, inputs: Sequence[np.ndarray]) -> Measured:
    """Run machine code, also with inputs that are off by their rounding; where it decides otherwise, results jump."""
    assert f.compute is not None
    found, off, rng = f.compute(inputs), [np.zeros(len(inputs[0])) for _ in f.results], np.random.default_rng(12)
    unit = float(np.finfo(f.dtype).eps)
    for _ in range(NUDGES):
        nudged = [(x * (1.0 + unit * rng.choice([-1.0, 0.0, 1.0], x.shape))).astype(x.dtype) for x in inputs]
        off = [np.maximum(a, b) for a, b in zip(off, _compare(f.compute(nudged), found), strict=True)]
    return found, off, np.all([own < unit**0.5 for own in off], axis=0)


def _compare(rounded: Sequence[np.ndarray], exact: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return by how much results of each state differ, relative to the largest number of each."""
    found = []
    for some, others in zip(rounded, exact, strict=True):
        size = np.abs(others).max(axis=1, initial=0.0)
        with np.errstate(all="ignore"):
            found.append(np.abs(some - others).max(axis=1, initial=0.0) / np.where(size > 0.0, size, 1.0))
    return found


def _samples(argument: Argument, rng: np.random.Generator) -> np.ndarray:
    values = draw_samples(argument, rng)[:TRIED]
    if argument.name == PARAMETERS and argument.nominal:
        return np.array(argument.nominal) * (1.0 + SPREAD * values)
    return values


def _evaluate_code(
    f: ExportedFunction, inputs: Sequence[np.ndarray], dtype: Any
) -> tuple[list[np.ndarray], list[list[int]]]:
    """Return each result (k, numbers) of the code in one type of numbers, and how often its loops go round."""
    pairs = zip(f.arguments, inputs, strict=True)
    known = {n: x[:, i].astype(dtype) for a, x in pairs for i, n in enumerate(a.names)}
    given, count = [known[name] for name in f.code.input_names], len(inputs[0]) if inputs else TRIED
    with np.errstate(all="ignore"):
        if isinstance(f.code, Routine) and f.code.is_conditional:
            rounds: list[list[int]] = [[] for _ in range(count)]
            states = zip(zip(*given, strict=True), rounds, strict=True)
            values = list(zip(*(f.code.evaluate(state, own) for state, own in states), strict=True))
        else:
            rounds, values = [[]] * count, f.code.evaluate(given)
    columns = iter(np.broadcast_to(np.asarray(value, dtype), (count,)) for value in values)
    found = [np.array([next(columns) for _ in range(r.size)], dtype).reshape(r.size, count).T for r in f.results]
    return found, rounds
