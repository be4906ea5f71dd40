"""Task files: YAML.

Keys, units and defaults stand in `keys.py`, of which docs/schema/task.md is made, with examples that have them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.mechanics.mechanism import load_mechanism, mechanism_names
from screwgraph.model.formats import load, zoo_names
from screwgraph.model.formats.diagnostics import Place, as_model_error, quote_text, suggest_name
from screwgraph.model.formats.expressions import evaluate_parameters
from screwgraph.model.formats.file_io import read_bytes
from screwgraph.model.formats.robot_yaml.reader import read_frames
from screwgraph.model.formats.yaml_keys import Entry
from screwgraph.model.formats.yaml_values import SWITCHES, Value, parse_yaml
from screwgraph.model.robot import Robot
from screwgraph.motion.planning.contacts import CONTACTS
from screwgraph.motion.planning.costs import COSTS
from screwgraph.motion.planning.exact_path import ExactPath
from screwgraph.motion.planning.goals import GOALS
from screwgraph.motion.planning.items import Item
from screwgraph.motion.planning.keys import EXACT_PATH, GOAL, HORIZON, PHASE, ROBOT, START, TASK
from screwgraph.motion.planning.limits import LIMITS
from screwgraph.motion.planning.models import as_robot
from screwgraph.motion.planning.obstacles import OBSTACLES
from screwgraph.motion.planning.phases import Phase, horizon
from screwgraph.motion.planning.task import KINDS, Task
from screwgraph.motion.planning.task_parser import TaskParser

REGISTRIES: dict[str, dict[str, type]] = {
    "costs": COSTS,
    "limits": LIMITS,
    "obstacles": OBSTACLES,
    "contacts": CONTACTS,
}
OTHER = Entry("a kind of goal")


def task_names() -> tuple[str, ...]:
    """Return the names of the built-in tasks."""
    folder = files("screwgraph.motion.planning") / "tasks"
    return tuple(sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml")))


def print_task(name: str) -> str:
    """Return the file of a built-in task, to begin one's own with. Raises InputError where there is none."""
    if name not in task_names():
        raise InputError(
            f"there is no built-in task {quote_text(name)}", fix=suggest_name(name, task_names(), "built-in tasks are")
        )
    return (files("screwgraph.motion.planning") / "tasks" / f"{name}.yaml").read_text(encoding="utf-8")


def read_task(source: str | os.PathLike[str]) -> Task:
    """Read a task from a file, or a built-in one by name.

    Raises:
        ModelError: the file is missing, broken, or no task; with file and line.
    """
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise InputError(f"{source!r} is neither a task, nor a path, nor the name of a task")
    file, path = os.fsdecode(source), Path(os.fsdecode(source))
    if isinstance(source, str) and source in task_names():
        return _task(parse_yaml(print_task(source).encode(), f"{source}.yaml"), f"{source}.yaml", source, None)
    if not path.exists() and path.suffix not in (".yaml", ".yml"):
        raise InputError(
            f"there is no task {quote_text(file)}", fix=suggest_name(file, task_names(), "built-in tasks are")
        )
    data = read_bytes(path, file)
    if data.lstrip().startswith(b"<"):
        raise ModelError("this is an XML file, and no task", at=file, fix=f"a task is a .yaml file, with robot: {file}")
    return _task(parse_yaml(data, file), file, path.stem, path.parent)


def _task(root: Value, file: str, name: str, folder: Path | None) -> Task:
    entries = root.section(TASK, "a task")
    entries = {key: value.called(key) for key, value in entries.items()}
    model = "mechanism" if "mechanism" in entries else "robot"
    if {"robot", "mechanism"} <= entries.keys():
        raise entries["mechanism"].complaint("there is a robot, too: a task has one of them")
    times = next((key for key in ("phases", "path") if key in entries), "horizon")
    for needed in (model, times):
        if needed not in entries:
            raise ModelError(f"the task has no {needed}", at=file, fix=f"add the key {needed!r}")
    names = _parameters(entries.get("parameters"))
    robot = _mechanism(entries[model], folder) if model == "mechanism" else _robot(entries[model], folder, names)
    reading = TaskParser(robot, names, folder)
    fields: dict[str, Any] = {"name": entries["name"].text() if "name" in entries else name}
    for key, read in _PARTS.items():
        if key in entries:
            fields |= read(entries[key], reading)
    places: list[tuple[Any, Place]] = [(fields["start"], entries["start"].at)] if "start" in fields else []
    for group in ("goals", *REGISTRIES):
        if group in entries:
            read_items = _goals if group == "goals" else partial(_items, registry=REGISTRIES[group])
            made = tuple(read_items(entries[group], reading))
            fields[group], places = tuple(item for item, _ in made), [*places, *made]
    phases = _phases(entries["phases"], reading) if "phases" in entries else ()
    phases = _horizon(entries["horizon"], reading) if "horizon" in entries and "phases" not in entries else phases
    with_place = _make_located_call(root.at)
    return with_place(lambda: Task(robot, phases, places=tuple(places), **fields))


