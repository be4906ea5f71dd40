"""Our own mechanism format; listing 1 of Blanco-Claraco et al. (2021) is one such file.

SI units and rad; every number may be an expression over `parameters`, powers as `**` or `^`. Keys, units and defaults
stand in `keys.py`, of which docs/schema/mechanism.md is made, with examples that have them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import Place, Value, evaluate_parameters, model_name, parse_yaml, suggest_name
from screwgraph.model.functions_of_time import FunctionOfTime, interpolate_samples, parse_function
from screwgraph.model.mechanism.keys import GROUND, MECHANISM, SAMPLES
from screwgraph.model.mechanism.mechanism import STANDARD_GRAVITY, Mechanism, MechanismSource
from screwgraph.model.mechanism.parts import Gear
from screwgraph.model.mechanism.read_bodies import read_angles, read_bodies, read_planar_body, read_points
from screwgraph.model.mechanism.read_forces import READERS, ReadContext, read_parts
from screwgraph.model.mechanism.read_spatial_bodies import INERTIA, read_spatial_body, read_vectors
from screwgraph.model.mechanism.read_values import Names, convert_powers, read_number, read_numbers
from screwgraph.model.mechanism.sensors import check_motors, read_sensors
from screwgraph.model.robot import make_unknown_name_error


def read_mechanism(data: bytes, file: str, values: Names | None = None) -> Mechanism:
    """Read a mechanism, as drawn, from the content of a YAML file; `file` is its name in messages.

    `values` take the place of parameters, and of values that are called by key and part: "mass:coupler".

    Raises:
        ModelError: no well-formed YAML, a key or value that the format does not have, parts that cannot be.
        InputError: the mechanism has none of the parameters or values that `values` names.
    """
    values = values or {}
    root = parse_yaml(data, file)
    entries = root.section(MECHANISM, "the mechanism")
    if "source" in entries:
        entries["source"].text()
    declared = entries["parameters"].mapping() if "parameters" in entries else {}
    names = _parameters(declared, values)
    places: dict[str, object] = {"": Place(file)}
    ends = read_points(_require_entry(root, entries, "points"), names, "vectors" in entries)
    ends = read_vectors(entries.get("vectors"), ends, names, places)
    read_body = read_planar_body if ends.dimension == 2 else read_spatial_body
    bodies, ends = read_bodies(_bodies(root, entries), ends, names, places, read_body)
    angles = read_angles(entries.get("angles"), entries.get("relative_coordinates"), ends, names, places)
    around = ReadContext(ends, bodies, angles, names)
    parts: dict[str, Any] = {
        section: read_parts(entries.get(section), kind, keys, read, around, places)
        for section, (kind, keys, read) in READERS.items()
    }
    mechanism = Mechanism(
        entries["name"].text() if "name" in entries else model_name(file),
        ends.points,
        bodies,
        angles,
        **parts,
        dimension=ends.dimension,
        vectors=ends.vectors,
    )
    _check_names(mechanism, root)
    known = {name: names[name] for name in declared} | parameter_values(mechanism)
    for name in values:
        if name not in known:
            raise make_unknown_name_error("parameter or value", name, known)
    driven = _driven(entries.get("driven"), mechanism, names)
    found = replace(
        mechanism,
        gears=tuple(_complete_gear(mechanism, gear) for gear in mechanism.gears),
        sensors=read_sensors(entries.get("sensors"), replace(around, coordinates=mechanism.coordinates), places),
        ground=_ground(entries.get("ground"), names, ends.dimension),
        gravity=_gravity(entries.get("gravity"), names, ends.dimension),
        motors=tuple(dict.fromkeys((*_coordinates(entries.get("motors"), mechanism), *driven))),
        driven=driven,
        independent=_coordinates(entries.get("independent"), mechanism),
        velocities=_velocities(entries.get("velocities"), mechanism, names, driven),
        places=places,
        source=MechanismSource(data, file, tuple(known.items()), tuple(values.items())),
    )
    check_motors(found.sensors, found)
    return found


def _parameters(entries: Mapping[str, Value], values: Names) -> dict[str, float]:
    for name, entry in entries.items():
        if not isinstance(entry.content, str):
            raise entry.called(f"parameter {name!r}").complaint("it must be a number")
    texts = {name: convert_powers(entry).content for name, entry in entries.items()}
    return evaluate_parameters(texts, {name: entry.at for name, entry in entries.items()}, values)


def _require_entry(root: Value, entries: Mapping[str, Value], key: str) -> Value:
    if key not in entries or entries[key].content == ():
        raise ModelError(f"the mechanism has no {key}", at=root.at, fix=f"add {key}:")
    return entries[key]


def _bodies(root: Value, entries: Mapping[str, Value]) -> Value:
    if "bodies" in entries and "planar_bodies" in entries:
        raise ModelError("the mechanism has bodies and planar_bodies", at=root.at, fix="the two are one: join them")
    return _require_entry(root, entries, "planar_bodies" if "planar_bodies" in entries else "bodies")


def _check_names(mechanism: Mechanism, root: Value) -> None:
    names = mechanism.coordinates
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two coordinates are called {name!r}", at=root.at, fix="rename the angle")
    if not names:
        raise ModelError("nothing moves", at=root.at, why="all points are fixed")


def _complete_gear(mechanism: Mechanism, gear: Gear) -> Gear:
    """Complete a gear's offset: the angles are as their points lie."""
    if gear.offset == gear.offset:
        return gear
    q = mechanism.guess()
    first, second = (q[mechanism.angle_slots[i]] for i in gear.angles)
    return replace(gear, offset=float(first - gear.ratio * second))


