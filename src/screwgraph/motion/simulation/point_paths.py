"""Paths in space: of frames of robots, of points of mechanisms, of places on links and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, link_poses

Place = int | str | tuple[Any, ...]
"""A frame, link or point by name (points by number, too), or (link, frame or body, place on it in m)."""


def path_of(model: Robot | Mechanism, q: Float[np.ndarray, "N nq"], place: Place) -> Float[np.ndarray, "N d"]:
    """Return where a place is (m) at positions q: (N, 3) of robots, (N, 2) of mechanisms.

    Raises:
        InputError: there is no such frame, point or body, or a place of another number of coordinates.
    """
    name: Any
    name, at = place if isinstance(place, tuple) and len(place) == 2 else (place, None)
    if isinstance(model, Robot):
        return _of_frame(model, q, name, _validate_point(name, at, 3))
    if at is None:
        return model.position(q, name)
    return _on_body(model, q, name, _validate_point(name, at, 2))


def check_places(model: Robot | Mechanism, places: Sequence[Place]) -> Sequence[Place]:
    """Return places that a model has. Raises InputError as `path_of`."""
    q = (model.neutral() if isinstance(model, Robot) else model.guess())[None]
    for place in places:
        path_of(model, q, place)
    return places


def label_of(place: Place) -> str:
    """Return what to call a path: `coupler (1, 0.5)`."""
    if isinstance(place, tuple):
        return f"{place[0]} ({', '.join(f'{x:g}' for x in place[1])})"
    return str(place)


def _of_frame(robot: Robot, q: Float[np.ndarray, "N nq"], name: object, at: Float[np.ndarray, "3"]) -> np.ndarray:
    frame = robot.frame(name if isinstance(name, str) else str(name))
    offset = frame.T_lf @ np.append(at, 1.0)
    return np.array([(link_poses(robot, state, [frame.link])[frame.link] @ offset)[:3] for state in q])


def _on_body(mechanism: Mechanism, q: Float[np.ndarray, "N n"], name: object, at: Float[np.ndarray, "2"]) -> np.ndarray:
    bodies = {body.name: body for body in mechanism.bodies}
    if name not in bodies:
        raise InputError(f"no body is called {name!r}", fix=f"the bodies are {', '.join(bodies)}")
    first, second = (mechanism.position(q, i) for i in bodies[str(name)].base)
    x = (second - first) / np.linalg.norm(second - first, axis=-1, keepdims=True)
    return first + at[0] * x + at[1] * np.stack([-x[..., 1], x[..., 0]], axis=-1)


def _validate_point(name: object, at: Sequence[float] | None, count: int) -> Float[np.ndarray, " d"]:
    place = np.zeros(count) if at is None else np.asarray(at, dtype=float)
    if place.shape != (count,) or not np.isfinite(place).all():
        raise InputError(f"the place {at!r} on {name!r} is not {count} numbers (m)")
    return place
