"""What partial elimination leaves: a smaller graph, whose factors are the equations that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxtyping import Float

from screwgraph.elimination.engine import Elimination
from screwgraph.elimination.equations import Equations
from screwgraph.graph import Factor, FactorGraph, Key, Row, factor
from screwgraph.spatial import Array, vector


@factor(linear=("x",), cites="Xie & Dellaert (2019), section IV-B: the factor on the separator")
def remaining_rows(
    x: Sequence[Float[Array, " n"]], *, keys: tuple[Key, ...], rows: tuple[Row, ...], equations: Equations
) -> Float[Array, " rows"]:
    """The rows of a law that are left, in the variables that are left; coefficients stand on one tape."""
    value = dict(zip(keys, x, strict=True))
    residuals = []
    for row in rows:
        total = row.constant
        for (key, i), coefficient in row.terms.items():
            total = total + coefficient * value[key][i]
        residuals.append(total)
    return vector(residuals)


def make_remaining_graph(graph: FactorGraph, equations: Equations, elimination: Elimination) -> FactorGraph:
    """Return the graph of the unknowns that were not eliminated.

    It can be compiled, drawn, edited and eliminated further. Its knowns are those of the graph before; passes do not
    apply to it any more.
    """
    gone = {step.column[0] for step in elimination.steps}
    variables = {key: v for key, v in graph.variables.items() if key in graph.known or key not in gone}
    by_factor: dict[int, list[Row]] = {}
    for row in elimination.remaining:
        if row.terms:
            by_factor.setdefault(id(row.factor), []).append(row)
    factors = tuple(_remainder(graph, equations, tuple(rows)) for rows in by_factor.values())
    return replace(graph, variables=variables, factors=factors, dependence=None, model=None)


def _remainder(graph: FactorGraph, equations: Equations, rows: tuple[Row, ...]) -> Factor:
    source = rows[0].factor
    held = {key for row in rows for key, _ in row.terms}
    keys = tuple(key for key in graph.variables if key in held)
    bound = {"keys": keys, "rows": rows, "equations": equations}
    sigma = tuple(source.sigma[row.number] for row in rows) if source.sigma else ()
    return Factor(remaining_rows, {"x": keys}, len(rows), source.index, bound, sigma=sigma)
