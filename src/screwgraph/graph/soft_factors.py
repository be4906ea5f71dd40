"""Equations that hold only nearly, so that a graph may have more of them than unknowns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import measurement
from screwgraph.graph.inequalities import check_named
from screwgraph.graph.live_numbers import with_argument, with_known
from screwgraph.graph.variable import Key, Variable

Sigma = float | Float[np.ndarray, " rows"] | str
"""Standard deviations: a number, one for each row, or the name of an argument that holds them."""
MEASURED = "measured_"
"""Begins the kinds of variables that hold measured values."""


@check_arguments
def with_soft(graph: FactorGraph, *factors: str | Factor, sigma: Sigma = 1.0) -> FactorGraph:
    """Return a graph some of whose factors hold only nearly: compiled code makes the sum of (residual / sigma)^2 least.

    All other factors hold exactly. Xie & Dellaert (2019), IV-C.

    Args:
        graph: a graph before or after `given`.
        factors: factors, their names (`"torque:joint2"`), or names of laws (`"torque"`: all of these); none means all.
        sigma: standard deviation of the residuals in their units: a number, or one for each row. A name, such as
            `"sigma_torque"`, is that of an argument which holds one for each row.

    Raises:
        InputError: the graph has no such factor, or sigma is neither positive and finite nor a new name.
    """
    chosen = [f for name in factors for f in _find_factors(graph, name)] if factors else graph.factors
    for f in chosen:
        graph, deviations = _with_deviations(graph, f.law[1].name, sigma, f)
        graph = graph.replaced(f, replace(f, **deviations))
    return graph


@check_arguments
def with_measurements(graph: FactorGraph, *names: str | Key, sigma: Sigma) -> FactorGraph:
    """Return a graph in which variables were measured: known `measured_...` variables, with a soft factor each.

    Args:
        graph: a graph before or after `given`.
        names: kinds such as `"qdd"`, or variables such as `"tau:joint2"`. The measured values of a kind are one
            argument of compiled functions, such as `measured_qdd`.
        sigma: standard deviation of the sensors, in the variables' units: a number, or one for each entry. A name, such
            as `"sigma_qdd"`, is that of an argument which holds one for each entry.

    Raises:
        InputError: there is no name, a name means nothing in this graph, or sigma is neither positive and finite nor
            a new name.
    """
    check_named(names, "measurements", 'sg.with_measurements(graph, "qdd", sigma=0.1)')
    for key in graph.select(names):
        v, measured = graph.variables[key], Key(MEASURED + key.kind, key.name)
        if measured in graph.variables:
            raise InputError(f"{key} is measured twice", fix="combine the two sensors' values, or add a factor")
        seen = Factor(measurement, {"x": key, "measured": measured}, v.dim, v.index)
        graph = with_known(graph, Variable(measured, v.dim, v.index))
        graph, deviations = _with_deviations(graph, key.name, sigma, seen)
        graph = graph.with_factors(replace(seen, **deviations))
    return graph


def _find_factors(graph: FactorGraph, name: str | Factor) -> tuple[Factor, ...]:
    of_law = tuple(f for f in graph.factors if f.template.name == name)
    return of_law or ((graph.factor(name),) if isinstance(name, str) else (name,))


def _with_deviations(graph: FactorGraph, owner: str, sigma: Sigma, factor: Factor) -> tuple[FactorGraph, Any]:
    """Return a graph with the variable of standard deviations, if it is one, and what they are of a factor."""
    if not isinstance(sigma, str):
        return graph, {"sigma": _validate_sigma(factor.name, sigma, factor.rows)}
    key = Key(sigma, owner)
    return with_argument(graph, key, factor.rows, factor.index), {"sigma": (1.0,) * factor.rows, "scale": key}


def _validate_sigma(name: str, sigma: float | Float[np.ndarray, " rows"], rows: int) -> tuple[float, ...]:
    values = validate_numbers(f"sigma of {name}", sigma)
    if values.shape not in ((), (rows,)) or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(
            f"sigma of {name} is {sigma!r}", why=f"it must be a positive, finite number, or {rows} of these"
        )
    return tuple(np.broadcast_to(values, rows).tolist())
