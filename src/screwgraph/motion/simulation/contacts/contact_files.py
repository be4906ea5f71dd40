"""Contacts in YAML files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.summary import one_line
from screwgraph.model import Model
from screwgraph.model.formats.arrays.array_files import read_arrays
from screwgraph.model.formats.diagnostics import complaints_at, suggest_name
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.meshes.visual_shapes import make_mesh
from screwgraph.model.formats.world_yaml import PARAMETERS, WORLD
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.robot.shapes import Box, Capsule, Sphere
from screwgraph.motion.simulation.contacts.geometry.contact import LIVE, NUMBERS, Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.height_map import HeightMap, Steps
from screwgraph.motion.simulation.contacts.geometry.other_body import COLLISIONS, OtherBody
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING

RIGID = ("inf", ".inf")
"""The stiffness of a rigid contact."""
TOUCH: Keys = {
    "contacts": Entry("contacts", "list", default=REQUIRED),
    "ground": Entry(
        "what they touch: a plane, height map or steps", "mapping", default="z = 0, of mechanisms in the plane y = 0"
    ),
}
"""Of files that have contacts among other things."""
FILE: Keys = {**TOUCH, "parameters": PARAMETERS}
CONTACT: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "radius": Entry("radius of the ball about the point", NUMBER, "m", "0"),
    "points": Entry("points in the frame, a contact each", "[[x, y, z], ...]", "m", "[[0, 0, 0]]"),
    "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
    "restitution": Entry("rebound over impact velocity", NUMBER, default="0"),
    "stiffness": Entry("of the normal direction, inf of a rigid contact", NUMBER, "N/m", "1e6"),
    "damping": Entry("of the normal direction", NUMBER, "N s/m", "1e3"),
    "against": Entry("another body that it touches, in the place of the ground", "mapping"),
    "shape": Entry("shape in the place of a ball: collisions, those of its link, or a box or mesh", "text or mapping"),
    "slots": Entry("most points of a pair of shapes, 1 to 8", NUMBER, default="4"),
}
AGAINST: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "box": Entry("sizes of a box", VECTOR, "m"),
    "radius": Entry("of a sphere, or of a capsule along z", NUMBER, "m"),
    "length": Entry("of a capsule, between the centres of its ends", NUMBER, "m", "0"),
    "shape": Entry("in the place of these: collisions, those of its link, or a mesh", "text or mapping"),
    "at": Entry("origin of the shape in the frame", VECTOR, "m", "[0, 0, 0]"),
    "rpy": Entry("roll, pitch, yaw of the shape in the frame", VECTOR, "rad", "[0, 0, 0]"),
}
SHAPE: Keys = {
    "box": Entry("sizes of a box", VECTOR, "m"),
    "mesh": Entry("file of a mesh, beside this one"),
    "scale": Entry("of a mesh: stretch along its axes", VECTOR, default="[1, 1, 1]"),
    "at": Entry("origin in the frame", VECTOR, "m", "[0, 0, 0]"),
    "rpy": Entry("roll, pitch, yaw in the frame", VECTOR, "rad", "[0, 0, 0]"),
}
PLANE: Keys = {
    "normal": Entry("normal of the ground", VECTOR, default="[0, 0, 1]"),
    "height": Entry("height of the ground along the normal", NUMBER, "m", "0"),
}
HEIGHTS: Keys = {
    "file": Entry("arrays heights, origin and spacing (.npz)", default=REQUIRED),
    "smooth": Entry("whether gradients are continuous", "true or false", default="false"),
}
STEPS: Keys = {
    "at": Entry("places of steps along x", "[x, ...]", "m", REQUIRED),
    "heights": Entry("height of the ground beyond each", "[z, ...]", "m", REQUIRED),
}
GROUND: Keys = {
    **PLANE,
    "height_map": Entry("uneven ground, in the place of a plane", "mapping"),
    "steps": Entry("stairs, in the place of a plane", "mapping"),
}


@dataclass(frozen=True)
class ContactFile:
    """Contacts, ground, and names of numbers that are inputs of a step, as a file has them."""

    __repr__ = one_line

    contacts: tuple[Contact, ...]
    ground: Ground | None
    parameters: tuple[str, ...]


def load_contacts(path: str | Path, model: Model | None = None) -> ContactFile:
    """Return the contacts of a YAML file, its ground, if it says one, and its live parameters, checked with a model.

    A file of a world may have them, too.

    Raises:
        ModelError: the file cannot be read, an entry is unknown, missing or of the wrong kind, or the model has no such
            frame, point or parameter, or cannot touch such a ground.
    """
    file = str(path)
    if file.isidentifier() and not Path(file).exists():
        raise ModelError(f"contacts={file!r}", why="there is no such file", fix="'collisions', or a path: feet.yaml")
    root = parse_yaml(read_bytes(find_file(Path(file), file), file), file)
    known = WORLD if isinstance(root.content, dict) and "robots" in root.content else FILE
    entries = {key: value for key, value in root.section(known, "the file").items() if key in FILE}
    if "contacts" not in entries or not entries["contacts"].items():
        raise ModelError("the file has no contacts", at=root.at, fix="contacts: [{frame: foot}]")
    placed, ground = _read_entries(entries, Path(file).parent)
    names = entries["parameters"].items() if "parameters" in entries else ()
    found = ContactFile(tuple(contact for _, contact in placed), ground, tuple(name.text() for name in names))
    for i, name in enumerate(names):
        if name.text() in found.parameters[:i]:
            raise name.complaint("it is named twice")
    if model is not None:
        _check_entries(model, placed, ground, entries)
        for name in (name for name in names if name.text() not in LIVE):
            with complaints_at("parameters", name.at):
                _check_parameter(model, name.text())
    return found


def _check_parameter(model: Model, name: str) -> None:
    """Raise InputError where a number is no input of a step with contacts of a model."""
    try:
        TOUCHING[model.kind].check_parameter(model, name)
    except InputError as error:
        near = suggest_name(name.partition(":")[0], LIVE)
        raise InputError(error.what, why=error.why, fix=near or error.fix) from None


def _check_entries(
    model: Model, placed: Sequence[tuple[Value, Contact]], ground: Ground | None, entries: Mapping[str, Value]
) -> None:
    """Raise ModelError where a model cannot have contacts, each with its entry, or the ground of a file."""
    kind = TOUCHING[model.kind]
    for item, contact in placed:
        with complaints_at("a contact", item.at):
            kind.check(model, contact)
        for shape in (contact.shape, contact.against and contact.against.shape):
            mesh = getattr(shape, "file", None)
            if mesh is not None and not Path(mesh).is_file():
                raise ModelError("a contact: the mesh is not found", at=item.at, why=f"there is no file {mesh}")
    if ground is not None:
        with complaints_at("ground", entries["ground"].at):
            kind.lay_ground(model, ground)


def read_contacts(entries: Mapping[str, Value], folder: Path) -> tuple[tuple[Contact, ...], Ground | None]:
    """Return the contacts and the ground of a file's entries, if it says one; files that they name lie in a folder.

    Raises:
        ModelError: an entry is unknown, missing or of the wrong kind.
    """
    placed, ground = _read_entries(entries, folder)
    return tuple(contact for _, contact in placed), ground


def _read_entries(entries: Mapping[str, Value], folder: Path) -> tuple[list[tuple[Value, Contact]], Ground | None]:
    """Return the contacts, each with its entry, and the ground."""
    items = entries["contacts"].items() if "contacts" in entries else ()
    placed = [(item, contact) for item in items for contact in _read_contact(item, folder)]
    return placed, _read_ground(entries["ground"], folder) if "ground" in entries else None


def _read_contact(value: Value, folder: Path) -> list[Contact]:
    misnamed = value.mapping().get("at") if isinstance(value.content, dict) else None
    if misnamed is not None:  # what sg.Contact calls it; in plans, which have the same keys, it is where feet land
        raise ModelError(
            "a contact: there is no key 'at'", at=misnamed.at, fix="points in the frame are points: [[x, y, z]]"
        )
    entries = value.whole_section(CONTACT, "a contact")
    numbers: dict[str, Any] = {key: _number(entries[key]) for key in entries if key in NUMBERS or key == "radius"}
    frame = entries["frame"].text()
    other = read_other(entries["against"], folder) if "against" in entries else None
    if "slots" in entries:
        if "shape" not in entries:
            raise entries["slots"].complaint("slots go with a shape")
        numbers["slots"] = entries["slots"].whole_number({})
    if "shape" in entries:
        if "points" in entries:
            raise value.complaint("it must have points or a shape")
        shape = read_shape(entries["shape"], folder)
        with complaints_at("a contact", value.at):
            return [Contact(frame, against=other, **shape, **numbers)]
    points = [p.numbers({}, 3) for p in entries["points"].items()] if "points" in entries else [(0.0, 0.0, 0.0)]
    if not points:
        raise entries["points"].complaint("it must have a point at least")
    with complaints_at("a contact", value.at):
        return [Contact(frame, at=(x, y, z), against=other, **numbers) for x, y, z in points]


def read_shape(value: Value, folder: Path) -> dict[str, Any]:
    """Return the shape of an entry, its place and its turn; files lie in a folder. Raises ModelError."""
    if value.content == COLLISIONS:
        return {"shape": COLLISIONS}
    entries = value.section(SHAPE, "shape")
    if ("box" in entries) == ("mesh" in entries) or ("scale" in entries and "mesh" not in entries):
        raise value.complaint("it must be collisions, or have a box or a mesh, and that a scale")
    at, rpy = (entries[key].numbers({}, 3) if key in entries else (0.0, 0.0, 0.0) for key in ("at", "rpy"))
    if "box" in entries:
        length, width, height = entries["box"].numbers({}, 3)
        return {"shape": Box((length, width, height)), "at": tuple(at), "rpy": tuple(rpy)}
    scale = entries["scale"].numbers({}, 3) if "scale" in entries else (1.0, 1.0, 1.0)
    mesh = make_mesh(str((folder / entries["mesh"].text()).resolve()), scale)
    if mesh is None:
        raise value.complaint("a scale is three numbers, none of them 0")
    return {"shape": mesh, "at": tuple(at), "rpy": tuple(rpy)}


def read_other(value: Value, folder: Path = Path()) -> OtherBody:
    """Return the body of an entry; files lie in a folder. Raises ModelError."""
    entries = value.whole_section(AGAINST, "against")
    if sum(key in entries for key in ("box", "radius", "shape")) != 1:
        raise value.called("against").complaint("it must have a box or a radius, or a shape")
    if "length" in entries and "radius" not in entries:
        raise entries["length"].complaint("a length goes with the radius of a capsule")
    places = {key: tuple(entries[key].numbers({}, 3)) for key in ("at", "rpy") if key in entries}
    if "shape" in entries:
        made = {**read_shape(entries["shape"], folder), **places}
    elif "box" in entries:
        length, width, height = entries["box"].numbers({}, 3)
        made = {"shape": Box((length, width, height)), **places}
    else:
        radius, length = (entries[key].number({}) if key in entries else 0.0 for key in ("radius", "length"))
        made = {"shape": Capsule(radius, length) if length else Sphere(radius), **places}
    with complaints_at("against", value.at):
        return OtherBody(entries["frame"].text(), **made)


def _number(value: Value) -> float:
    return float("inf") if value.content in RIGID else value.number({})


def _read_ground(value: Value, folder: Path) -> Ground:
    entries = value.section(GROUND, "ground")
    for kind, read in (("height_map", _read_heights), ("steps", _read_steps)):
        if kind in entries:
            if len(entries) > 1:
                raise value.complaint(f"a ground that is {kind} is nothing else")
            with complaints_at(kind, entries[kind].at):
                return read(entries[kind], folder)
    with complaints_at("ground", value.at):
        return _make_plane(entries)


def read_plane(value: Value) -> Plane:
    """Return the plane of an entry. Raises ModelError, InputError."""
    return _make_plane(value.section(PLANE, "plane"))


def _make_plane(entries: Mapping[str, Value]) -> Plane:
    x, y, z = entries["normal"].numbers({}, 3) if "normal" in entries else (0.0, 0.0, 1.0)
    return Plane((x, y, z), entries["height"].number({}) if "height" in entries else 0.0)


def _read_heights(value: Value, folder: Path) -> Ground:
    entries = value.section(HEIGHTS, "height_map")
    if "file" not in entries:
        raise value.complaint("it must name a `file`")
    smooth = "smooth" in entries and entries["smooth"].switch()
    found = read_arrays(folder / entries["file"].text(), ("heights", "origin", "spacing"))
    if found["spacing"].size != 1:
        raise InputError(
            f"the spacing of {entries['file'].text()} has the shape {found['spacing'].shape}", fix="give one"
        )
    return HeightMap(found["heights"], found["origin"].tolist(), found["spacing"].item(), smooth)


def _read_steps(value: Value, _: Path) -> Ground:
    entries = value.whole_section(STEPS, "steps")
    at, heights = (tuple(x.number({}) for x in entries[key].items()) for key in STEPS)
    return Steps(at, heights)
