"""Inequalities of graphs: bounds of variables, and of laws that are linear in unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, describe_value, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import prior
from screwgraph.graph.inequality import Inequality
from screwgraph.graph.live_numbers import with_argument
from screwgraph.graph.variable import Key

Bound = float | Float[np.ndarray, " rows"] | str
"""Bounds: a number, one for each row, or the name of an argument that holds them."""
PRIORITIES = range(-3, 4)
"""Priorities that inequalities may have."""


@check_arguments
def with_bounds(
    graph: FactorGraph, *names: str | Key, lower: Bound = -np.inf, upper: Bound = np.inf, priority: int = 0
) -> FactorGraph:
    """Return a graph whose variables stay within bounds: `sg.compile` makes a small quadratic program of it.

    Args:
        graph: a graph before or after `given`.
        names: kinds such as `"tau"`, or variables such as `"tau:joint2"`.
        lower: least value in the variables' units: a number, or one for each entry of all these variables. A name, such
            as `"least_tau"`, is that of an argument which holds one for each entry; infinite where there is no bound.
        upper: largest value.
        priority: -3 to 3. What cannot all be kept gives way, lower priorities first.

    Raises:
        InputError: there is no name or no bound, a name means nothing in this graph, bounds have no sense, or there is
            no such priority.
    """
    check_named(names, "bounds", 'sg.with_bounds(graph, "tau", lower=-10.0, upper=10.0)')
    keys = graph.select(names)
    _check_priority(", ".join(map(str, names)), priority)
    _check_bounds(", ".join(map(str, names)), lower, upper)
    sizes = [graph.variables[key].dim for key in keys]
    low, up = (
        x if isinstance(x, str) else _validate_bounds(", ".join(map(str, names)), x, sum(sizes)) for x in (lower, upper)
    )
    ends = np.cumsum([0, *sizes])
    for key, begin, end in zip(keys, ends, ends[1:], strict=False):
        v = graph.variables[key]
        _check_order(str(key), low[begin:end], up[begin:end])
        bounded = Factor(prior, {"x": key}, v.dim, v.index, {"value": np.zeros(v.dim)})
        own = [x if isinstance(x, str) else x[begin:end] for x in (low, up)]
        graph = with_inequality(graph, bounded, lower=own[0], upper=own[1], priority=priority)
    return graph


@check_arguments
def with_inequality(
    graph: FactorGraph, factor: Factor, *, lower: Bound = 0.0, upper: Bound = np.inf, priority: int = 0
) -> FactorGraph:
    """Return a graph in which the residual of a factor, one that is not among its equations, stays within bounds.

    Args:
        graph: a graph before or after `given`.
        factor: a law, linear in unknowns.
        lower: least value of the residual in its units: a number, one for each row, or the name of an argument.
        upper: largest value.
        priority: see `with_bounds`.

    Raises:
        InputError: the factor touches what the graph does not have, bounds have no sense, or there is no such priority.
    """
    graph.with_factors(factor)
    _check_priority(factor.name, priority)
    _check_bounds(factor.name, lower, upper)
    ends = list[Any]()
    for bound in (lower, upper):
        if isinstance(bound, str):
            ends.append(Key(bound, factor.keys[0].name))
            graph = with_argument(graph, ends[-1], factor.rows, factor.index)
        else:
            ends.append(tuple(_validate_bounds(factor.name, bound, factor.rows).tolist()))
    _check_order(factor.name, ends[0], ends[1])
    return replace(graph, inequalities=(*graph.inequalities, Inequality(factor, ends[0], ends[1], priority)))


def check_named(names: Sequence[object], what: str, fix: str) -> None:
    """Raise InputError where no variable or frame is named: nothing would be done."""
    if not names:
        raise InputError(f"{what} of nothing", why="no name is given", fix=fix)


def _check_priority(name: str, priority: int) -> None:
    if priority not in PRIORITIES:
        raise InputError(f"the priority of {name} is {priority!r}", fix="a whole number from -3 to 3")


def _check_bounds(name: str, lower: Bound, upper: Bound) -> None:
    """Raise InputError where there is neither bound."""
    if any(isinstance(bound, str) for bound in (lower, upper)):
        return
    if (np.asarray(lower) == -np.inf).all() and (np.asarray(upper) == np.inf).all():
        raise InputError(f"bounds of {name}: there are none", fix="give lower=, upper=, or both")


def _check_order(name: str, lower: Any, upper: Any) -> None:
    if isinstance(lower, str | Key) or isinstance(upper, str | Key):
        return
    for low, up in zip(lower, upper, strict=True):
        if low > up:
            raise InputError(f"the bounds of {name} are {low:g} and {up:g}", fix="the lower one first")
        if low == np.inf or up == -np.inf:
            raise InputError(f"the bounds of {name} are {low:g} and {up:g}", why="no number is between")


def _validate_bounds(name: str, value: Any, rows: int) -> Float[np.ndarray, " rows"]:
    found = validate_numbers(f"a bound of {name}", value)
    if found.shape not in ((), (rows,)) or np.isnan(found).any():
        raise InputError(
            f"a bound of {name} is {describe_value(value)}", why=f"it must be a number, or {rows} of these"
        )
    return np.broadcast_to(found, rows).copy()
