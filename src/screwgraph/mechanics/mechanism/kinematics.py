"""Position, velocity and acceleration problems, and finite displacements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.closure import ClosureCode, assemble_near
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.spatial import finite_vector

CONSISTENT = 1e-8
"""Residual, relative to 1 and the largest value, that velocities and accelerations may have."""


def position_problem(mechanism: Mechanism, given: Mapping[str, float], guess: Any = None) -> Float[np.ndarray, " n"]:
    """Return the closed position at which coordinates have given values (m, rad).

    Of several such positions, the branches, the one near the guess (n,) is found; by default, that is the position at
    the beginning. Garcia de Jalon & Bayo (1994), section 3.1.

    Raises:
        InputError: an unknown coordinate, or a bad guess.
        ModelError: the mechanism does not close there; the part with the largest closure error is named.
    """
    q = mechanism.home.copy() if guess is None else as_vector(mechanism, guess, "guess")
    values = _index_given(mechanism, given)
    free = np.ones(mechanism.n, dtype=bool)
    free[list(values)] = False
    q[list(values)] = list(values.values())
    return assemble_near(mechanism, compile_mechanism(mechanism).closing, q, free)


def velocity_problem(
    mechanism: Mechanism, q: Any, given: Mapping[str, float], code: ClosureCode | None = None
) -> Float[np.ndarray, " n"]:
    """Return the smallest velocities qd at which coordinates have given ones (m/s, rad/s).

    Lengths count in the size of the mechanism. `code` has the constraints, where their lengths are not those of the
    file.
    Blanco-Claraco et al. (2021), eqs. (2), (11).

    Raises:
        InputError: an unknown coordinate, a position of wrong shape, or velocities that the constraints forbid.
    """
    position = as_vector(mechanism, q, "q")
    closing = code or compile_mechanism(mechanism).closing
    bias = np.zeros(len(closing.parts))
    return _complete_rates(mechanism, closing, position, bias, _index_given(mechanism, given), "velocities")


def acceleration_problem(mechanism: Mechanism, q: Any, qd: Any, given: Mapping[str, float]) -> Float[np.ndarray, " n"]:
    """Return the smallest accelerations qdd at which coordinates have given ones (m/s^2, rad/s^2).

    Lengths count in the size of the mechanism. Blanco-Claraco et al. (2021), eqs. (3), (12).

    Raises:
        InputError: an unknown coordinate, arrays of wrong shape, or accelerations that the constraints forbid.
    """
    position, velocity = as_vector(mechanism, q, "q"), as_vector(mechanism, qd, "qd")
    closing = compile_mechanism(mechanism).closing
    bias = compile_mechanism(mechanism).rates(position, velocity)[: len(closing.parts)]
    return _complete_rates(mechanism, closing, position, bias, _index_given(mechanism, given), "accelerations")


def finite_displacement(
    mechanism: Mechanism, q: Any, given: Mapping[str, float], steps: int = 20
) -> Float[np.ndarray, "steps+1 n"]:
    """Move coordinates from where they are to given values (m, rad) in equal steps, along one branch.

    Each step begins where the velocities of the one before lead. Garcia de Jalon & Bayo (1994), section 3.2.

    Raises:
        InputError: an unknown coordinate, a position of wrong shape, or no positive number of steps.
        ModelError: the mechanism is blocked on the way.
    """
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
        raise InputError(f"steps = {steps!r} is not a positive whole number")
    path = [as_vector(mechanism, q, "q")]
    values = _index_given(mechanism, given)
    names, ends = list(given), np.array(list(values.values()))
    starts = path[0][list(values)]
    change = dict(zip(names, (ends - starts) / steps, strict=True))
    closing = compile_mechanism(mechanism).closing
    still = np.zeros(len(closing.parts))
    for k in range(1, steps + 1):
        there = starts + (ends - starts) * (k / steps)
        guess = path[-1] + _smallest(closing, path[-1], still, _index_given(mechanism, change))[0]
        path.append(position_problem(mechanism, dict(zip(names, there, strict=True)), guess))
    return np.array(path)


def as_vector(mechanism: Mechanism, values: Any, what: str) -> Float[np.ndarray, " n"]:
    """Return n finite numbers as an array of their own. Raises InputError for anything else."""
    return finite_vector(values, mechanism.n, what, f"the coordinates are {', '.join(mechanism.coordinates)}")


def _index_given(mechanism: Mechanism, given: Mapping[str, float]) -> dict[int, float]:
    values = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise InputError(f"the value {value!r} of {name!r} is not a finite number")
        values[mechanism.index(name)] = float(value)
    return values


def _smallest(
    closing: ClosureCode, q: np.ndarray, right: np.ndarray, values: dict[int, float]
) -> tuple[np.ndarray, float]:
    """Return the smallest x with Phi_q x = right and given entries, and what is left, relative to x (or 1).

    Lengths count in the size of the mechanism.
    """
    units, slots = closing.units, list(values)
    A = np.vstack([closing.in_units(q)[1], np.eye(len(q))[slots]])
    b = np.concatenate([right / units.rows, np.array(list(values.values())) / units.coordinates[slots]])
    x = np.linalg.lstsq(A, b, rcond=1e-10)[0]
    scale = max(1.0, *np.abs([*x, *b[len(right) :]]))
    return units.coordinates * x, float(np.abs(A @ x - b).max(initial=0.0)) / scale


def _complete_rates(
    mechanism: Mechanism, closing: ClosureCode, q: np.ndarray, right: np.ndarray, values: dict[int, float], what: str
) -> np.ndarray:
    x, left = _smallest(closing, q, right, values)
    if left > CONSISTENT:
        names = ", ".join(mechanism.coordinates[i] for i in values)
        raise InputError(
            f"no {what} have the given values of {names}: {left:.3g} of them is left",
            why="the constraints tie them together, or the position is singular",
            fix=f"give at most {mechanism.dof} independent ones, like {', '.join(mechanism.independent_coordinates)}",
        )
    return x
