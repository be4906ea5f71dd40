"""Shapes, tables and spheres of task files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import read_arrays
from screwgraph.model.formats.diagnostics import as_model_error, quote_text, suggest_name
from screwgraph.model.formats.yaml_keys import Entry
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.collision.automatic_spheres import AUTO
from screwgraph.motion.planning.collision.fields import DistanceGrid, height_map, load_distance_grid
from screwgraph.motion.planning.collision.moving_frames import Waypoints
from screwgraph.motion.planning.collision.shapes import SHAPES, Shape
from screwgraph.motion.planning.collision.spheres import BodySphere
from screwgraph.motion.planning.keys import DISTANCE_GRID, HEIGHT_MAP, MOTION, SIZES, SPHERE
from screwgraph.motion.planning.task_parser import TaskParser

NUMBERS = ("margin", "threshold")
OTHER = Entry("a size of the shape")


def read_common(entries: dict[str, Value], value: Value, reading: TaskParser) -> dict[str, Any]:
    """Return the fields that all kinds of obstacles have, of those that are given. Raises ModelError."""
    found: dict[str, Any] = {key: reading.number(entries[key]) for key in NUMBERS if key in entries}
    if "spheres" not in entries:
        raise value.complaint("it must say which `spheres` the robot has: a list of {link, centre, radius}, or auto")
    if entries["spheres"].content != AUTO:
        found["spheres"] = tuple(read_sphere(item, reading) for item in entries["spheres"].items())
    found["sigma"] = reading.sigma(entries.get("sigma"))
    for key in ("between", "order"):
        if key in entries:
            number = reading.number(entries[key])
            if number != int(number):
                raise entries[key].complaint("it must be a whole number")
            found[key] = int(number)
    return found


def read_sphere(value: Value, reading: TaskParser) -> BodySphere:
    """Read {link, centre, radius}. Raises ModelError."""
    entries = value.section(SPHERE, "a sphere of the robot")
    if not {"link", "radius"} <= entries.keys():
        raise value.called("a sphere of the robot").complaint("it must have a link and a radius")
    centre = tuple(reading.vector(entries["centre"], 3).tolist()) if "centre" in entries else (0.0, 0.0, 0.0)
    link, radius = reading.frame(entries["link"]), reading.number(entries["radius"])
    return _make_obstacle(value, lambda: BodySphere(link, centre, radius))


def read_motion(value: Value, reading: TaskParser) -> Waypoints:
    """Read {times, points, rpy} of a frame that obstacles move with. Raises ModelError."""
    entries = value.section(MOTION, "motion")
    if not {"times", "points"} <= entries.keys():
        raise value.called("motion").complaint("it must have times and points")
    rows = {key: [reading.vector(p, 3) for p in entries[key].items()] for key in ("points", "rpy") if key in entries}
    times = [reading.number(t) for t in entries["times"].items()]
    return _make_obstacle(value, lambda: Waypoints(times, **rows))


def read_shape(value: Value, reading: TaskParser) -> Shape | DistanceGrid:
    """Read {kind: {...}}, kind one of `SHAPES`, distance_grid or height_map. Raises ModelError."""
    entries = value.called("an obstacle").mapping()
    if len(entries) != 1:
        raise value.called("an obstacle").complaint("it must be one {kind: {...}}")
    ((kind, entry),) = entries.items()
    if kind in _TABLES:
        return _TABLES[kind](entry.called(kind), reading)
    if kind not in SHAPES:
        fix = suggest_name(kind, (*SHAPES, *_TABLES), "there are")
        raise ModelError(f"there is no obstacle {quote_text(kind)}", at=entry.at, fix=fix)
    fields = {f.name: f for f in dataclasses.fields(SHAPES[kind])}
    given = entry.section({name: SIZES.get(name, OTHER) for name in fields}, kind)
    for name, f in fields.items():
        if name not in given and f.default is dataclasses.MISSING:
            raise entry.called(kind).complaint(f"it must have a {name}")
    numbers = {
        name: reading.number(v) if fields[name].type == "float" else tuple(reading.vector(v, 3).tolist())
        for name, v in given.items()
    }
    return _make_obstacle(entry, lambda: SHAPES[kind](**numbers))


def _read_grid(value: Value, reading: TaskParser) -> DistanceGrid:
    """Read {file, method}."""
    entries = value.section(DISTANCE_GRID)
    path = _path(entries, value, reading)
    method = entries["method"].text() if "method" in entries else "tricubic"
    return _make_obstacle(value, lambda: load_distance_grid(path, method))


def _read_heights(value: Value, reading: TaskParser) -> DistanceGrid:
    """Read {file, above, below, cell}; the file has heights, origin, spacing."""
    entries = value.section(HEIGHT_MAP)
    path = _path(entries, value, reading)
    reach = {name: reading.number(v) for name, v in entries.items() if name != "file"}

    def make_grid() -> DistanceGrid:
        found = read_arrays(path, ("heights", "origin", "spacing"))
        return height_map(found["heights"], found["origin"], float(found["spacing"]), **reach)

    return _make_obstacle(value, make_grid)


def _path(entries: dict[str, Value], value: Value, reading: TaskParser) -> Path:
    if "file" not in entries:
        raise value.complaint("it must name a `file`")
    return (reading.folder or Path()) / entries["file"].text()


def _make_obstacle(value: Value, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except InputError as error:
        raise as_model_error(error, value.what, value.at) from None


_TABLES: dict[str, Callable[[Value, TaskParser], DistanceGrid]] = {
    "distance_grid": _read_grid,
    "height_map": _read_heights,
}
