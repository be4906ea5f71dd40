"""Products of manifolds whose values are vectors: the positions of a robot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.spatial.generic_math import Array, concatenate
from screwgraph.spatial.manifolds.base import TOLERANCE, Manifold
from screwgraph.spatial.manifolds.vector import Vector


@dataclass(frozen=True)
class Product:
    """Values of `parts`, one after the other; a point without coordinates where there are none. See `product`."""

    parts: tuple[Manifold, ...] = ()

    @property
    def kind(self) -> str:
        return ", ".join(part.kind for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(part.shape[0] for part in self.parts),)

    @property
    def dim(self) -> int:
        return sum(part.dim for part in self.parts)

    @property
    def quaternions(self) -> tuple[int, ...]:
        return tuple(own.start + at for part, own, _ in self.places for at in part.quaternions)

    @cached_property
    def places(self) -> tuple[tuple[Manifold, slice, slice], ...]:
        """Each part, and where it stands in values and in velocities."""
        found, i, j = [], 0, 0
        for part in self.parts:
            found.append((part, slice(i, i + part.shape[0]), slice(j, j + part.dim)))
            i, j = i + part.shape[0], j + part.dim
        return tuple(found)

    def identity(self) -> Float[np.ndarray, " nq"]:
        return _concatenate(part.identity() for part in self.parts)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
        return _concatenate(part.random(rng) for part in self.parts)

    def retract(self, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> Float[Array, " nq"]:
        return _concatenate(part.retract(x[q], d[v]) for part, q, v in self.places)

    def near(self, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> Float[Array, " nq"]:
        return _concatenate(part.near(x[q], d[v]) for part, q, v in self.places)

    def difference(self, x: Float[Array, " nq"], y: Float[Array, " nq"]) -> Float[Array, " nv"]:
        return _concatenate(part.difference(x[q], y[q]) for part, q, _ in self.places)

    def defect(self, x: Float[Array, " nq"], y: Float[Array, " nq"]) -> Float[Array, " nv"]:
        return _concatenate(part.defect(x[q], y[q]) for part, q, _ in self.places)

    def rate(self, x: Float[Array, " nq"], v: Float[Array, " nv"]) -> Float[Array, " nq"]:
        return _concatenate(part.rate(x[q], v[own]) for part, q, own in self.places)

    def step_rate(self, d: Float[Array, " nv"], v: Float[Array, " nv"]) -> Float[Array, " nv"]:
        return _concatenate(part.step_rate(d[own], v[own]) for part, _, own in self.places)

    def turns(self, d: Float[Array, " nv"]) -> list:
        return [turn for part, _, v in self.places for turn in part.turns(d[v])]

    def normalise(self, x: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
        return _concatenate(part.normalise(x[q]) for part, q, _ in self.places)

    def is_off(self, x: Float[np.ndarray, "N nq"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        off = [part.is_off(x[:, q], tolerance) for part, q, _ in self.places]
        return np.any([np.zeros(len(x), dtype=bool), *off], axis=0)


def product(parts: Iterable[Manifold]) -> Manifold:
    """Return the product of manifolds of vectors, neighbouring plain vectors as one."""
    joined: list[Manifold] = []
    for is_plain, group in groupby(_flat(parts), key=lambda part: isinstance(part, Vector)):
        neighbours = list(group)
        joined += [_one_vector(neighbours)] if is_plain else neighbours
    return joined[0] if len(joined) == 1 else Product(tuple(joined))


def _flat(parts: Iterable[Manifold]) -> Iterator[Manifold]:
    for part in parts:
        if isinstance(part, Product):
            yield from _flat(part.parts)
        else:
            yield part


def _one_vector(vectors: list) -> Vector:
    reach = [r for v in vectors for r in (v.reach or np.ones(v.size))]
    return Vector(sum(v.size for v in vectors), tuple(reach) if any(v.reach for v in vectors) else ())


def _concatenate(parts: Iterable[Array]) -> Array:
    found = list(parts)
    return concatenate(*found) if found else np.zeros(0)
