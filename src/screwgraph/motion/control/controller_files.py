"""Tasks, feet and limits of a controller in YAML files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import as_model_error
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.tasks import CenterOfMassTask, ControlTask, FrameTask, PostureTask
from screwgraph.motion.simulation.contacts import Contact, Ground
from screwgraph.motion.simulation.contacts.contact_files import FILE as CONTACT_FILE
from screwgraph.motion.simulation.contacts.contact_files import read_contacts

TASK: Keys = {
    "stiffness": Entry("of the error", NUMBER, "1/s^2", "100"),
    "damping": Entry("of the error's rate", NUMBER, "1/s", "2 sqrt(stiffness)"),
    "weight": Entry("of the squares of accelerations that are missed", NUMBER, default="1"),
}
OF: Keys = {"of": Entry("pose, position or orientation", default="pose")}
LIMITS: Keys = {
    "dt": Entry("time for which a command is held", NUMBER, "s", "1e-3"),
    "acceleration": Entry("with which joints can brake", NUMBER, "rad/s^2, m/s^2", "100"),
    "effort": Entry("keep limits of efforts", "yes or no", default="yes"),
    "velocity": Entry("keep limits of velocities", "yes or no", default="yes"),
    "position": Entry("keep limits of positions", "yes or no", default="yes"),
}
FILE: Keys = {
    "tasks": Entry("what is followed", "list", default=REQUIRED),
    "limits": Entry("of joints that are kept", "mapping"),
    **{key: entry._replace(default="none") for key, entry in CONTACT_FILE.items()},
}


@dataclass(frozen=True)
class ControllerFile:
    """Arguments of `controller` as a file has them."""

    tasks: tuple[ControlTask, ...]
    contacts: tuple[Contact, ...]
    ground: Ground | None
    limits: ControlLimits


def load_controller(path: str | Path) -> ControllerFile:
    """Return the tasks, contacts, ground and limits of a YAML file.

    Raises:
        ModelError: the file cannot be read, or an entry is unknown, missing, of the wrong kind or size.
    """
    file = str(path)
    root = parse_yaml(read_bytes(find_file(Path(file), file), file), file)
    entries = root.section(FILE, "the file")
    if "tasks" not in entries:
        raise ModelError("the file has no tasks", at=root.at, fix="tasks: [{posture: []}]")
    tasks = tuple(_read_task(item) for item in entries["tasks"].items())
    if "ground" in entries and "contacts" not in entries:
        raise entries["ground"].complaint("there are no contacts")
    contacts, ground = read_contacts(entries, Path(file).parent)
    limits = _read_limits(entries["limits"]) if "limits" in entries else ControlLimits()
    return ControllerFile(tasks, contacts, ground if contacts else None, limits)


def _read_task(value: Value) -> ControlTask:
    known = {**TASK, **{kind: entry for kind, (entry, _) in KINDS.items()}, **OF}
    entries = value.section(known, "a task")
    kinds = [kind for kind in KINDS if kind in entries]
    if len(kinds) != 1:
        raise value.complaint(f"it must have one of {', '.join(KINDS)}")
    (kind,) = kinds
    if "of" in entries and kind != "frame":
        raise entries["of"].complaint("it goes with frame")
    numbers = {key: entries[key].number({}) for key in TASK if key in entries}
    try:
        return KINDS[kind][1](entries, numbers)
    except InputError as error:
        raise as_model_error(error, "a task", value.at) from None


def _read_frame(entries: Mapping[str, Value], numbers: Mapping[str, float]) -> ControlTask:
    return FrameTask(entries["frame"].text(), entries["of"].text() if "of" in entries else "pose", **numbers)


def _read_posture(entries: Mapping[str, Value], numbers: Mapping[str, float]) -> ControlTask:
    return PostureTask(tuple(item.text() for item in entries["posture"].items()), **numbers)


def _read_center_of_mass(entries: Mapping[str, Value], numbers: Mapping[str, float]) -> ControlTask:
    if not entries["center_of_mass"].switch():
        raise entries["center_of_mass"].complaint("leave the task out, or say yes")
    return CenterOfMassTask(**numbers)


KINDS: Mapping[str, tuple[Entry, Callable[[Mapping[str, Value], Mapping[str, float]], ControlTask]]] = {
    "frame": (Entry("link or frame that follows a pose"), _read_frame),
    "posture": (Entry("joints that follow positions, all if it is empty", "[joint, ...]"), _read_posture),
    "center_of_mass": (Entry("the centre of mass follows a position", "yes"), _read_center_of_mass),
}
"""Kinds of tasks by their keys, and what reads them."""


def _read_limits(value: Value) -> ControlLimits:
    entries = value.section(LIMITS, "limits")
    numbers = {key: entries[key].number({}) for key in ("dt", "acceleration") if key in entries}
    kept = {key: x.switch() for key, x in entries.items() if key not in numbers}
    try:
        return ControlLimits(**numbers, **kept)
    except InputError as error:
        raise as_model_error(error, "limits", value.at) from None
