"""Positions of mechanisms from those of their independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import (
    PARAMETERS,
    Argument,
    Function,
    Result,
    compile_expression,
    compile_graph,
    make_numbered_argument,
)
from screwgraph.compiler.cache import pack_program
from screwgraph.graph import Key, completion_graph
from screwgraph.model.mechanism import Mechanism, find_moving_parameters, without_metadata
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
        InputError: constraints do not depend on a parameter.
    """
    moving = find_moving_parameters(mechanism, parameters) if parameters else ()
    for i, name in enumerate(parameters):
        if i not in moving:
            raise InputError(
                f"closed_positions does not depend on {name!r}", why="no constraint does", fix="leave it out"
            )
    return _close_positions(mechanism, tuple(parameters)).astype(dtype)


def take_independent_positions(function: Function, mechanism: Mechanism, parameters: Sequence[str]) -> Function:
    """Return a function of all positions "q" as one of the independent ones, and of a guess of all, last.

    Of its `parameters`, those on which constraints depend move the other coordinates, too. See `closed_positions`.
    """
    places = list(find_moving_parameters(mechanism, parameters)) if parameters else []
    closing = _close_positions(mechanism, tuple(parameters[i] for i in places))
    y, *_, guess = closing.arguments

    def expression(*vectors: Array) -> list[Any]:
        given = dict(zip((a.name for a in arguments), vectors, strict=True))
        lengths = [given[PARAMETERS][places]] if places else []
        q = closing(given["q"], *lengths, given[guess.name])
        found = function(*(q if a.name == "q" else given[a.name] for a in function.arguments))
        return [x for part in (found if isinstance(found, tuple) else (found,)) for x in np.ravel(part)]

    arguments = (*(y if a.name == "q" else a for a in function.arguments), guess)
    question = "independent positions", pack_program(function.program), pack_program(closing.program), places
    return compile_expression(function.name, question, arguments, expression, results=function.results)


def _close_positions(mechanism: Mechanism, parameters: tuple[str, ...]) -> Function:
    names, slots = mechanism.independent_coordinates, list(mechanism.freedom.independent)
    graph = completion_graph(mechanism, "step", names, parameters)
    known = ["q", *(["parameter"] if parameters else []), *(Key("step", name) for name in names)]
    step = compile_graph(graph.given(*known), "step", ordering=ORDER)
    free = [i for i in range(mechanism.n) if i not in slots]
    sizes = 1.0 / coordinate_units(mechanism)[free]

    def expression(y: Array, *others: Array) -> list[Any]:
        *lengths, guess = others
        q, zero = guess.copy(), np.zeros(len(slots))
        q[slots] = y
        for _ in range(STEPS):
            q[free] = q[free] + step(q, *lengths, zero)
        left = sum(x * x for x in step(q, *lengths, zero) * sizes)
        q[free] = q[free] * guard(choose(left <= CLOSED**2, 1.0, 0.0), 0.5)
        return list(q)

    arguments = (
        Argument("q", (len(names),), tuple(f"q:{name}[0]" for name in names)),
        *step.arguments[1:-1],
        make_numbered_argument("guess", mechanism.n),
    )
    results = (Result("q", (mechanism.n,), tuple(f"q:{name}[0]" for name in mechanism.coordinates)),)
    question = (without_metadata(mechanism), names, parameters)
    return compile_expression("closed_positions", question, arguments, expression, results=results)


ANSWERS = {"mechanism": {"closed_positions": closed_positions}}
"""Queries of positions that kinds of models but robots answer in their own way, by kind and name."""
