"""Methods of integration: those of `time.RULES` at fixed steps, and an adaptive one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.simulation.methods.dop853 import dop853
from screwgraph.simulation.methods.explicit import explicit
from screwgraph.simulation.methods.fixed import State, at_fixed_steps
from screwgraph.simulation.methods.implicit import implicit
from screwgraph.simulation.methods.tolerances import Tolerances
from screwgraph.simulation.system import System
from screwgraph.time import RULES

Method = Callable[[System, State, Float[np.ndarray, " N"], Tolerances], Iterator[State]]
"""Yields the state at every time after the first."""

METHODS: Mapping[str, Method] = {
    **{name: at_fixed_steps((explicit if rule.is_explicit else implicit)(rule)) for name, rule in RULES.items()},
    "dop853": dop853,
}
"""The methods by name."""

__all__ = ["METHODS", "Method", "State", "Tolerances"]
