"""Analyses of closed chains, done once for equal robots: many tests load the same files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from screwgraph import Robot
from screwgraph.compiler.cache.fingerprint import fingerprint
from screwgraph.model.robot.closure import independent_joints, mobility

T = TypeVar("T")


def share_analyses(patch: pytest.MonkeyPatch) -> None:
    """Let robots that are equal share their mobility and the choice of their independent joints, in this process."""
    patch.setattr(mobility, "mobility", _once_for_equals(mobility.mobility))
    patch.setattr(
        independent_joints, "find_independent_names", _once_for_equals(independent_joints.find_independent_names)
    )


def _once_for_equals(analyse: Callable[[Robot], T]) -> Callable[[Robot], T]:
    """Return an analysis that remembers its results; errors are found anew, and so is what has types of its own."""
    known: dict[bytes, T] = {}

    def look_up(robot: Robot) -> T:
        key = fingerprint(robot)
        if key is None:
            return analyse(robot)
        if key not in known:
            known[key] = analyse(robot)
        return known[key]

    return look_up