def _make_located_call(at: Place, who: str = "the task") -> Callable[[Callable[[], Any]], Any]:
    """Return what calls a function, and says where its complaints come from."""

    def call_located(make: Callable[[], Any]) -> Any:
        try:
            return make()
        except InputError as error:
            raise as_model_error(error, who, at) from None

    return call_located


def _mechanism(value: Value, folder: Path | None) -> Any:
    source = _source(value, folder, mechanism_names())
    return as_robot(_make_located_call(value.at, "mechanism")(lambda: load_mechanism(source)))


def _source(value: Value, folder: Path | None, built_in: Iterable[str]) -> str:
    """Return a built-in name, or the path of a file beside the task's; names of neither are left to who reads them."""
    source = value.text()
    if source in built_in or folder is None:
        return source
    path = str(folder / source)
    if not os.path.exists(path) and not source.isidentifier():
        raise ModelError(
            f"there is no file {quote_text(source)}", at=value.at, fix="paths are relative to the task's folder"
        )
    return path if os.path.exists(path) else source


def _robot(value: Value, folder: Path | None, names: Mapping[str, float]) -> Robot:
    options: dict[str, Any] = {}
    file, frames = value, None
    if isinstance(value.content, dict):
        entries = value.section(ROBOT)
        if "file" not in entries:
            raise value.complaint("it must name a robot `file`")
        file = entries["file"]
        if "base" in entries:
            options["base"] = entries["base"].text()
        if "lock" in entries:
            options["lock"] = _read_locked(entries["lock"], names)
        if "gravity" in entries:
            options["gravity"] = entries["gravity"].numbers({}, 3)
        if "damping" in entries:
            options["damping"] = entries["damping"].switch()
        if "xacro" in entries:
            options["xacro_args"] = {name: value.text() for name, value in entries["xacro"].mapping().items()}
        if "packages" in entries:
            options["packages"] = _packages(entries["packages"], folder)
        frames = entries.get("frames")
    source = _source(file, folder, zoo_names())
    robot = _make_located_call(file.at, "robot")(lambda: load(source, **options))
    return _add_frames(robot, frames, names) if frames else robot


def _add_frames(robot: Robot, value: Value, names: Mapping[str, float]) -> Robot:
    """Return the robot with further frames, on links or on frames that it has."""
    places: dict[object, Place] = {}
    for frame in read_frames(value, names, places):
        at = places[frame]
        carrier = _make_located_call(at, f"frame {frame.name!r}")(partial(robot.frame, frame.link))
        if frame.name in (*robot.link_names, *robot.frame_names):
            raise ModelError(f"the robot has a frame {frame.name!r} already", at=at, fix="choose another name")
        moved = replace(frame, link=carrier.link, T_lf=carrier.T_lf @ frame.T_lf)
        robot = replace(robot, frames=(*robot.frames, moved))
    return robot


def _packages(value: Value, folder: Path | None) -> Any:
    near = folder or Path()
    if isinstance(value.content, dict):
        return {name: near / entry.text() for name, entry in value.mapping().items()}
    return [near / item.text() for item in value.items()]


def _read_locked(value: Value, names: Mapping[str, float]) -> Any:
    if isinstance(value.content, dict):
        return {name: entry.number(names) for name, entry in value.mapping().items()}
    return tuple(item.text() for item in value.items())


def _regularisation(value: Value, reading: TaskParser) -> dict[str, Any]:
    if isinstance(value.content, str) and value.content in SWITCHES:
        return {} if value.switch() else {"regularisation": float("inf")}
    return {"regularisation": reading.number(value)}


def _parameters(value: Value | None) -> dict[str, float]:
    entries = {} if value is None else value.mapping()
    texts = {name: entry.called(f"parameters: {name}").text() for name, entry in entries.items()}
    return evaluate_parameters(texts, {name: entry.at for name, entry in entries.items()})


