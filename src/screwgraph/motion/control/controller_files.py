"""Tasks, feet, limits and barriers of a controller in YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import complaints_at
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.control.barrier_files import read_barrier
from screwgraph.motion.control.barriers import Barrier
from screwgraph.motion.control.contacts import GlidingPoint, HeldContact, Sole
from screwgraph.motion.control.control_loop import ControlLoop, shape_reference
from screwgraph.motion.control.controller import check_names, check_tasks, hold_contacts
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.control.tasks import TASKS, ControlTask
from screwgraph.motion.simulation.contacts import Contact, Ground, Plane
from screwgraph.motion.simulation.contacts.contact_files import TOUCH, read_contacts

EACH = "as its inertia"
GAINS: Keys = {
    "stiffness": Entry(f"of the error; of an impedance (N m/rad, N/m) {EACH}", NUMBER, "1/s^2", "100"),
    "damping": Entry(
        f"of the error's rate; of an impedance (N m s/rad, N s/m) {EACH}", NUMBER, "1/s", "2 sqrt(stiffness)"
    ),
    "weight": Entry("of the squares of what is missed", NUMBER, default="1"),
    "level": Entry(
        "strict priority, a whole number: tasks change nothing of what lower levels reach", NUMBER, default="0"
    ),
}
NAME: Keys = {"name": Entry("of its reference, such as in `references`", default="of its kind and frame")}
TASK: Keys = {**{key: entry for kind in TASKS.values() for key, entry in kind.KEYS.items()}, **GAINS, **NAME}
SOLE: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "length": Entry("of the rectangle along x", NUMBER, "m", REQUIRED),
    "width": Entry("along y, 0 of an edge", NUMBER, "m", REQUIRED),
    "at": Entry("its centre in the frame", VECTOR, "m", "[0, 0, 0]"),
    "x": Entry("along its length, in the frame's axes", VECTOR, default="[1, 0, 0]"),
    "normal": Entry("out of the ground, in the frame's axes", VECTOR, default="[0, 0, 1]"),
    "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
}
GLIDING: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "radius": Entry("of the ball about the point", NUMBER, "m", "0"),
    "at": Entry("the point in the frame", VECTOR, "m", "[0, 0, 0]"),
    "friction": Entry(
        "coefficient of friction of a simulation; no row of the controller has it", NUMBER, default="0.8"
    ),
}
LIMITS: Keys = {
    "dt": Entry("time for which a command is held", NUMBER, "s", "1e-3"),
    "acceleration": Entry("with which joints can brake", NUMBER, "rad/s^2, m/s^2", "100"),
    "normal_force": Entry("least force on contacts that are on", NUMBER, "N", "0"),
    "glide_damping": Entry("rate at which contacts that glide stop", NUMBER, "1/s", "0.01 / dt"),
    "effort": Entry("keep limits of efforts", "yes or no", default="yes"),
    "efforts": Entry("largest efforts of motors, in the place of the file's", "{motor: number}", "N m, N", "none"),
    "velocity": Entry("keep limits of velocities", "yes or no", default="yes"),
    "position": Entry("keep limits of positions", "yes or no", default="yes"),
    "round_cones": Entry("forces of points within round cones, not pyramids", "yes or no", default="no"),
}
FILE: Keys = {
    "tasks": Entry("what is followed", "list", default=REQUIRED),
    "limits": Entry("of joints that are kept", "mapping"),
    "soles": Entry("rectangles that rest on the ground", "list"),
    "gliding": Entry("points and balls that push along the normal and glide", "list"),
    "barriers": Entry("distances that are kept", "list"),
    "references": Entry(
        "what tasks and barriers follow in a simulation, by the names of arguments",
        "{name: number or list}",
        default="those of the first position",
    ),
    "actuated": Entry("actuators or joints that drive", "[name, ...]", default="actuators, else independent joints"),
    **{key: entry._replace(default="none") for key, entry in TOUCH.items()},
}
FEET = {"contacts": "a contact", "soles": "a sole", "gliding": "a point that glides"}
"""Entries of contacts, and what their items are."""


@dataclass(frozen=True)
class ControllerFile:
    """Arguments of `controller` as a file has them."""

    __repr__ = one_line

    tasks: tuple[ControlTask, ...]
    contacts: tuple[Contact | HeldContact, ...]
    ground: Ground | None
    limits: ControlLimits
    barriers: tuple[Barrier, ...] = ()
    actuated: tuple[str, ...] | None = None
    references: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Options of `controller`."""
        others = ("tasks", "references")
        return {own.name: getattr(self, own.name) for own in fields(self) if own.name not in others}

    def make_loop(self, model: Model, q0: Any) -> ControlLoop:
        """Return the controller in a loop that begins at a position."""
        return ControlLoop(model, self.tasks, **self.options, q0=q0, references=self.references)


