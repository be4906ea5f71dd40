"""Projection of a mechanism's states onto its constraints, from the state where its motion begins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.mechanism.kinematics import (
    as_vector,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.closure import ClosureCode, assemble_near, coordinate_units, find_assembled

TOLERANCE = 1e-12
"""Way back to the constraints that is not gone: lengths relative to the size of a mechanism, angles in rad."""

STEPS = 20

CONSISTENT = 1e-6
"""Velocities, relative to the largest (or 1), that constraints may forbid: they are taken away."""


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest states that the constraints allow; `function` gives the step there, and the nearest velocity.

    `units` are those of the coordinates in which steps are judged.
    """

    function: Function
    units: Float[np.ndarray, " n"]

    @property
    def rows(self) -> int:
        """How many numbers a step has."""
        return self.function.results[0].size

    def project(
        self, t: float, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"], float]:
        """Return the nearest position and velocity, and how far (m, rad) the position may still be off.

        Raises:
            InputError: the position is too far from one at which the mechanism closes.
        """
        step = np.full(len(q), np.inf)
        for _ in range(STEPS):
            step, nearest = self.function(q, qd)
            way = step / self.units
            if not way.dot(way) > TOLERANCE**2:  # NaN, too, ends the search; it is found where states are collected
                return q, nearest, math.sqrt(step.dot(step))
            q = q + step
        raise InputError(
            f"at t = {t:g} s the mechanism comes apart by {math.sqrt(step.dot(step)):.3g} and does not close again",
            why="a step led too far, or to a singular position",
            fix="take a smaller dt",
        )


def make_projection(mechanism: Mechanism) -> Projection:
    """Return the projection of a mechanism. Raises ModelError where it cannot be assembled."""
    return Projection(compile_mechanism(mechanism).projection, coordinate_units(mechanism))


def find_initial_position(
    mechanism: Mechanism, q0: Any, code: ClosureCode | None = None, given: Mapping[str, float] = {}
) -> Float[np.ndarray, " n"]:
    """Return where a motion begins: closed, near q0, by default where the mechanism was assembled.

    `code` has its constraints, where their lengths are not those of its file. Coordinates that are `given` have these
    values; from where it was assembled, they are led there on its branch.

    Raises:
        InputError: not n finite numbers.
        ModelError: the mechanism does not close nearby.
    """
    if q0 is None and given:
        return finite_displacement(mechanism, mechanism.home, given)[-1]
    if q0 is None:
        return mechanism.home if code is None else find_assembled(mechanism, code)
    if given:
        return position_problem(mechanism, given, q0)
    guess, every = as_vector(mechanism, q0, "q0"), np.ones(mechanism.n, dtype=bool)
    return assemble_near(mechanism, code or compile_mechanism(mechanism).closing, guess, every)


def find_initial_velocity(
    mechanism: Mechanism,
    q: Float[np.ndarray, " n"],
    qd0: Any,
    code: ClosureCode | None = None,
    given: Mapping[str, float] = {},
) -> Float[np.ndarray, " n"]:
    """Return the velocity that a motion begins with, by default that which the file gives, and `given` ones.

    `code` is as for positions.

    Raises:
        InputError: not n finite numbers, or a velocity that the constraints forbid.
    """
    if qd0 is None:
        known = {**mechanism.velocities, **given}
        return velocity_problem(mechanism, q, known, code) if known else np.zeros(mechanism.n)
    qd = as_vector(mechanism, qd0, "qd0")
    allowed = project_velocity(code or compile_mechanism(mechanism).closing, q, qd)
    forbidden = float(np.abs(qd - allowed).max())
    units = coordinate_units(mechanism)
    if float(np.abs((qd - allowed) / units).max()) > CONSISTENT * max(1.0, float(np.abs(qd / units).max())):
        raise InputError(
            f"the velocity qd0 is off by {forbidden:.3g} from what the constraints allow",
            fix=f"velocity_problem(mech, q, {{{mechanism.independent_coordinates[0]!r}: 1.0}}) gives one that is not",
        )
    return allowed


def project_velocity(
    code: ClosureCode, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return the velocity nearest to a given one that the constraints allow, lengths counting in a mechanism's size."""
    _, J = code.in_units(q)
    return qd - code.units.coordinates * np.linalg.lstsq(J, J @ (qd / code.units.coordinates), rcond=1e-10)[0]
