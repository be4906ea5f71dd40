"""Methods of integration: those of `time.RULES` at fixed steps, and adaptive ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph.base.deprecated import old_names
from screwgraph.motion.integration_rules import RULES
from screwgraph.motion.simulation.methods.adaptive import make_adaptive
from screwgraph.motion.simulation.methods.explicit import make_explicit
from screwgraph.motion.simulation.methods.fixed_step import MotionState, make_fixed_step
from screwgraph.motion.simulation.methods.implicit import make_implicit
from screwgraph.motion.simulation.methods.tolerances import Tolerances
from screwgraph.motion.simulation.system import System

Method = Callable[[System, MotionState, Float[np.ndarray, " N"], Tolerances], Iterator[MotionState]]
"""Yields the state at every time after the first."""

AUTO = "auto"
"""The method that chooses among these."""

METHODS: Mapping[str, Method] = {
    **{
        name: make_fixed_step((make_explicit if rule.is_explicit else make_implicit)(rule))
        for name, rule in RULES.items()
    },
    "dop853": make_adaptive("dop853", "DOP853"),
    "radau5": make_adaptive("radau5", "Radau"),
}
"""The methods by name.

"dop853" is explicit, of order 8 (Hairer, Norsett & Wanner, 1993, section II.5), "radau5" L-stable, of order 5 (Hairer &
Wanner, 1996, section IV.8).
"""

__all__ = ["AUTO", "METHODS", "Method", "MotionState", "Tolerances"]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
