"""Nonlinear equalities: values that must be what they are known to be, and pairs of equal values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import (
    POINT2,
    POINT3,
    POSE2,
    POSE3,
    ROT3,
    Kind,
    Reader,
    Reading,
    archived_numbers,
)
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.value_types import BIASES, find_value_type
from screwgraph.api.interop.pose_graph import Between, Prior
from screwgraph.base.errors import InputError
from screwgraph.spatial import transform
from screwgraph.spatial.manifolds import Manifold, Vector

GAIN = 500.0
"""Half of the gain of GTSAM's other constraints."""


def _plain(numbers: np.ndarray) -> np.ndarray:
    return numbers


PINNED: dict[str, tuple[Kind, int, Callable[[np.ndarray], np.ndarray]]] = {
    "Pose3": (POSE3, 12, lambda n: transform(n[:9].reshape(3, 3), n[9:])),
    "Pose2": (POSE2, 4, lambda n: np.array([n[0], n[1], np.arctan2(n[3], n[2])])),
    "Rot3": (ROT3, 9, lambda n: n.reshape(3, 3)),
    "Point2": (POINT2, 2, _plain),
    "Point3": (POINT3, 3, _plain),
    "ConstantBias": ((BIASES, Vector(6)), 6, _plain),
    "Cal3_S2": (("cal3_s2", Vector(5)), 5, _plain),
}
"""By the type of the value: its kind, how many numbers it is archived with, and the value that these are."""


def _equality(theirs: str) -> Reader:
    """Return a reader of values that must be what they are known to be, which stand before the gain."""
    kind, count, made = PINNED[theirs]

    def read(factor: Any, name: str) -> Reading:
        z = made(archived_numbers(factor, name)[-1 - count : -1])
        values = import_gtsam().Values()
        values.insert(factor.keys()[0], find_value_type(*kind).made(z))
        if not np.abs(factor.unwhitenedError(values)).max() < 1e-9:
            raise InputError(
                f"{name}: it does not tell the value", fix=f"use a PriorFactor{theirs} with Constrained noise"
            )
        return Prior(kind[1]), (kind,), {"z": z}

    return read


def _equal(kind: Kind) -> Reader:
    return lambda factor, name: (Between(kind[1]), (kind, kind), {"z": kind[1].identity()})


EQUALITIES: dict[str, Reader] = {
    **{f"NonlinearEquality{theirs}": _equality(theirs) for theirs in PINNED},
    **{f"NonlinearEquality2{theirs}": _equal(kind) for theirs, (kind, _, _) in PINNED.items()},
}


def find_equality(name: str, manifold: Manifold) -> Callable[[int, np.ndarray], Any] | None:
    """Return what makes a `gtsam.NonlinearEquality` of a key and a known value of a family; none if GTSAM has none."""
    for theirs, (kind, _, _) in PINNED.items():
        if kind[1] == manifold and find_value_type(name, manifold) is find_value_type(*kind):
            equality = getattr(import_gtsam(), f"NonlinearEquality{theirs}")
            return lambda key, z: equality(key, find_value_type(name, manifold).made(z), GAIN)
    return None
