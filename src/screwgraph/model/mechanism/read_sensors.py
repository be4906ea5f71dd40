"""Sensors from YAML, or from Python objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import Place, Value, quote_text, suggest_name
from screwgraph.model.mechanism.keys import SENSOR
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.parts import Sensor
from screwgraph.model.mechanism.read_forces import ReadContext, read_parts
from screwgraph.model.mechanism.read_values import find_angle, find_line, find_point, read_number, read_numbers
from screwgraph.model.mechanism.sensors import SENSORS


def read_sensors(value: Value | None, around: ReadContext, places: dict[str, object]) -> tuple[Sensor, ...]:
    """Read a list of sensors. Raises ModelError."""
    return read_parts(value, "sensor", SENSOR, _sensor, around, places)


def parse_sensors(mechanism: Mechanism, given: Any) -> tuple[Sensor, ...]:
    """Return sensors from entries like a file's, [{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}, ...].

    Raises:
        InputError: a sensor that the mechanism cannot have.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        example = '{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}'
        raise InputError(f"sensors = {given!r} is not a list", fix=f"give sensors=[{example}]")
    around = ReadContext(mechanism.points, mechanism.bodies, mechanism.angles, {})
    try:
        return read_sensors(_value(given), around, {})
    except ModelError as error:
        raise InputError(error.what, at=error.at, why=error.why, fix=error.fix) from error


def _value(given: Any) -> Value:
    """Return Python objects as values of a file."""
    place = Place("sensors")
    if isinstance(given, Mapping):
        return Value({str(key): _value(item) for key, item in given.items()}, place)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return Value(tuple(_value(item) for item in given), place)
    return Value(None if given is None else str(given), place)


def _sensor(name: str, entries: dict[str, Value], around: ReadContext) -> Sensor:
    kinds = [kind for kind in SENSORS if kind in entries]
    if len(kinds) != 1:
        what = f"sensor {name!r} measures {' and '.join(kinds) or 'nothing'}"
        raise ModelError(what, at=entries[""].at, fix=f"give it one of {', '.join(SENSORS)}")
    kind = kinds[0]
    sigma = read_number(entries["sigma"], around.names)
    if not sigma > 0.0:
        raise entries["sigma"].complaint("a standard deviation is positive")
    if "at" in entries and not SENSORS[kind].placed:
        raise entries["at"].complaint(f"a sensor of {kind} has no place on a body")
    x, y = read_numbers(entries["at"], around.names, 2) if "at" in entries else (0.0, 0.0)
    return Sensor(name, kind, _target(kind, entries[kind], around), sigma, (x, y))


def _target(kind: str, value: Value, around: ReadContext) -> int | tuple[int, int]:
    on = SENSORS[kind].on
    if on == "point":
        return find_point(value, around.points)
    if on == "angle":
        return find_line(value, around.points) if isinstance(value.content, tuple) else find_angle(value, around.angles)
    text, names = value.text(), [body.name for body in around.bodies]
    if text not in names:
        raise ModelError(
            f"{value.what}: there is no body {quote_text(text)}",
            at=value.at,
            fix=suggest_name(text, names, "the bodies are"),
        )
    return names.index(text)
