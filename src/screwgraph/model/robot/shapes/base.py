"""The protocol of a shape of a link: what files, drawings, collision distances and contacts ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line

MOST = 6
"""Balls along one axis of a shape, at most."""


class Ball(NamedTuple):
    """A centre (m), in the frame of what has the ball, and a radius (m), 0 for a point."""

    __repr__ = one_line

    centre: Float[np.ndarray, "3"]
    radius: float


class Segment(NamedTuple):
    """A capsule: all that is within a radius of the way between two points (m)."""

    __repr__ = one_line

    start: Float[np.ndarray, "3"]
    end: Float[np.ndarray, "3"]
    radius: float


class Primitive(NamedTuple):
    """A mesh that a renderer knows, stretched along its own axes by `scale` (m), with its origin at `centre` (m).

    Meshes are "box" (edges 1), "sphere" (radius 1) and "cylinder" (radius 1, length 1 along z), each about its origin,
    or the path of a file.
    """

    mesh: str
    scale: tuple[float, float, float]
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Solid(Protocol):
    """A shape of a few lengths (m), in its own frame.

    `word` is its name in files, `about` what its lengths are there. `settings` are the names of its lengths, and how
    many numbers each of them is; they are the fields of its class. Lengths are positive; those in `may_vanish` may be
    0.
    """

    word: ClassVar[str]
    about: ClassVar[str]
    settings: ClassVar[Mapping[str, int]]
    may_vanish: ClassVar[frozenset[str]]

    @property
    def reach(self) -> float:
        """The radius (m) of the smallest ball about the frame's origin that has the shape in it."""
        ...

    def primitives(self) -> tuple[Primitive, ...]:
        """Return what a renderer draws."""
        ...

    def contact_balls(self) -> tuple[Ball, ...]:
        """Return points and balls that touch the ground about where the shape does."""
        ...

    def covering_balls(self) -> tuple[Ball, ...]:
        """Return a few balls that have all of the shape in them."""
        ...

    def covering_capsule(self) -> Segment:
        """Return a small capsule that has all of the shape in it."""
        ...


def points_on_axis(axis: int, heights: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 3"]:
    """Return points of so many heights (m) on axis 0, 1 or 2."""
    return np.asarray(heights)[:, None] * np.eye(3)[axis]


def segment_on_axis(axis: int, half: float, radius: float) -> Segment:
    """Return a capsule along axis 0, 1 or 2, from -half to half (m)."""
    end = half * np.eye(3)[axis]
    return Segment(-end, end, float(radius))


def count_pieces(length: float, width: float) -> int:
    """Return into how many pieces to cut a length, that they be about as long as wide: 1 to `MOST`."""
    return int(np.clip(np.ceil(length / width - 1e-9), 1, MOST))


def middles(count: int, length: float) -> Float[np.ndarray, " n"]:
    """Return the middles (m) of equal pieces of a length about 0."""
    return ((np.arange(count) + 0.5) / count - 0.5) * length
