"""What a network finds: values, and the assembly branches that explain what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.model import Model
from screwgraph.optimize import Result


class Branch(NamedTuple):
    """An assembly branch with the motion on it, and its probability given what is known."""

    probability: float
    solution: BayesSolution


@dataclass(frozen=True, eq=False)
class BayesSolution:
    """Values by kind, `solution["qdd"]`: (n,) at one instant, (steps, n) over time; Q are torques of the motors.

    SI units, in the order of the model's coordinates and motors; C is the first position. `result` is that of the
    search. Where the branch was asked for, `branches` are all that explain what is known, the most probable first, to
    which the values belong.
    """

    __repr__ = one_line

    model: Model
    values: Mapping[str, np.ndarray]
    result: Result
    branches: tuple[Branch, ...] = ()

    def __getitem__(self, kind: str) -> np.ndarray:
        """Return the values of a kind. Raises InputError where it was left out."""
        if kind not in self.values:
            raise InputError(f"{kind!r} was not solved for", fix="name it in solve=")
        return self.values[kind]
