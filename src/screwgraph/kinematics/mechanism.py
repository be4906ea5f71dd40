"""Energies of planar mechanisms as functions."""

from __future__ import annotations

import numpy as np

from screwgraph.compiler import Argument, Function, Result, compile_expression
from screwgraph.models.mechanism import Mechanism, without_metadata
from screwgraph.models.mechanism.equations import energies

ARGUMENTS = {"kinetic_energy": ("q", "qd"), "potential_energy": ("q",)}


def energy(mechanism: Mechanism, name: str) -> Function:
    """Return an energy (J) of `ARGUMENTS` as a function of its arguments (..., n)."""
    n = mechanism.n
    arguments = tuple(Argument(kind, (n,), tuple(f"{kind}[{i}]" for i in range(n))) for kind in ARGUMENTS[name])

    def expression(q: np.ndarray, qd: np.ndarray | None = None) -> list:
        kinetic, potential, _ = energies(mechanism, q, np.zeros(n) if qd is None else qd)
        return [potential if qd is None else kinetic]

    question = without_metadata(mechanism)
    return compile_expression(name, question, arguments, expression, results=(Result("result", ()),))