def load_controller(path: str | Path, model: Model | None = None) -> ControllerFile:
    """Return the tasks, contacts, ground, limits and barriers of a YAML file; those of a model are checked with it.

    Raises:
        ModelError: the file cannot be read, or an entry is unknown, missing, of the wrong kind or size; the robot has
            no such frame or joint.
    """
    file = str(path)
    root = parse_yaml(read_bytes(find_file(Path(file), file), file), file)
    entries = root.section(FILE, "the file")
    if "tasks" not in entries:
        raise ModelError("the file has no tasks", at=root.at, fix="tasks: [{posture: []}]")
    tasks = tuple(_read_task(item) for item in entries["tasks"].items())
    if "ground" in entries and not {*FEET} & entries.keys():
        raise entries["ground"].complaint("there are no contacts")
    points, ground = read_contacts(entries, Path(file).parent)
    soles = tuple(_read_sole(item) for item in entries["soles"].items()) if "soles" in entries else ()
    gliding = tuple(_read_gliding(item) for item in entries["gliding"].items()) if "gliding" in entries else ()
    contacts = (*points, *soles, *gliding)
    limits = _read_limits(entries["limits"]) if "limits" in entries else ControlLimits()
    barriers = tuple(map(read_barrier, entries["barriers"].items())) if "barriers" in entries else ()
    names = tuple(item.text() for item in entries["actuated"].items()) if "actuated" in entries else None
    references = entries["references"].mapping() if "references" in entries else {}
    given = {name: _read_reference(value.called(f"references: {name}")) for name, value in references.items()}
    plane = (ground or Plane()) if contacts else None
    found = ControllerFile(tasks, contacts, plane, limits, barriers, names, given)
    if model is not None:
        _check_entries(model, entries, found)
    return found


def _check_entries(model: Model, entries: Mapping[str, Value], found: ControllerFile) -> None:
    """Raise ModelError where the model has not what an entry names."""
    for key, own in (("tasks", found.tasks), ("barriers", found.barriers)):
        for value, one in zip(entries[key].items() if key in entries else (), own, strict=True):
            with complaints_at(f"a {key[:-1]}", value.at):
                one.references(model)
    with complaints_at("actuated", entries.get("actuated", entries["tasks"]).at):
        model = as_controlled(model).with_motors(found.actuated)
    places = (*entries["tasks"].items(), *(entries["barriers"].items() if "barriers" in entries else ()))
    shapes, tasks = dict[str, tuple[int, ...]](), len(found.tasks)
    for k, value in enumerate(places, 1):
        with complaints_at("a task" if k <= tasks else "a barrier", value.at):
            shapes = check_names(model, found.tasks[:k], found.barriers[: max(k - tasks, 0)])
    for name, value in entries["references"].mapping().items() if "references" in entries else ():
        with complaints_at("references", value.at):
            if name not in shapes:
                raise make_unknown_name_error("reference", name, shapes)
            shape_reference(name, found.references[name], shapes[name])
    for key, name in FEET.items():
        for value in entries[key].items() if key in entries else ():
            frame = value.mapping()["frame"]
            with complaints_at(name, frame.at):
                as_controlled(model).find_link(frame.text())
    if found.limits.efforts:
        with complaints_at("limits", entries["limits"].mapping()["efforts"].at):
            found.limits.bound_efforts(as_controlled(model).motors)
    feet = next((entries[key] for key in FEET if key in entries), entries["tasks"])
    with complaints_at("the feet", feet.at):
        held, plane = hold_contacts(model, found.contacts, found.ground)
        list(ReducedMotion(model, held, plane).legs)
    for k, value in enumerate(entries["tasks"].items()):
        with complaints_at("a task", value.at):
            check_tasks(found.tasks[: k + 1], held)
    with complaints_at("the tasks", entries["tasks"].at):
        check_tasks(found.tasks, held)


