"""Hard factors turned soft: for the method of multipliers, and for finding values at which they hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.factors import Factors
from screwgraph.optimize.template_wrappers import EqualityPenalty, InequalityPenalty


def penalise_hard(assembly: Assembly, *, keep_costs: bool) -> Assembly:
    """Return the assembly with hard factors as penalties, of weight 1 and shift 0; soft factors stay, or go."""
    factors = []
    for batch in assembly.batches:
        f = batch.factors
        if f.kind == "soft":
            factors += [f] if keep_costs else []
            continue
        wrapper = EqualityPenalty if f.kind == "equality" else InequalityPenalty
        own = {**f.each, "shift": np.zeros((len(f), f.rows))}
        factors.append(
            replace(f, kind="soft", template=wrapper(f.template), shared={**f.shared, "weight": np.ones(())}, each=own)
        )
    made = Assembly(assembly.layout, factors)
    return made.with_scales(assembly.cost_scale, assembly.units) if keep_costs else made


def update_penalties(soft: Assembly, weight: float, shifts: list[Float[np.ndarray, "N m"]]) -> Assembly:
    """Return a penalised assembly with another weight, and shifts of its penalties in their order."""
    left, factors = list(shifts), []
    for batch in soft.batches:
        f = batch.factors
        if isinstance(f.template, EqualityPenalty | InequalityPenalty):
            f = _weigh_factors(f, weight, left.pop(0))
        factors.append(f)
    return soft.with_factors(factors)


def _weigh_factors(f: Factors, weight: float, shift: Float[np.ndarray, "N m"]) -> Factors:
    return replace(f, shared={**f.shared, "weight": np.array(weight)}, each={**f.each, "shift": shift})
