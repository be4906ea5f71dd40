"""Horizons, feet and limits of a model-predictive controller in YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model import Model
from screwgraph.model.formats.diagnostics import as_model_error, complaints_at
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.yaml_keys import NUMBER, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.robot import Robot
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.foot_files import FOOT_KEYS, check_feet, find_feet, list_frames, read_feet
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.predictive.horizon_costs import HORIZON_COSTS, HorizonCost
from screwgraph.motion.control.predictive.limits import HorizonLimits
from screwgraph.motion.control.predictive.motors import StageMotors, choose_motors
from screwgraph.motion.control.predictive.predictive_controller import (
    DT,
    check_costs,
    check_numbers,
    check_states,
    choose_terminal_cost,
    make_model,
)
from screwgraph.motion.control.predictive.state_coordinates import check_near, make_states
from screwgraph.motion.control.predictive.terminal_costs import TERMINAL_COSTS
from screwgraph.motion.control.range_doubts import DEGREES, doubt_angles
from screwgraph.motion.simulation.contacts import Contact, Ground

WHO = "the horizon"
"""What complains."""
EACH = "a number, or numbers by names"
BOUNDS: Keys = {
    "effort": Entry("largest efforts of driven joints, or actuators", EACH, "N m, N", "the robot's"),
    "velocity": Entry("largest speeds", EACH, "rad/s, m/s", "the robot's"),
    "lower": Entry("least positions", EACH, "rad, m", "the robot's"),
    "upper": Entry("largest positions", EACH, "rad, m", "the robot's"),
    "penalty": Entry("l1, l2 of states beyond: l1 e + l2 e^2 / 2", "[number, number]", default="[100, 1000]"),
    "force": Entry("largest normal force of a contact", NUMBER, "N", "three times the weight"),
}
NUMBERS: Keys = {
    "dt": Entry("time from an instant to the next", NUMBER, "s", "0.01"),
    "rate": Entry("calls, where the first interval is an argument", NUMBER, "1/s", "none"),
    "drag": Entry("of feet that are on and move", NUMBER, "1/s", "half of 1 / dt"),
}
COUNTS: Keys = {
    "horizon": Entry("instants", NUMBER, default="32"),
    "iterations": Entry("linearisations a call", NUMBER, default="1"),
    "barrier_steps": Entry("steps of the interior point after each", NUMBER, default="2"),
    "shortenings": Entry("shorter steps that are tried, each a quarter of the last", NUMBER, default="4"),
}
FILE: Keys = {
    **NUMBERS,
    **COUNTS,
    "actuated": Entry("actuators or joints with efforts", "[name, ...]", default="actuators, else joints"),
    **{key: kind.ENTRY for key, kind in HORIZON_COSTS.items()},
    "near": Entry(
        "position of all coordinates, near which loops are closed", "[number, ...]", "m, rad", "the neutral one"
    ),
    "terminal": Entry("what the last state costs", " or ".join(TERMINAL_COSTS), default="weights"),
    "limits": Entry("that are kept", "mapping"),
    **FOOT_KEYS,
}


@dataclass(frozen=True)
class HorizonFile:
    """Arguments of `mpc` as a file has them; those that are None have their defaults.

    `warnings` are of the file, where a model is known, in one line each.
    """

    __repr__ = one_line

    dt: float | None = None
    rate: float | None = None
    drag: float | None = None
    horizon: int | None = None
    iterations: int | None = None
    barrier_steps: int | None = None
    shortenings: int | None = None
    actuated: tuple[str, ...] | None = None
    costs: tuple[HorizonCost, ...] | None = None
    near: tuple[float, ...] | None = None
    terminal: str | None = None
    limits: HorizonLimits | None = None
    contacts: tuple[Contact | HeldContact, ...] | None = None
    ground: Ground | None = None
    warnings: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """Options of `mpc`."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "warnings"}
        return {name: value for name, value in given.items() if value is not None}


