"""The package gtsam, imported when it is first needed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module


@cache
def import_gtsam() -> Any:
    """Return the package.

    Raises:
        InputError: it is not installed, or was built with other retractions than exponential maps.
    """
    gtsam = extra_module("gtsam", "GTSAM")
    step = np.linspace(0.1, 0.6, 6)
    for kind, d in ((gtsam.Pose2, step[:3]), (gtsam.Pose3, step), (gtsam.Rot3, step[:3])):
        if not kind().retract(d).equals(kind.Expmap(d), 1e-9):
            raise InputError(
                f"this GTSAM moves {kind.__name__} by another map than the exponential one",
                why="costs and Jacobians would differ from ours",
                fix="use GTSAM 4.3 or later, or build it with GTSAM_POSE3_EXPMAP and GTSAM_SLOW_BUT_CORRECT_EXPMAP",
            )
    return gtsam
