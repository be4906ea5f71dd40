"""Groups: scalars that an order lets go together, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.graph import Column


@dataclass(frozen=True)
class Group:
    """Scalars to eliminate in one go.

    `law` names the law whose equations serve, where one can. The next scalar is the one that has the best pivot and
    fills in least; with `by_work`, the one that costs the fewest operations, times 1 + `jitter` times a random number.
    With `pairs`, accelerations go symmetrically, each with the wrench that is its multiplier, before the others.
    With `block`, they go as a block, where that is safe: by the equations that pair with the unknowns `through`, by any
    if that is empty.
    """

    __repr__ = one_line

    columns: tuple[Column, ...]
    law: str | None = None
    by_work: bool = False
    jitter: float = 0.0
    seed: int = 0
    pairs: bool = False
    block: bool = False
    through: tuple[Column, ...] = ()
