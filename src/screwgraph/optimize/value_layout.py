"""Where unknowns stand: values in one vector, directions in another, family by family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.optimize.manifold_code import retract_values
from screwgraph.optimize.variables import Variables
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True, eq=False)
class ValueLayout:
    """The order of all unknowns' numbers."""

    families: tuple[Variables, ...]

    @cached_property
    def places(self) -> dict[str, slice]:
        """Places of each family's values."""
        return self._slices([v.count * prod(v.manifold.shape) for v in self.families])

    @cached_property
    def directions(self) -> dict[str, slice]:
        """Places of each family's directions."""
        return self._slices([v.count * v.manifold.dim for v in self.families])

    @cached_property
    def size(self) -> int:
        """Number of directions."""
        return sum(v.count * v.manifold.dim for v in self.families)

    @cached_property
    def sizes(self) -> Int[np.ndarray, " B"]:
        """Directions of each unknown, one after the other."""
        return np.concatenate([np.full(v.count, v.manifold.dim) for v in self.families])

    @cached_property
    def steps(self) -> Int[np.ndarray, " B"] | None:
        """A step for each unknown where families count the same N steps, or what is between them; -1: all steps'."""
        longest = max(v.count for v in self.families)
        if longest < 2 or any(v.count not in (1, longest - 1, longest) for v in self.families):
            return None
        return np.concatenate([np.arange(v.count) if v.count > 1 else np.array([-1]) for v in self.families])

    def views(self, x: Float[np.ndarray, " s"]) -> dict[str, np.ndarray]:
        """Return the families' arrays (count, *shape) inside a vector."""
        return {name: x[place].reshape(shape) for name, place, shape in self._shapes}

    @cached_property
    def _shapes(self) -> list[tuple[str, slice, tuple[int, ...]]]:
        """Name, place and shape of each family's values."""
        return [(v.name, self.places[v.name], (v.count, *v.manifold.shape)) for v in self.families]

    def unpack(self, x: Float[np.ndarray, " s"]) -> dict[str, np.ndarray]:
        """Return copies of the families' arrays."""
        return {name: view.copy() for name, view in self.views(x).items()}

    def pack(self, values: Mapping[str, Any]) -> Float[np.ndarray, " s"]:
        """Return values by family as one vector; see `Problem.start`."""
        known = {v.name for v in self.families}
        for name in values:
            if name not in known:
                raise InputError(f"there are no unknowns {name!r}", fix=f"there are {', '.join(sorted(known))}")
        x = np.empty(sum(place.stop - place.start for place in self.places.values()))
        for v in self.families:
            _write_value(v, values.get(v.name), x[self.places[v.name]])
        return x

    def retract(self, x: Float[np.ndarray, " s"], d: Float[np.ndarray, " n"]) -> Float[np.ndarray, " s"]:
        """Move all unknowns along their directions."""
        found = np.empty_like(x)
        for values, directions, v in self._runs:
            here, step = x[values], d[directions]
            if v is None:
                np.add(here, step, out=found[values])
                continue
            here, step = here.reshape(v.count, *v.manifold.shape), step.reshape(v.count, v.manifold.dim)
            found[values] = retract_values(v.manifold, here, step).ravel()
        return found

    @cached_property
    def _runs(self) -> list[tuple[slice, slice, Variables | None]]:
        """Places of values and directions: of families of vectors that follow each other (None), of other families."""
        runs: list[tuple[slice, slice, Variables | None]] = []
        for v in self.families:
            values, directions = self.places[v.name], self.directions[v.name]
            if not isinstance(v.manifold, Vector):
                runs.append((values, directions, v))
            elif runs and runs[-1][2] is None:
                runs[-1] = (slice(runs[-1][0].start, values.stop), slice(runs[-1][1].start, directions.stop), None)
            else:
                runs.append((values, directions, None))
        return runs

    def place(self, direction: int) -> tuple[str, int, int]:
        """Return what one direction is of: the family, the number in it, the direction of that unknown."""
        for v in self.families:
            where = self.directions[v.name]
            if direction < where.stop:
                number, component = divmod(direction - where.start, v.manifold.dim)
                return v.name, number, component
        raise IndexError(direction)

    def name_direction(self, direction: int) -> str:
        """Write what one direction is of: `x[3], direction 0`."""
        name, number, component = self.place(direction)
        return f"{name}[{number}], direction {component},"

    @cached_property
    def is_plain(self) -> bool:
        """Whether all unknowns are vectors, which steps are added to."""
        return all(isinstance(v.manifold, Vector) for v in self.families)

    def _slices(self, sizes: list[int]) -> dict[str, slice]:
        ends = np.cumsum([0, *sizes]).tolist()
        return {v.name: slice(a, b) for v, a, b in zip(self.families, ends, ends[1:], strict=False)}


def _write_value(variables: Variables, value: Any, to: Float[np.ndarray, " s"]) -> None:
    """Write values of a family, or its identity. Raises InputError where they are none."""
    name, shape = variables.name, (variables.count, *variables.manifold.shape)
    own = to.reshape(shape)
    if value is None:
        own[...] = variables.manifold.identity()
        return
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise InputError(f"values of {name} are not an array of real numbers")
    if array.shape != shape and (variables.count > 1 or array.shape != shape[1:]):
        raise InputError(f"values of {name} have the shape {array.shape}, expected {shape}")
    own[...] = array
    if not np.isfinite(to).all():
        raise InputError(f"values of {name} are not finite", why=f"entry {np.argwhere(~np.isfinite(own))[0].tolist()}")
    off = np.flatnonzero(variables.manifold.is_off(own))
    if len(off):
        raise InputError(f"values of {name}: number {off[0]} is not {variables.manifold.kind}")
