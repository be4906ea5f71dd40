"""Where the motion of a mechanism begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.mechanism.kinematics import (
    as_vector,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.closure import ClosureCode, assemble_near, coordinate_units, find_assembled
from screwgraph.model.mechanism.mechanism import Mechanism

CONSISTENT = 1e-6
"""Velocities, relative to the largest (or 1), that constraints may forbid: they are taken away."""


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
