"""The stages of a problem over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.optimize.assembly import Assembly

Key = tuple[str, int]
"""Family and number of an unknown."""


@dataclass(frozen=True, eq=False)
class Stages:
    """Which unknown belongs to which stage, and where it stands among that stage's directions.

    Each stage has a copy of the one before, followed by what all share (`shared` directions). `places` says where,
    in the sequence (copy, own) of all stages, the `directions` of a problem stand.
    """

    stage: Mapping[Key, int]
    start: Mapping[Key, int]
    copied: tuple[int, ...]
    owned: tuple[int, ...]
    shared: int
    directions: Int[np.ndarray, " n"]
    places: Int[np.ndarray, " n"]

    def symbol(self, key: Key, stage: int, copies: list[Any], own: list[Any], dim: int) -> Any:
        """Return the part of a stage's symbols that an unknown is there."""
        first = self.start[key]
        if key not in self.stage:
            first += self.copied[stage] - self.shared
            return copies[stage][first : first + dim]
        return (own[stage] if self.stage[key] == stage else copies[stage])[first : first + dim]


def find_stages(assembly: Assembly) -> Stages | str:
    """Return the stages of a problem; a text that says why there are none."""
    families = assembly.layout.families
    count = max(v.count for v in families)
    if count < 2 or any(v.count not in (1, count - 1, count) for v in families):
        return "there are no stages: families must have one unknown a stage, or one that all share"
    stage: dict[Key, int] = {}
    start: dict[Key, int] = {}
    owned, shared = [0] * count, 0
    for v in families:
        for i in range(v.count):
            if v.count == 1:
                start[v.name, i], shared = shared, shared + v.manifold.dim
            else:
                stage[v.name, i], start[v.name, i] = i, owned[i]
                owned[i] += v.manifold.dim
    for batch in assembly.batches:
        for keys in zip(
            *(_numbers(a, len(batch)) for a in batch.factors.arguments if a.variables.count > 1), strict=True
        ):
            if max(keys) - min(keys) > 1:
                return f"there are no stages: {batch.factors.name} connects unknowns that are not neighbours"
    copied = [shared, *(n + shared for n in owned[:-1])]
    firsts = np.concatenate([[0], np.cumsum(np.add(copied, owned))])
    directions, places = [], []
    for v in families:
        dim = v.manifold.dim
        for i in range(v.count):
            key, first = (v.name, i), assembly.layout.directions[v.name].start + i * dim
            at = firsts[stage[key]] + copied[stage[key]] + start[key] if key in stage else start[key]
            directions += range(first, first + dim)
            places += range(at, at + dim)
    return Stages(stage, start, tuple(copied), tuple(owned), shared, np.array(directions), np.array(places))


def _numbers(selection: Any, count: int) -> list[int]:
    return np.broadcast_to(selection.indices, (count,)).tolist()
