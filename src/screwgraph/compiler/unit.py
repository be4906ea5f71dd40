"""Quaternions among the arguments of functions: code takes them to be unit, and is wrong where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.compiler.signature import Argument
from screwgraph.errors import InputError
from screwgraph.spatial.manifolds import FloatingPose, UnitQuaternion
from screwgraph.spatial.quaternions import UNIT_TOLERANCE

Places = tuple[tuple[int, int], ...]
"""Which argument, and at which of its numbers a quaternion begins."""


def quaternion_places(arguments: Sequence[Argument]) -> Places:
    """Return where quaternions stand in the arguments of a function."""
    found = []
    for i, argument in enumerate(arguments):
        at = 0
        for space in argument.spaces:
            if isinstance(space, (FloatingPose, UnitQuaternion)):
                found.append((i, at + space.shape[0] - 4))
            at += space.shape[0]
    return tuple(found)


def check_unit(arguments: Sequence[Argument], places: Places, values: Sequence[Any]) -> None:
    """Refuse quaternions that are not unit; NaN, and arguments of wrong shapes, are left to others.

    Raises:
        InputError: one is not, with its length.
    """
    for i, at in places:
        q = np.asarray(values[i])
        if q.dtype.kind not in "iuf" or not q.shape or q.shape[-1] != len(arguments[i].names):
            continue
        four = q[..., at : at + 4].astype(float, copy=False)
        squared = np.einsum("...i,...i->...", four, four)
        off = np.abs(squared - 1.0) > UNIT_TOLERANCE
        if off.any():
            length = float(np.sqrt(squared[off].flat[0]))
            raise InputError(
                f"the quaternion {arguments[i].names[at]} ... of {arguments[i].name!r} has the length {length:.6g}",
                why="functions take quaternions to be unit",
                fix="robot.manifold.normalised(q) is, for one position",
            )
