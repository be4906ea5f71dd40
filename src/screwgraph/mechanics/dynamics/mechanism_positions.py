"""Positions of planar mechanisms from those of their independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument, Function, Result, compile_expression, compile_graph, make_numbered_argument
from screwgraph.graph import Key, completion_graph
from screwgraph.model.mechanism import Mechanism, without_metadata
from screwgraph.model.mechanism.closure import coordinate_units
from screwgraph.spatial import Array, choose
from screwgraph.tape import guard

ORDER = "quasi_definite"
"""Its pivots vanish only where constraints depend on each other."""
STEPS = 6
"""Newton steps, as of robots' loops."""
CLOSED = 1e-9
"""Length of one more step, lengths counting in the size of the mechanism, below which it is closed."""


def closed_positions(mechanism: Mechanism, *, parameters: Sequence[str] = (), dtype: str = "float64") -> Function:
    """Return q(y, guess): the position near a guess at which independent coordinates are y, see `sg.closed_positions`.

    Raises:
        InputError: parameters are named.
    """
    if parameters:
        raise InputError(
            "closed positions of a mechanism are those of the lengths in its file",
            fix="load it with other values: sg.load_mechanism(file, {name: value})",
        )
    names, slots = mechanism.independent_coordinates, list(mechanism.freedom.independent)
    graph, still = completion_graph(mechanism, "step", names), [Key("step", name) for name in names]
    step = compile_graph(graph.given("q", *still), "step", ordering=ORDER)
    free = [i for i in range(mechanism.n) if i not in slots]
    sizes = 1.0 / coordinate_units(mechanism)[free]

    def expression(y: Array, guess: Array) -> list[Any]:
        q, zero = guess.copy(), np.zeros(len(slots))
        q[slots] = y
        for _ in range(STEPS):
            q[free] = q[free] + step(q, zero)
        left = sum(x * x for x in step(q, zero) * sizes)
        q[free] = q[free] * guard(choose(left <= CLOSED**2, 1.0, 0.0), 0.5)
        return list(q)

    arguments = (
        Argument("q", (len(names),), tuple(f"q:{name}[0]" for name in names)),
        make_numbered_argument("guess", mechanism.n),
    )
    results = (Result("q", (mechanism.n,), tuple(f"q:{name}[0]" for name in mechanism.coordinates)),)
    question = (without_metadata(mechanism), names)
    return compile_expression("closed_positions", question, arguments, expression, results=results).astype(dtype)


ANSWERS = {"mechanism": {"closed_positions": closed_positions}}
"""Queries of positions that kinds of models but robots answer in their own way, by kind and name."""
