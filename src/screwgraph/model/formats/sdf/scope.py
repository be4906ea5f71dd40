"""The names of SDF: scopes of models within models, and the frames that poses are relative to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings, quote_text, suggest_name
from screwgraph.model.formats.packages import Packages
from screwgraph.model.formats.xml import Element
from screwgraph.spatial import inverse

WORLD = "world"
DEEPEST = 200
"""Frames relative to one another."""


@dataclass(frozen=True)
class Scope:
    """The inside of a model (or of the world): names in it are `prefix` + name, `frame` is the model's own frame.

    `path` are the files that include one another down to this one, `version` is the SDF version of the last.
    """

    prefix: str
    frame: str
    version: tuple[int, int]
    path: tuple[Path, ...]
    file: str
    static: bool = False

    def full_name(self, name: str) -> str:
        """Return the full name of a frame that is called so in this scope."""
        if name == WORLD:
            return WORLD
        if name == "__model__":
            return self.frame
        return f"{self.prefix}{name.removesuffix('::__model__')}"


@dataclass(frozen=True)
class PlacedFrame:
    """A frame: its pose relative to another one, and the frame that it moves with.

    With `placement`, a model's frame lies where that frame in it comes to lie at the pose.
    """

    relative_to: str
    pose: Float[np.ndarray, "4 4"]
    moves_with: str
    at: Place
    placement: str = ""


@dataclass(frozen=True)
class SdfPart:
    """A link, joint or frame of the file, under its full name."""

    name: str
    element: Element
    scope: Scope


@dataclass(frozen=True)
class SdfParts:
    """All that was found in a file and the files that it includes; filled while reading.

    What files include is looked for in `packages`, too.
    """

    frames: dict[str, PlacedFrame] = field(default_factory=dict)
    links: list[SdfPart] = field(default_factory=list)
    joints: list[SdfPart] = field(default_factory=list)
    marks: list[SdfPart] = field(default_factory=list)
    models: list[SdfPart] = field(default_factory=list)
    included: list[str] = field(default_factory=list)
    packages: Packages = field(default_factory=Packages)
    warnings: Warnings = field(default_factory=Warnings)

    def add(self, name: str, placed: PlacedFrame) -> None:
        """Add a frame. Raises ModelError where the name is taken."""
        if name in self.frames or name == WORLD:
            raise ModelError(
                f"a second link, joint, frame or model is called {name!r}",
                at=placed.at,
                why="names tell them apart",
                fix="rename one",
            )
        self.frames[name] = placed

    def pose(self, name: str, at: Place) -> Float[np.ndarray, "4 4"]:
        """Return the pose of a frame in the world's. Raises ModelError for unknown and circular frames."""
        return self._pose(name, WORLD, at, ())

    def link_of(self, name: str, at: Place) -> str:
        """Return the link that a frame moves with, or the world. Raises ModelError for unknown and circular frames."""
        links = {item.name for item in self.links if not item.scope.static}
        path = [name]
        while path[-1] not in links and path[-1] != WORLD:
            following = self._frame(path[-1], at).moves_with
            if following in path or len(path) > DEEPEST:
                raise _circle([*path, following], at)
            path.append(following)
        return path[-1]

    def _pose(self, name: str, root: str, at: Place, path: tuple[str, ...]) -> Float[np.ndarray, "4 4"]:
        if name == root:
            return np.eye(4)
        if name in path or len(path) > DEEPEST:
            raise _circle([*path, name], at)
        placed, path = self._frame(name, at), (*path, name)
        pose = self._pose(placed.relative_to, root, placed.at, path) @ placed.pose
        if not placed.placement:
            return pose
        return pose @ inverse(self._pose(placed.placement, name, placed.at, ()))

    def _frame(self, name: str, at: Place) -> PlacedFrame:
        if name not in self.frames:
            raise ModelError(f"no frame is called {quote_text(name)}", at=at, fix=suggest_name(name, self.frames))
        return self.frames[name]


def _circle(path: Iterable[str], at: Place) -> ModelError:
    *steps, last = path
    if last not in steps:
        return ModelError(
            f"more than {DEEPEST} frames are placed on one another", at=at, why=f"{steps[0]} -> ... {last}"
        )
    circle = steps[steps.index(last) :]
    return ModelError("frames are placed in a circle", at=at, why=" -> ".join([*circle[:8], last]))
