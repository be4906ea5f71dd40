"""Tasks, feet, limits and barriers of a controller in YAML files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import complaints_at
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, SWITCH, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.control.barriers import BARRIERS, Barrier
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.control_loop import ControlLoop, check_references, shape_reference
from screwgraph.motion.control.controller import check_names, check_tasks
from screwgraph.motion.control.file_entries import choose_kind, read_values
from screwgraph.motion.control.foot_files import FOOT_KEYS, check_feet, list_frames, read_feet
from screwgraph.motion.control.limits import LIMITS, ControlLimits
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.range_doubts import DEGREES, doubt_angles
from screwgraph.motion.control.tasks import TASKS, ControlTask
from screwgraph.motion.simulation.contacts import Contact, Ground

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
BOUNDS: Keys = {
    "dt": Entry("time for which a command is held", NUMBER, "s", "1e-3"),
    "acceleration": Entry("with which joints can brake", NUMBER, "rad/s^2, m/s^2", "100"),
    "normal_force": Entry("least force on contacts that are on", NUMBER, "N", "0"),
    "glide_damping": Entry("rate at which contacts that glide stop", NUMBER, "1/s", "0.01 / dt"),
    "effort": Entry("keep limits of efforts", SWITCH, default="yes"),
    "efforts": Entry("largest efforts of motors, in the place of the file's", "{motor: number}", "N m, N", "none"),
    "velocity": Entry("keep limits of velocities", SWITCH, default="yes"),
    "position": Entry("keep limits of positions", SWITCH, default="yes"),
    "round_cones": Entry("forces of points within round cones, not pyramids", SWITCH, default="no"),
    **{key: kind.ENTRY for key, kind in LIMITS.items()},
}
"""Of `limits`."""
BARRIER: Keys = {
    **{key: entry for kind in BARRIERS.values() for key, entry in kind.KEYS.items()},
    "rate": Entry("how fast a distance may shrink", NUMBER, "1/s", "10"),
    "margin": Entry("distance that is left", NUMBER, "m", "0"),
}
"""Of an item of barriers: those of its kind, rate and margin."""
FILE: Keys = {
    "tasks": Entry("what is followed", "list", default=REQUIRED),
    "limits": Entry("of joints that are kept", "mapping"),
    "barriers": Entry("distances that are kept", "list"),
    "references": Entry(
        "what tasks and barriers follow in a simulation, and first in a node of ROS 2, by the names of arguments",
        "{name: number or list}",
        default="those of the first position",
    ),
    "actuated": Entry("actuators or joints that drive", "[name, ...]", default="actuators, else independent joints"),
    **FOOT_KEYS,
}


@dataclass(frozen=True)
class ControllerFile:
    """Arguments of `controller` as a file has them, and warnings, where a model is known, in one line each."""

    __repr__ = one_line

    tasks: tuple[ControlTask, ...]
    contacts: tuple[Contact | HeldContact, ...]
    ground: Ground | None
    limits: ControlLimits
    barriers: tuple[Barrier, ...] = ()
    actuated: tuple[str, ...] | None = None
    references: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """Options of `controller`."""
        others = ("tasks", "references", "warnings")
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
    if "tasks" not in entries or entries["tasks"].content == ():
        raise ModelError("the file has no tasks", at=root.at, fix="tasks: [{posture: []}]")
    tasks = tuple(_read_task(item) for item in entries["tasks"].items())
    contacts, ground = read_feet(entries, Path(file).parent)
    limits = _read_limits(entries["limits"]) if "limits" in entries else ControlLimits()
    barriers = tuple(map(_read_barrier, entries["barriers"].items())) if "barriers" in entries else ()
    names = tuple(item.text() for item in entries["actuated"].items()) if "actuated" in entries else None
    references = entries["references"].mapping() if "references" in entries else {}
    given = {name: _read_reference(value.called(f"references: {name}")) for name, value in references.items()}
    found = ControllerFile(tasks, contacts, ground, limits, barriers, names, given)
    if model is None:
        return found
    _check_entries(model, entries, found)
    if not found.limits.position:  # ranges are left out, such as those of rotors, which files state for no end
        return found
    return replace(found, warnings=_doubt_references(model, found.tasks, references))


def _doubt_references(model: Model, tasks: Sequence[ControlTask], references: Mapping[str, Value]) -> tuple[str, ...]:
    """Return warnings of positions that are far outside of their ranges."""
    found: tuple[str, ...] = ()
    for task in (task for task in tasks if task.name in references):
        value, places = references[task.name], task.list_positions(model)
        items = value.items() if isinstance(value.content, tuple) else (value,)
        if places and len(places) == len(items):
            numbers = [item.number({}) for item in items]
            found += doubt_angles(model, f"{task.name}: the reference", places, numbers, [x.at for x in items], DEGREES)
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
            check_references(found.tasks, {name: shape_reference(name, found.references[name], shapes[name])})
    for noun, frame in list_frames(entries):
        with complaints_at(noun, frame.at):
            as_controlled(model).find_link(frame.text())
    if found.limits.efforts:
        with complaints_at("limits", entries["limits"].mapping()["efforts"].at):
            found.limits.bound_efforts(as_controlled(model).motors)
    with complaints_at("the feet", entries["tasks"].at):
        motion = check_feet(model, entries, found.contacts, found.ground)
    for limit in found.limits.others:
        with complaints_at("limits", entries["limits"].at):
            limit.name_rows(motion, found.limits)
    for k, value in enumerate(entries["tasks"].items()):
        with complaints_at("a task", value.at):
            check_tasks(found.tasks[: k + 1], motion.contacts)
    with complaints_at("the tasks", entries["tasks"].at):
        check_tasks(found.tasks, motion.contacts)


def _read_reference(value: Value) -> float | list[Any]:
    """Return a number, or a list of such, to any depth."""
    if isinstance(value.content, tuple):
        return [_read_reference(item) for item in value.content]
    return value.number({})


def _read_task(value: Value) -> ControlTask:
    entries = value.section(TASK, "a task")
    name = choose_kind(value, entries, TASKS, "a task")
    kind = TASKS[name]
    has = {field.name for field in fields(kind)}
    for key in entries:
        if key not in kind.KEYS and key not in has:
            raise entries[key].complaint(f"it does not go with {name}")
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


def _read_barrier(value: Value) -> Barrier:
    entries = value.section(BARRIER, "a barrier")
    name = choose_kind(value, entries, BARRIERS, "a barrier")
    kind, numbers = BARRIERS[name], {key: entries[key].number({}) for key in ("rate", "margin") if key in entries}
    for key in entries:
        if key not in kind.KEYS and key not in numbers:
            raise entries[key].complaint(f"it does not go with {name}")
    value.check_required(kind.KEYS, "a barrier")
    with complaints_at("a barrier", value.at):
        return kind.read_entry(entries, numbers)


def _read_limits(value: Value) -> ControlLimits:
    entries = value.section(BOUNDS, "limits")
    given = {key: x for key, x in entries.items() if key not in LIMITS and key != "efforts"}
    efforts = {name: x.number({}) for name, x in entries["efforts"].mapping().items()} if "efforts" in entries else {}
    with complaints_at("limits", value.at):
        others = tuple(kind.read_entry(entries[key]) for key, kind in LIMITS.items() if key in entries)
        return ControlLimits(**read_values(given, BOUNDS), efforts=efforts, others=others)
