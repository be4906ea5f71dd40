"""Places of each kind of variable and factor beside its link, in the papers' arrangement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Place = tuple[float, float]
"""Columns to the right of the link's own column, and a row; a joint is half a column to the left of its link."""


@dataclass(frozen=True)
class Grid:
    """The places in the band of one link; `pitch` (of columns) and `row` (height) are in points."""

    pitch: float
    row: float
    variables: Mapping[str, Place]
    factors: Mapping[str, Place]


SIMPLE = Grid(
    pitch=88.0,
    row=60.0,
    variables={
        "qdd": (-0.5, 0),
        "acceleration": (0, 1),
        "wrench": (-0.5, 2),
        "tau": (-0.5, 3),
        "external_wrenches": (0, 3),
    },
    factors={"acceleration": (-0.5, 1), "wrench": (0, 2), "torque": (-0.5, 2.5)},
)
"""Links and joints alternate on one lattice: Figs 4a, 6a, 9a of Xie & Dellaert (2019)."""

FULL = Grid(
    pitch=168.0,
    row=70.0,
    variables={
        "qd": (-0.22, 0),
        "twist": (0, 1),
        "q": (-0.66, 1.5),
        "acceleration": (-0.18, 2),
        "qdd": (-0.5, 2.46),
        "wrench": (-0.5, 3.15),
        "tau": (-0.5, 4.1),
        "external_wrenches": (0.1, 4.1),
        "gravity": (0.0, 5),
    },
    factors={
        "twist": (-0.5, 1),
        "acceleration": (-0.56, 2),
        "wrench": (0.1, 3.15),
        "torque": (-0.5, 3.62),
        "gravity": (-0.72, 5),
    },
)
"""Kinematics above dynamics, staggered so that straight edges miss nodes: Figs 1, 3, 8 of Xie & Dellaert (2019)."""

KINEMATIC = frozenset({"twist", "q", "qd", "gravity"})
"""Kinds of variables that only the full arrangement has a place for."""

MULTIPLIERS = frozenset({"lambda"})
"""Kinds of variables that belong to no link: they stand right of the laws that they enter."""

CLOSING = {"loop": 1.1, "tied_velocities": 1.1, "coupling": 0.8}
"""Factors that tie branches, and how many columns right of their variables they stand."""

BESIDE = 0.35
"""Columns from the laws of a multiplier to where it stands."""

OTHER = (0.0, 6.0)
"""Place of kinds that the papers do not know: below everything else."""
