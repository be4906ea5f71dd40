"""Problems whose unknowns have keys in another library or a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.optimize import Problem


@dataclass(frozen=True, eq=False)
class Keyed:
    """A problem, values of its unknowns by family, and by family the key of each unknown elsewhere."""

    __repr__ = one_line

    problem: Problem
    start: Mapping[str, np.ndarray]
    keys: Mapping[str, tuple[int, ...]]
