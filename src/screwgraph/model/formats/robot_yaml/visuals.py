"""Shapes in the robot YAML format, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.meshes.visual_shapes import make_mesh, make_shape, write_sizes
from screwgraph.model.formats.robot_yaml.body import Names, read_pose
from screwgraph.model.formats.robot_yaml.closed_chain import to_floats, write_pose
from screwgraph.model.formats.robot_yaml.keys import DRAWN, MESH, SHAPE
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Mesh, Visual, shapes
from screwgraph.model.robot.shapes import Shape

SHAPES = tuple(DRAWN)
"""Keys of a body: what pictures show, and, if that is something else, what may touch something."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)


def read_visuals(value: Value | None, names: Names) -> tuple[Visual, ...]:
    """Read the `shapes` of a body. Raises ModelError."""
    return tuple(_visual(item, names) for item in value.items()) if value else ()


def visual_entries(visuals: Iterable[Visual]) -> list[dict[str, Any]]:
    """Return what `read_visuals` reads."""
    return [
        {
            **_shape_entry(visual.shape),
            **write_pose(visual.T_bs),
            **({"colour": visual.colour} if visual.colour else {}),
        }
        for visual in visuals
    ]


def _visual(value: Value, names: Names) -> Visual:
    entries = value.called("a shape").section(SHAPE)
    kinds = [key for key in entries if key in shapes.SHAPES or key in MESH]
    if len(kinds) != 1 or ("scale" in entries and kinds != ["mesh"]):
        raise ModelError(
            f"a shape has {len(kinds)} of the keys {', '.join(shapes.SHAPES)}, mesh (with scale)",
            at=value.at,
            fix="write {box: [1, 1, 1]}",
        )
    kind = kinds[0]
    colour = entries["colour"].text() if "colour" in entries else ""
    if colour and not _COLOUR.fullmatch(colour):
        raise entries["colour"].complaint("a colour is written like '#2160a8'")
    at = entries[kind].called(kind)
    shape = _mesh(at, entries.get("scale"), names) if kind == "mesh" else _shape(kind, at, names)
    return Visual(shape, read_pose(entries, names), colour)


def _mesh(value: Value, scale: Value | None, names: Names) -> Shape:
    mesh = make_mesh(value.text(), scale.numbers(names, 3) if scale else (1.0, 1.0, 1.0))
    if mesh is None:
        raise value.complaint("a scale is three numbers, none of them 0")
    return mesh


def _shape(kind: str, value: Value, names: Names) -> Shape:
    count = sum(shapes.SHAPES[kind].settings.values())
    sizes = (value.number(names),) if count == 1 else value.numbers(names, count)
    shape = make_shape(kind, sizes)
    if shape is None:
        raise value.complaint("lengths of shapes are positive (m)")
    return shape


def _shape_entry(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Mesh):
        return {"mesh": shape.file} | ({} if set(shape.scale) == {1.0} else {"scale": to_floats(shape.scale)})
    numbers = to_floats([number for numbers in write_sizes(shape).values() for number in numbers])
    return {shape.word: numbers if len(numbers) > 1 else numbers[0]}
