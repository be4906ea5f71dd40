"""Units of forces and costs in a search: machines of tons, or of grams, are far from 1 in SI units.

Beside squared torques of 1e12, limits and barriers count for nothing; torques of 1e-6 are balanced to within what hard
factors may be off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.factors.loop_closure import make_loop_multipliers
from screwgraph.motion.planning.task import FULL_GRAPH
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches
from screwgraph.motion.planning.transcription.regularisation import list_effort_weights, measure_efforts

COSTS = 1e-4, 1e3
"""Costs, as parts of `ARMS`, between which searches go as well without; those beyond are made that."""
FORCES = 1e-1, 1e3
"""The same of forces (N, N m), which are made 1."""
ARMS = 100.0
"""What motions of arms cost: then tolerances of the KKT conditions are as fine as theirs."""


@dataclass(frozen=True)
class CostScale:
    """Scales of a task: what costs are divided by, and what counts as 1 in families of forces."""

    cost: float = 1.0
    units: Mapping[str, float] = field(default_factory=dict)


def compute_scale(transcription: Transcription) -> CostScale:
    """Return the scale of a task, from the efforts that hold its robot and accelerate it by 1.

    Costs of other things than effort count as 1, since their units are not those of masses.
    """
    task, steps = transcription.task, transcription.steps
    if not task.dynamics or not steps.actuated:
        return CostScale()
    acting, each = list_wrenches(task, steps), list_effort_weights(task, steps)
    holding, moving = measure_efforts(steps, acting)
    typical = sum(p.duration for p in task.phases) * float(each @ holding + (moving @ each).sum())
    if any(not isinstance(cost, Effort) for cost in task.costs):
        typical = max(typical, 1.0)
    force = _beyond(float(np.sqrt((holding + moving.max(axis=0)).max())), *FORCES)
    forces = {steps.tau, make_loop_multipliers(steps), *(w.unknowns for w in acting)}
    has_units = force != 1.0 and task.dynamics != FULL_GRAPH  # there, wrenches of all links are unknowns, too
    families = transcription.problem.families if has_units else ()
    return CostScale(_beyond(typical / ARMS, *COSTS), {v.name: force for v in families if v in forces})


def _beyond(size: float, smallest: float, largest: float) -> float:
    """Return a size beyond two bounds; 1 between them, and where it is not known."""
    return size if 0.0 < size < smallest or largest < size < np.inf else 1.0
