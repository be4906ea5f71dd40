"""Methods of integration: those of `time.RULES` at fixed steps, and adaptive ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.simulation.methods.adaptive import adaptive
from screwgraph.simulation.methods.explicit import explicit
from screwgraph.simulation.methods.fixed import State, at_fixed_steps
from screwgraph.simulation.methods.implicit import implicit
from screwgraph.simulation.methods.tolerances import Tolerances
from screwgraph.simulation.system import System
from screwgraph.time import RULES

Method = Callable[[System, State, Float[np.ndarray, " N"], Tolerances], Iterator[State]]
"""Yields the state at every time after the first."""

AUTO = "auto"
"""The method that chooses among these."""

METHODS: Mapping[str, Method] = {
    **{name: at_fixed_steps((explicit if rule.is_explicit else implicit)(rule)) for name, rule in RULES.items()},
    "dop853": adaptive("dop853", "DOP853"),
    "radau5": adaptive("radau5", "Radau"),
}
"""The methods by name.

"dop853" is explicit, of order 8 (Hairer, Norsett & Wanner, 1993, section II.5), "radau5" L-stable, of order 5 (Hairer &
Wanner, 1996, section IV.8).
"""

__all__ = ["AUTO", "METHODS", "Method", "State", "Tolerances"]