def _gravity(value: Value | None, names: Names, dimension: int) -> tuple[float, ...]:
    return read_numbers(value, names, dimension) if value else STANDARD_GRAVITY[dimension]


def _ground(value: Value | None, names: Names, dimension: int) -> tuple[tuple[float, ...], float] | None:
    if value is None:
        return None
    entries = value.section(GROUND, "ground")
    up = (*[0.0] * (dimension - 1), 1.0)
    normal = read_numbers(entries["normal"], names, dimension) if "normal" in entries else up
    if not any(normal):
        raise entries["normal"].complaint("it must be a direction")
    return normal, read_number(entries["height"], names) if "height" in entries else 0.0


def _coordinates(value: Value | None, mechanism: Mechanism) -> tuple[str, ...]:
    found = tuple(_coordinate(item.text(), item, mechanism) for item in (value.items() if value else ()))
    if value and len(set(found)) < len(found):
        raise value.complaint("a coordinate is named twice")
    return found


def _driven(value: Value | None, mechanism: Mechanism, names: Names) -> dict[str, FunctionOfTime]:
    entries = value.mapping() if value else {}
    return {_coordinate(name, entry, mechanism): _function(name, entry, names) for name, entry in entries.items()}


def _function(name: str, value: Value, names: Names) -> FunctionOfTime:
    what = f"driven: {name}"
    if isinstance(value.content, str):
        return parse_function(convert_powers(value).content, names, what, value.at)
    samples = value.section(SAMPLES, what)
    if len(samples) < len(SAMPLES):
        raise ModelError(f"{what} has no {', '.join(k for k in SAMPLES if k not in samples)}", at=value.at)
    times, values = ([read_number(item, names) for item in samples[key].items()] for key in SAMPLES)
    try:
        return interpolate_samples(np.array(times), np.array(values), name)
    except InputError as error:
        raise ModelError(error.what, at=value.at, why=error.why, fix=error.fix) from error


def _velocities(
    value: Value | None, mechanism: Mechanism, names: Names, driven: Mapping[str, FunctionOfTime]
) -> dict[str, float]:
    entries = value.mapping() if value else {}
    for name, entry in entries.items():
        if name in driven:
            raise ModelError(
                f"velocity of {name!r}: its motion is driven, and says it", at=entry.at, fix="leave it out"
            )
    return {
        _coordinate(name, entry, mechanism): read_number(entry.called(f"velocity of {name!r}"), names)
        for name, entry in entries.items()
    }


def _coordinate(name: str, value: Value, mechanism: Mechanism) -> str:
    if name not in mechanism.coordinates:
        fix = suggest_name(name, mechanism.coordinates, "the coordinates are")
        raise ModelError(f"there is no coordinate {name!r}", at=value.at, fix=fix)
    return name


# Parameters of a mechanism by name.


def parameter_values(mechanism: Mechanism) -> dict[str, float]:
    """Return all parameters, called by key and part as its file writes them: mass:crank, cog_x:crank, rest:s."""
    found = {}
    for body in mechanism.bodies:
        found |= {f"mass:{body.name}": body.mass}
        if isinstance(body.inertia, tuple):
            found |= {f"I0_{axes}:{body.name}": x for axes, x in zip(INERTIA, body.inertia, strict=True)}
        else:
            found[f"I0:{body.name}"] = body.inertia
        found |= {f"cog_{axis}:{body.name}": x for axis, x in zip("xyz", body.com, strict=False)}
        if len(body.points) == 2:
            found[f"length:{body.name}"] = body.length
    for spring in mechanism.springs:
        found |= {f"stiffness:{spring.name}": spring.stiffness, f"rest:{spring.name}": spring.rest}
    for damper in mechanism.dampers:
        found |= {f"damping:{damper.name}": damper.damping, f"friction:{damper.name}": damper.friction}
    for force in mechanism.forces:
        found |= _components(force.name, force.value)
    for torque in mechanism.torques:
        found |= (
            _components(torque.name, torque.value)
            if isinstance(torque.value, tuple)
            else {f"value:{torque.name}": torque.value}
        )
    return found


def _components(name: str, value: tuple[float, ...]) -> dict[str, float]:
    return {f"value_{axis}:{name}": x for axis, x in zip("xyz", value, strict=False)}
