"""Methods of integration, one a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.simulation.methods.adaptive import dop853
from screwgraph.simulation.methods.explicit import Explicit, Stages, by_stages
from screwgraph.simulation.methods.fixed import State, at_fixed_steps
from screwgraph.simulation.methods.rk4 import rk4
from screwgraph.simulation.methods.semi_implicit import semi_implicit
from screwgraph.simulation.methods.tolerances import Tolerances
from screwgraph.simulation.methods.trapezoidal import trapezoidal
from screwgraph.simulation.system import System

Method = Callable[[System, State, Float[np.ndarray, " N"], Tolerances], Iterator[State]]
"""Yields the state at every time after the first."""

EXPLICIT: Mapping[str, Explicit] = {"rk4": rk4, "semi_implicit": semi_implicit}
"""Those of fixed steps whose steps are compiled as a whole, where efforts are constant."""

METHODS: Mapping[str, Method] = {
    "rk4": at_fixed_steps(by_stages(rk4)),
    "dop853": dop853,
    "semi_implicit": at_fixed_steps(by_stages(semi_implicit)),
    "trapezoidal": at_fixed_steps(trapezoidal),
}
"""The methods by name."""

__all__ = ["EXPLICIT", "METHODS", "Explicit", "Method", "Stages", "State", "Tolerances"]