def _horizon(value: Value, reading: TaskParser) -> tuple[Phase, ...]:
    entries = value.section(HORIZON)
    if "steps" not in entries:
        raise value.complaint("it must say how many `steps`")
    numbers = {key: reading.number(entries[key]) for key in ("dt", "duration") if key in entries}
    return _make_located_call(value.at, "horizon")(
        lambda: horizon(entries["steps"].whole_number(reading.names), **numbers)
    )


def _exact_path(value: Value, reading: TaskParser) -> dict[str, Any]:
    entries = value.section(EXACT_PATH)
    if "positions" not in entries:
        raise value.complaint("it must have positions")
    positions = [reading.vector(q, reading.robot.nq) for q in entries["positions"].items()]
    steps = {"steps": entries["steps"].whole_number(reading.names)} if "steps" in entries else {}
    return {"path": _make_located_call(value.at, "path")(lambda: ExactPath(positions, **steps))}


def _phases(value: Value, reading: TaskParser) -> tuple[Phase, ...]:
    found = []
    for i, item in enumerate(value.items(), start=1):
        entries = item.section(PHASE, f"phase {i}")
        if not {"steps", "duration"} <= entries.keys():
            raise item.called(f"phase {i}").complaint("it must have steps and a duration")
        numbers: dict[str, Any] = {
            k: reading.number(entries[k]) for k in ("duration", "shortest", "longest") if k in entries
        }
        name = entries["name"].text() if "name" in entries else ""
        steps = entries["steps"].whole_number(reading.names)
        found.append(
            _make_located_call(item.at, f"phase {i}")(lambda s=steps, n=name, x=numbers: Phase(s, name=n, **x))
        )
    return tuple(found)


def _read_actuated(value: Value, reading: TaskParser) -> dict[str, Any]:
    names = tuple(item.text() for item in value.items())
    for name, item in zip(names, value.items(), strict=True):
        reading.joint(name, item)
    return {"actuated": names}


def _start(value: Value, reading: TaskParser) -> dict[str, Any]:
    entries, found = value.section(START), {}
    if "position" in entries:
        found["start"] = reading.joints(entries["position"], reading.robot.nq)
    if "velocity" in entries:
        free = entries["velocity"].content == "free"
        found["start_velocity"] = None if free else reading.joints(entries["velocity"], reading.robot.nv)
    return found


def _goals(value: Value, reading: TaskParser) -> Iterator[tuple[Item, Place]]:
    """Read a list of goals, each of one or more kinds at one time."""
    for i, item in enumerate(value.items(), start=1):
        entries = item.section({**GOAL, **{kind: GOAL.get(kind, OTHER) for kind in GOALS}}, f"goal {i}")
        common: dict[str, Any] = {"sigma": reading.sigma(entries.get("sigma"))}
        if "time" in entries:
            common["time"] = reading.time(entries["time"])
        asked = [key for key in GOALS if key in entries]
        if not asked:
            raise item.called(f"goal {i}").complaint(f"it must have one of {', '.join(GOALS)}")
        for key in asked:
            yield replace(GOALS[key].read(entries[key], reading), **common), item.at


def _items(value: Value, reading: TaskParser, registry: dict[str, type]) -> Iterator[tuple[Item, Place]]:
    """Read {kind: value, ...}, or a list of kinds and {kind: value}."""
    listed = value.items() if isinstance(value.content, tuple) else (value,)
    for item in listed:
        entries = {item.content: Value(None, item.at)} if isinstance(item.content, str) else item.mapping()
        for kind, entry in entries.items():
            if kind not in registry:
                fix = suggest_name(kind, registry, "there are")
                raise ModelError(f"{value.what}: there is no {quote_text(kind)}", at=entry.at, fix=fix)
            yield registry[kind].read(entry.called(f"{value.what}: {kind}"), reading), entry.at


_PARTS: dict[str, Callable[[Value, TaskParser], dict[str, Any]]] = {
    "actuated": _read_actuated,
    "path": _exact_path,
    "start": _start,
    "collocation": lambda value, reading: {"collocation": value.text()},
    "guess": lambda value, reading: {"guess": value.text()},
    "accuracy": lambda value, reading: {"accuracy": reading.number(value)},
    "regularisation": _regularisation,
    "dynamics": lambda value, reading: {"dynamics": value.content if value.content in KINDS else value.switch()},
}
