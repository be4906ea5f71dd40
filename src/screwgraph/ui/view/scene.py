"""What is shown: bodies, lines and points over time, in plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.robot import Visual
from screwgraph.tape import Program
from screwgraph.ui.view.sliders import Slider

Vector = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: its pose over time (N, 4, 4), or (4, 4) if it stands still, in the world's frame (m).

    `mass` (kg) and centre of mass `com` (m), in its own frame, tell a page where that of all bodies is.
    """

    __repr__ = one_line

    name: str
    poses: Float[np.ndarray, "*N 4 4"] = field(default_factory=lambda: np.eye(4))
    visuals: tuple[Visual, ...] = ()
    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points (m), (N, k, 3) over time or (k, 3); NaN breaks it.

    `name` stands in the legend, empty for none; `colour` is "#rrggbb", empty for any; `width` in pixels.
    On pages, bodies do not hide one that is seen `through` them.
    """

    __repr__ = one_line

    name: str
    points: Float[np.ndarray, "*N k 3"]
    colour: str = ""
    width: float = 2.0
    through: bool = False


@dataclass(frozen=True, eq=False)
class Points:
    """Small spheres of a radius (m) at points (m), (N, k, 3) over time or (k, 3); NaN hides one."""

    __repr__ = one_line

    name: str
    points: Float[np.ndarray, "*N k 3"]
    radius: float = 0.01
    colour: str = ""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (T, 3, 3), corners in metres, that stand still."""

    __repr__ = one_line

    name: str
    triangles: Float[np.ndarray, "T 3 3"]
    colour: str = ""


@dataclass(frozen=True, eq=False)
class Posing:
    """What sliders of a page move: programs of coordinates x (n,), rad or m, that begin at `start`.

    `placement` gives, for each body of `bodies`, the upper three rows of its pose, row by row, then the points of each
    trail of `trails`: numbers in a scene's bodies, and in its lines and points. `closure` gives the loop-closure
    errors. Coordinates in `dependent` follow the sliders so that these vanish.
    """

    __repr__ = one_line

    sliders: tuple[Slider, ...]
    start: Float[np.ndarray, " n"]
    dependent: tuple[int, ...]
    placement: Program
    closure: Program
    bodies: tuple[int, ...]
    trails: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Scene:
    """A motion to be shown.

    Args:
        title: what stands above it.
        t: times (N,), increasing (s).
        bodies: rigid bodies, each with a name of its own.
        lines: lines over time or constant ones.
        points: points over time or constant ones.
        up: direction against gravity, of any length.
        look: direction from the scene to the eye; by default obliquely from above.
        ground: height along `up` of the grid on the ground (m), None for none.
        surfaces: such as ground of given heights.
        posing: sliders of a page, for a scene of one state.

    Raises:
        InputError: arrays of the wrong shape, poses or times that are not finite, two bodies of one name.
    """

    __repr__ = one_line

    title: str
    t: Float[np.ndarray, " N"]
    bodies: tuple[Body, ...] = ()
    lines: tuple[Line, ...] = ()
    points: tuple[Points, ...] = ()
    up: Vector = (0.0, 0.0, 1.0)
    look: Vector | None = None
    ground: float | None = 0.0
    surfaces: tuple[Surface, ...] = ()
    posing: Posing | None = None

    def __post_init__(self) -> None:
        """Check shapes and numbers."""
        n = _check_times(self.t)
        for body in self.bodies:
            _check_array(f"the poses of {body.name!r}", body.poses, n, (4, 4))
            if not np.isfinite(body.poses).all():
                raise InputError(f"the poses of {body.name!r} are not finite")
        names = [body.name for body in self.bodies]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two bodies are called {name!r}", fix="names tell them apart")
        for trail in (*self.lines, *self.points):
            _check_array(f"the points of {trail.name!r}", trail.points, n, (None, 3))
        for surface in self.surfaces:
            shape = np.shape(surface.triangles)
            if len(shape) != 3 or shape[1:] != (3, 3) or not np.isfinite(surface.triangles).all():
                raise InputError(
                    f"the triangles of {surface.name!r} have the shape {shape}", fix="give finite (T, 3, 3)"
                )
        for what, vector in (("up", self.up), ("look", self.look or self.up)):
            if np.shape(vector) != (3,) or not 0.0 < float(np.linalg.norm(vector)) < np.inf:
                raise InputError(f"{what}: expected a direction, got {vector!r}", fix="give three finite numbers")

    @property
    def frames(self) -> int:
        """Number of times."""
        return len(self.t)


def normalise(vector: Any) -> Float[np.ndarray, "3"]:
    """Return a direction as a unit vector."""
    v = np.asarray(vector, dtype=float)
    return v / np.linalg.norm(v)


def view_direction(scene: Scene) -> Float[np.ndarray, "3"]:
    """Return the unit vector from the scene to the eye."""
    if scene.look is not None:
        return normalise(scene.look)
    up = normalise(scene.up)
    east = normalise(np.cross(up, (1.0, 0.0, 0.0)) if abs(up[0]) < 0.9 else np.cross(up, (0.0, 1.0, 0.0)))
    return normalise(-0.9 * east + 0.75 * np.cross(east, up) + 0.55 * up)


def _check_times(t: np.ndarray) -> int:
    if not isinstance(t, np.ndarray) or t.ndim != 1 or not len(t) or not np.isfinite(t).all():
        raise InputError("t is not an array of finite times (N,)", fix="give one time at least")
    if (np.diff(t) <= 0.0).any():
        raise InputError("the times do not increase", fix="sort the motion by time")
    return len(t)


def _check_array(what: str, array: np.ndarray, n: int, tail: tuple[int | None, int]) -> None:
    shape = np.shape(array)
    fits = len(shape) in (2, 3) and shape[-1] == tail[1] and (tail[0] is None or shape[-2] == tail[0])
    if not fits or (len(shape) == 3 and shape[0] != n):
        expected = ", ".join("k" if size is None else str(size) for size in tail)
        raise InputError(f"{what} have the shape {shape}, expected ({expected}) or ({n}, {expected})")