def load_horizon(path: str | Path, model: Model | None = None) -> HorizonFile:
    """Return the horizon, limits, contacts and goals of a YAML file; those of a model are checked with it.

    Raises:
        ModelError: the file cannot be read, or an entry is unknown, of the wrong kind or size; the model has no such
            frame or joint, or a number has no sense.
        InputError: the model has no such controller.
    """
    file = str(path)
    root = parse_yaml(read_bytes(find_file(Path(file), file), file), file)
    entries = root.section(FILE, "the file")
    feet = find_feet(entries)
    if "drag" in entries and feet is None:
        raise entries["drag"].called("drag").complaint("there are no contacts: add `contacts`, or leave it out")
    found: dict[str, Any] = {key: entries[key].number({}) for key in NUMBERS if key in entries}
    found |= {key: entries[key].whole_number({}) for key in COUNTS if key in entries}
    if "actuated" in entries:
        found["actuated"] = tuple(item.text() for item in entries["actuated"].items())
    costs = tuple(kind.read_entry(entries[key]) for key, kind in HORIZON_COSTS.items() if key in entries)
    found |= {"costs": costs} if costs else {}
    if "near" in entries:
        found["near"] = tuple(item.number({}) for item in entries["near"].items())
    if "terminal" in entries:
        found["terminal"] = entries["terminal"].text()
    if "limits" in entries:
        found["limits"] = _read_limits(entries["limits"])
    contacts, ground = read_feet(entries, Path(file).parent)
    if feet is not None and not contacts:
        raise feet.complaint("without contacts, leave it out")
    found |= {"contacts": contacts, "ground": ground} if contacts else {}
    result = HorizonFile(**found)
    if model is None:
        return result
    check_states(model)
    _check_entries(model, entries, result)
    if result.near is None:
        return result
    places = [item.at for item in entries["near"].items()]
    doubts = doubt_angles(model, "near: the position", range(model.nq), result.near, places, DEGREES)
    return replace(result, warnings=doubts)


def _check_entries(model: Model, entries: Mapping[str, Value], found: HorizonFile) -> None:
    """Raise ModelError where the model has not what an entry names, or a number has no sense."""
    for key in ("dt", *COUNTS):
        if key in entries:
            with complaints_at(WHO, entries[key].at):
                check_numbers(**{key: getattr(found, key)})
    if "rate" in entries:
        with complaints_at(WHO, entries["rate"].at):
            check_numbers(dt=found.dt or DT, rate=found.rate)
    if "actuated" in entries:
        with complaints_at(WHO, entries["actuated"].at):
            choose_motors(model, found.actuated)
    if "near" in entries:
        with complaints_at(WHO, entries["near"].at):
            check_near(model, found.near)
    frames = entries["frames"].items() if "frames" in entries else ()
    for noun, frame in (*(("a frame", frame) for frame in frames), *list_frames(entries)):
        with complaints_at(noun, frame.at):
            make_states(model).check_frame(frame.text())
    for key in HORIZON_COSTS:
        if key in entries:
            with complaints_at(WHO, entries[key].at):
                check_costs(make_states(model), found.costs or ())
    limits = found.limits or HorizonLimits()
    if "limits" in entries:
        joints = make_states(model).joints
        _check_limits(joints, entries["limits"], limits, choose_motors(model, found.actuated))
        if limits.force is not None and not found.contacts:
            raise entries["limits"].mapping()["force"].called("force of the limits").complaint("there are no contacts")
    feet = find_feet(entries)
    if feet is not None and found.contacts:
        with complaints_at(WHO, feet.at):
            check_feet(as_controlled(model).with_motors(found.actuated), entries, found.contacts, found.ground)
    given = found.dt or DT, found.actuated, found.contacts or (), found.ground, limits, found.drag, found.near
    for value in (entries.get("drag"), entries.get("actuated"), feet):
        if value is not None:
            with complaints_at(WHO, value.at):
                make_model(model, *given)
    if "terminal" in entries:
        with complaints_at(WHO, entries["terminal"].at):
            choose_terminal_cost(entries["terminal"].text(), make_model(model, *given), found.costs or ())


def _check_limits(robot: Robot, value: Value, limits: HorizonLimits, motors: StageMotors) -> None:
    """Raise ModelError, at the entry without which it would not be raised."""

    def complaint(of: HorizonLimits) -> InputError | None:
        try:
            of.efforts(motors)
            of.states(robot)
            of.largest_force(1.0)
        except InputError as error:
            return error
        return None

    error = complaint(limits)
    if error is None:
        return
    for key, entry in value.mapping().items():
        own, default = getattr(limits, key), getattr(HorizonLimits(), key)
        entry_by_name = entry.mapping() if isinstance(own, Mapping) else {}
        for name, item in entry_by_name.items():
            rest = {other: x for other, x in own.items() if other != name}
            if str(complaint(replace(limits, **{key: rest}))) != str(error):
                raise as_model_error(error, key, item.at)
        if str(complaint(replace(limits, **{key: default}))) != str(error):
            raise as_model_error(error, "limits", entry.at)
    raise as_model_error(error, "limits", value.at)


def _read_limits(value: Value) -> HorizonLimits:
    entries = value.section(BOUNDS, "limits")
    found: dict[str, Any] = {}
    for key, entry in entries.items():
        if key == "penalty":
            found[key] = tuple(float(x) for x in entry.numbers({}, 2))
        elif key == "force" or not isinstance(entry.content, dict):
            found[key] = entry.number({})
        else:
            found[key] = {
                name: one.called(f"limits: {key} of {name!r}").number({}) for name, one in entry.mapping().items()
            }
    with complaints_at("limits", entries.get("penalty", value).at):
        return HorizonLimits(**found)
