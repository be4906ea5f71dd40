"""Names that tell parts of a robot apart."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from screwgraph.base.errors import ModelError


def check_unique(parts: Iterable[Any], twins: str, where: Callable[[Any], object], taken: Container[str] = ()) -> None:
    """Check that each part has a name of its own, which is none of those `taken`; `twins` begins the error.

    Raises:
        ModelError: the name of a part is that of one before it, or taken.
    """
    seen = set[str]()
    for part in parts:
        if part.name in seen or part.name in taken:
            raise ModelError(
                f"{twins} called {part.name!r}", at=where(part), why="names tell them apart", fix="rename one"
            )
        seen.add(part.name)