def _read_reference(value: Value) -> float | list[Any]:
    """Return a number, or a list of such, to any depth."""
    if isinstance(value.content, tuple):
        return [_read_reference(item) for item in value.content]
    return value.number({})


def _read_task(value: Value) -> ControlTask:
    entries = value.section(TASK, "a task")
    kinds = [kind for kind in TASKS if kind in entries]
    if len(kinds) != 1:
        has = f"has {' and '.join(kinds)}" if kinds else "says not what it is of"
        raise ModelError(f"a task {has}", at=value.at, why=f"it must have one of {', '.join(TASKS)}")
    kind = TASKS[kinds[0]]
    has = {field.name for field in fields(kind)}
    for key in entries:
        if key not in kind.KEYS and key not in has:
            raise entries[key].complaint(f"it does not go with {kinds[0]}")
    gains = {key: _read_gain(entries[key], key in kind.LISTS) for key in (*GAINS, *kind.LISTS) if key in entries}
    if "level" in gains:
        if gains["level"] != int(gains["level"]):
            raise entries["level"].complaint("it must be a whole number")
        gains["level"] = int(gains["level"])
    if "name" in entries:
        gains["name"] = entries["name"].text()
    with complaints_at("a task", value.at):
        return kind.read_entry(entries, gains)


def _read_gain(value: Value, may_be_list: bool) -> Any:
    """Return a number, or where a gain may be one of each direction, a list of numbers."""
    return _read_reference(value) if may_be_list else value.number({})


def _read_sole(value: Value) -> Sole:
    entries = value.section(SOLE, "a sole")
    for key in ("frame", "length", "width"):
        if key not in entries:
            raise value.complaint(f"it must have a {key}")
    numbers = {key: entries[key].number({}) for key in ("length", "width", "friction") if key in entries}
    vectors = {key: entries[key].numbers({}, 3) for key in ("at", "x", "normal") if key in entries}
    with complaints_at("a sole", value.at):
        return Sole(entries["frame"].text(), **numbers, **vectors)  # pyright: ignore[reportArgumentType, reportCallIssue]


def _read_gliding(value: Value) -> GlidingPoint:
    entries = value.section(GLIDING, "a point that glides")
    if "frame" not in entries:
        raise value.complaint("it must have a frame")
    numbers = {key: entries[key].number({}) for key in ("radius", "friction") if key in entries}
    vectors = {"at": entries["at"].numbers({}, 3)} if "at" in entries else {}
    with complaints_at("a point that glides", value.at):
        return GlidingPoint(entries["frame"].text(), **numbers, **vectors)  # pyright: ignore[reportArgumentType]


def _read_limits(value: Value) -> ControlLimits:
    entries = value.section(LIMITS, "limits")
    numbers = {
        key: entries[key].number({})
        for key in ("dt", "acceleration", "normal_force", "glide_damping")
        if key in entries
    }
    kept = {key: x.switch() for key, x in entries.items() if key not in (*numbers, "efforts")}
    efforts = {name: x.number({}) for name, x in entries["efforts"].mapping().items()} if "efforts" in entries else {}
    with complaints_at("limits", value.at):
        return ControlLimits(**numbers, **kept, efforts=efforts)
