"""Our own robot format, as short as a robot can be written by hand.

A file names the base and then one body after the other: a link, and the joint that moves it. SI units and rad;
every number may be an expression over `parameters`. Keys, units and defaults stand in `keys.py`, of which
docs/schema/robot.md is made, with an example that has them all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.expressions import evaluate_parameters
from screwgraph.model.formats.mimics import Mimic, make_mimic_couplings
from screwgraph.model.formats.model_checks import warn_of_parts
from screwgraph.model.formats.robot_yaml.actuators import read_actuators
from screwgraph.model.formats.robot_yaml.body import read_inertia, read_joint, read_mimic, read_pose
from screwgraph.model.formats.robot_yaml.closed_chain import read_couplings, read_independent, read_loops
from screwgraph.model.formats.robot_yaml.keys import BASE, FRAME, ROBOT
from screwgraph.model.formats.robot_yaml.visuals import SHAPES, read_visuals
from screwgraph.model.formats.text_sources import model_name
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.robot import STANDARD_GRAVITY, Frame, Joint, Link, Robot, Visual, tree

DEFAULT_BASE = "base"


def read_yaml(data: bytes, file: str) -> Robot:
    """Read a robot, fixed joints not yet merged, from the content of a robot YAML file.

    `file` is its name in messages.

    Raises:
        ModelError: no well-formed YAML, a key or value that the format does not have, or no tree of bodies.
    """
    root = parse_yaml(data, file)
    entries = root.section(ROBOT, "the robot")
    if "bodies" not in entries:
        raise ModelError("the robot has no bodies", at=root.at, fix="add bodies: [{link: ..., mass: ...}, ...]")
    if "source" in entries:
        entries["source"].text()
    names = _parameters(entries.get("parameters"))
    places: dict[object, Place] = {None: root.at}
    links, joints, mimics = _bodies(entries.get("base"), entries["bodies"], names, places)
    frames = read_frames(entries.get("frames"), names, places)

    loops = read_loops(entries.get("loops"), names, places)
    warnings = Warnings()
    couplings = read_couplings(entries.get("couplings"), names, [joint.name for joint in joints], places)
    couplings += make_mimic_couplings(mimics, joints, [part.name for part in (*loops, *couplings)], warnings)

    def where(part: object) -> object:
        return places.get(part, root.at)

    warn_of_parts(links, joints, where, warnings)
    return tree(
        entries["name"].text() if "name" in entries else model_name(file),
        links,
        joints,
        frames=frames,
        gravity=_gravity(entries.get("gravity"), names),
        warnings=warnings.lines,
        loops=loops,
        couplings=couplings,
        independent=read_independent(entries.get("independent")),
        actuators=read_actuators(entries.get("actuators"), names, [joint.name for joint in joints], places),
        T_wb=_base_pose(entries.get("base"), names),
        where=where,
    )


def _parameters(value: Value | None) -> dict[str, float]:
    entries = value.mapping() if value else {}
    for name, entry in entries.items():
        if not isinstance(entry.content, str):
            raise entry.called(f"parameter {name!r}").complaint("it must be a number")
    texts = {name: entry.content for name, entry in entries.items()}
    return evaluate_parameters(texts, {name: entry.at for name, entry in entries.items()})


def _gravity(value: Value | None, names: Mapping[str, float]) -> tuple[float, float, float]:
    g = value.numbers(names, 3) if value else STANDARD_GRAVITY
    return (g[0], g[1], g[2])


def _bodies(
    base: Value | None, bodies: Value, names: Mapping[str, float], places: dict[object, Place]
) -> tuple[list[Link], list[Joint], list[Mimic]]:
    links, joints, mimics = [_base(base, names)], [], []
    if base:
        places[links[0]] = base.at
    for value in bodies.items():
        entries = value.called("a body").mapping()
        if "link" not in entries:
            raise ModelError("a body has no link", at=value.at, fix="add link: and its name")
        link = entries["link"].called("link").text()
        joints.append(read_joint(value, link, links[-1].name, names))
        links.append(Link(link, read_inertia(entries, f"body {link!r}", names), *_shapes(entries, names)))
        mimics.append(read_mimic(value, joints[-1].name, names))
        places[links[-1]] = places[joints[-1]] = value.at
    return links, joints, [mimic for mimic in mimics if mimic]


def _base(value: Value | None, names: Mapping[str, float]) -> Link:
    if value is None:
        return Link(DEFAULT_BASE)
    if isinstance(value.content, str):
        return Link(value.text())
    entries = value.section(BASE, "the base")
    link = entries["link"].text() if "link" in entries else DEFAULT_BASE
    return Link(link, read_inertia(entries, "the base", names), *_shapes(entries, names))


def _base_pose(value: Value | None, names: Mapping[str, float]) -> Float[np.ndarray, "4 4"] | None:
    return None if value is None or isinstance(value.content, str) else read_pose(value.mapping(), names)


def _shapes(entries: Mapping[str, Value], names: Mapping[str, float]) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Return the shapes that are seen, and those that touch: the same where the file does not tell them apart."""
    seen = read_visuals(entries.get(SHAPES[0]), names)
    return seen, read_visuals(entries[SHAPES[1]], names) if SHAPES[1] in entries else seen


def read_frames(value: Value | None, names: Mapping[str, float], places: dict[object, Place]) -> list[Frame]:
    """Return the frames of a list, and put where each stands among the places. Raises ModelError."""
    frames = []
    for item in value.items() if value else ():
        entries = item.section(FRAME, "a frame")
        for key in ("frame", "link"):
            if key not in entries:
                raise ModelError(f"a frame has no {key}", at=item.at, fix=f"add {key}: and its name")
        pose: Float[np.ndarray, "4 4"] = read_pose(entries, names)
        frames.append(Frame(entries["frame"].text(), entries["link"].text(), pose))
        places[frames[-1]] = item.at
    return frames
