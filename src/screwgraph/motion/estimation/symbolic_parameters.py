"""Mechanisms whose parameters are scalars of a tape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.tape import Tape, tape_of

SYMBOL = "parameters"
"""What their symbols are called."""
ZERO = 1e-12
"""Size below which a value is no measure of how large its changes may be."""


@dataclass(frozen=True, eq=False)
class SymbolicMechanism:
    """A mechanism of parameters in `symbols`: `names`, divided by `scale`. `values` are the nominal."""

    mechanism: Mechanism
    names: tuple[str, ...]
    symbols: np.ndarray
    scale: Float[np.ndarray, " k"]
    values: Float[np.ndarray, " k"]

    def acceleration(
        self, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"], force: Any, scaled: Any
    ) -> Float[np.ndarray, " n"]:
        """Return accelerations (n,); `force` (n,) is added to its own, `scaled` are parameters over their scale."""
        parameters = [self.scale * scaled] if self.names else []
        acceleration = compile_mechanism(self.mechanism.nominal, self.names).acceleration
        return acceleration(q, qd, np.broadcast_to(force, np.shape(q)), *parameters)

    @property
    def tape(self) -> Tape:
        """The tape of the symbols, if there are any."""
        return tape_of(self.symbols)


@lru_cache(maxsize=64)
def make_symbolic_mechanism(mechanism: Mechanism, names: tuple[str, ...]) -> SymbolicMechanism:
    """Return a mechanism with symbols for parameters and values; the same for the same, so that code is kept.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; one is named twice.
    """
    if not names:
        return SymbolicMechanism(mechanism, (), np.zeros(0), np.zeros(0), np.zeros(0))
    live = live_mechanism(mechanism, names)
    values = np.array(live.values)
    scale = np.where(np.abs(values) > ZERO, np.abs(values), 1.0)
    symbols = Tape(merge="form").inputs(SYMBOL, (len(names),))
    return SymbolicMechanism(live.with_values(list(scale * symbols)), names, symbols, scale, values)
