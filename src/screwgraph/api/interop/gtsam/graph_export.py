"""Problems as nonlinear graphs of GTSAM, of custom factors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.custom_factors import group_factors, make_block
from screwgraph.api.interop.gtsam.equalities import find_equality
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.noise_models import make_noise_model
from screwgraph.api.interop.gtsam.values import Keys, validate_keys
from screwgraph.api.interop.pose_graph import Prior
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, Problem

TOGETHER = 8
"""Factors of one family in one of GTSAM's: few enough for its dense matrices, enough to share a call of Python."""


@check_arguments
def to_gtsam(problem: Problem, keys: Keys | None = None, *, together: int = TOGETHER) -> Any:
    """Return a problem as a `gtsam.NonlinearFactorGraph` whose factors call our compiled code, Jacobians included.

    Neighbouring factors of one family, which share unknowns, are one factor there, and cost the same. Soft factors are
    whitened here; losses are GTSAM's, hard equalities its constraints, hard `Prior` its `NonlinearEquality`.

    Args:
        problem: of soft factors and equalities.
        keys: by family, one for each unknown; by default those of `symbols`.
        together: factors in one of GTSAM's, at most; 1 keeps the graph's sparsity as it is.

    Raises:
        InputError: GTSAM has no such factor or type of unknown, or is not installed.
    """
    if together < 1:
        raise InputError(f"together = {together}", fix="give a positive number of factors")
    gtsam, graph = import_gtsam(), import_gtsam().NonlinearFactorGraph()
    own = {v.name: tuple(found) for v, found in validate_keys(problem, keys)}
    for f in problem.factors:
        _check(f)
    soft = [f for f in problem.factors if f.kind == "soft" and f.loss is None]
    hard = [f for f in problem.factors if f.kind == "equality" and not _add_pins(graph, f, own)]
    for factors in (soft, hard):
        for group in group_factors(factors, together):
            own_block = make_block(group, own)
            model = make_noise_model(None, own_block.rows, hard=factors is hard)
            graph.add(gtsam.CustomFactor(model, own_block.keys, own_block))
    for f in (f for f in problem.factors if f.loss is not None):
        for group in group_factors([replace(f, loss=None)], 1):
            own_block = make_block(group, own)
            graph.add(
                gtsam.CustomFactor(make_noise_model(f.loss, own_block.rows, hard=False), own_block.keys, own_block)
            )
    return graph


def _add_pins(graph: Any, f: Factors, keys: Keys) -> bool:
    """Add hard priors as GTSAM's equalities; tell whether they are these, of a type that GTSAM has."""
    if not isinstance(f.template, Prior):
        return False
    v, numbers = f.arguments[0].variables, np.broadcast_to(f.arguments[0].indices, (len(f),))
    known = f.each.get("z", f.shared.get("z"))
    made = find_equality(v.name, v.manifold)
    if made is None or known is None:
        return False
    for i, z in zip(numbers.tolist(), np.broadcast_to(known, (len(f), *v.manifold.shape)), strict=True):
        graph.add(made(keys[v.name][i], z))
    return True


def _check(f: Factors) -> None:
    if f.kind == "inequality" or f.kernels.derivation.is_cost:
        what = "an inequality" if f.kind == "inequality" else "a cost that is no square"
        raise InputError(f"{f.name} is {what}", why="GTSAM has no such factor", fix="use `hinge`, or `soft`")
