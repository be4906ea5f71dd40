"""Energies of planar mechanisms as functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from screwgraph.compiler import PARAMETERS, Argument, Function, Result, compile_expression, make_numbered_argument
from screwgraph.graph import refuse_payload
from screwgraph.model.mechanism import Mechanism, live_mechanism, without_metadata
from screwgraph.model.mechanism.equations import energies

ARGUMENTS = {"kinetic_energy": ("q", "qd"), "potential_energy": ("q",)}


def compile_energy(
    name: str,
    mechanism: Mechanism,
    *,
    parameters: Sequence[str] = (),
    payload: str | None = None,
    dtype: str = "float64",
) -> Function:
    """Return an energy (J) of `ARGUMENTS` as a function of its arguments (..., n), and of parameters of the file."""
    refuse_payload(payload)
    n = mechanism.n
    arguments = tuple(make_numbered_argument(kind, n) for kind in ARGUMENTS[name])

    live = live_mechanism(mechanism, tuple(parameters)) if parameters else None
    if live is not None:
        names = tuple(f"parameter:{parameter}[0]" for parameter in live.names)
        arguments = (*arguments, Argument(PARAMETERS, (len(names),), names, nominal=live.values))

    def expression(q: np.ndarray, *others: np.ndarray) -> list:
        there = mechanism if live is None else live.with_values(others[-1].tolist())
        kinetic, potential, _ = energies(there, q, others[0] if name == "kinetic_energy" else np.zeros(n))
        return [kinetic if name == "kinetic_energy" else potential]

    question = (without_metadata(mechanism), tuple(parameters))
    return compile_expression(name, question, arguments, expression, results=(Result("result", ()),)).astype(dtype)


ANSWERS = {"mechanism": {name: partial(compile_energy, name) for name in ARGUMENTS}}
"""Energies of kinds of models but robots, by kind and name."""
