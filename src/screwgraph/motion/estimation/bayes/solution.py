"""What a network was solved for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.mechanism import Mechanism
from screwgraph.optimize import Result


@dataclass(frozen=True, eq=False)
class BayesSolution:
    """Values by kind, `solution["qdd"]`: (n,) at one instant, (steps, n) over time; Q are torques of the motors.

    SI units, in the order of `mechanism.coordinates` and motors. `result` is that of the search.
    """

    __repr__ = one_line

    mechanism: Mechanism
    values: Mapping[str, np.ndarray]
    result: Result

    def __getitem__(self, kind: str) -> np.ndarray:
        """Return the values of a kind. Raises InputError where it was left out."""
        if kind not in self.values:
            raise InputError(f"{kind!r} was not solved for", fix="name it in solve=")
        return self.values[kind]
