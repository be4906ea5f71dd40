"""The description of a robot or a mechanism as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.ui.cli.console import make_output_console, make_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SECTIONS = ("sliders", "constant_angles", "gears", "springs", "dampers", "forces", "torques", "contacts", "sensors")
"""Parts of a mechanism of which the names are shown."""
_PARAMETERS = ("axis", "axis2", "pitch")


def print_description(robot: Mapping[str, Any]) -> None:
    """Print what `description` says about a robot."""
    console = make_output_console()
    parts = _format_count(robot, "links"), _format_count(robot, "joints"), _closing(robot)
    console.print(
        f"{robot['name']}: {', '.join(parts)}, nq {robot['nq']}, nv {robot['nv']}",
        style="bold",
    )
    console.print(f"mass {robot['mass']:.6g} kg, {robot['moving_mass']:.6g} kg of it moved by joints")
    console.print(f"gravity {_format_numbers(robot['gravity'])} m/s², base {robot['base']}\n")
    tables = (_joints(robot["joints"]), _loops(robot), _links(robot["links"]), _frames(robot["frames"]))
    for table in tables:
        if table.row_count:
            console.print(table, "")
    for line in _mobility(robot["mobility"]):
        console.print(line)
    for actuator in robot["actuators"]:
        console.print(f"actuator {actuator['name']} drives {actuator['drives']}")
    for line in _remarks(robot):
        console.print(line)
    _print_warnings(console, robot["warnings"])


def _print_warnings(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(f"warning: {line}", style="yellow")


def _joints(joints: Iterable[Mapping[str, Any]]) -> Table:
    table = make_table("joints", "#", "name", "type", "parent -> child", "axis", "position", "velocity", "effort")
    for joint in joints:
        limits, units = joint["limits"], joint["units"]
        table.add_row(
            str(joint["index"]),
            joint["name"],
            joint["type"],
            f"{joint['parent']} -> {joint['child']}",
            _axis(joint),
            _interval(limits["lower"], limits["upper"], units["position"][0]),
            _format_bound(limits["velocity"], units["velocity"][0]),
            _format_bound(limits["effort"], units["effort"][0]),
        )
    return table


def _closing(robot: Mapping[str, Any]) -> str:
    return ", ".join(_format_count(robot, what) for what in ("loops", "couplings") if robot[what]) or "no loops"


def _format_count(robot: Mapping[str, Any], what: str) -> str:
    count = len(robot[what])
    return f"{count} {what if count != 1 else what[:-1]}"


def _loops(robot: Mapping[str, Any]) -> Table:
    table = make_table("loops and couplings", "name", "type", "ties", "axis")
    for loop in robot["loops"]:
        ends = f"{loop['predecessor']} -> {loop['successor']}"
        table.add_row(loop["name"], loop["type"], ends, _axis(loop))
    for coupling in robot["couplings"]:
        table.add_row(coupling["name"], "linear" if coupling["linear"] else "equation", coupling["equation"], "-")
    return table


EXACT = 1e-12
"""Singular values of K below this part of the largest are rounding here, not in the file."""


def _mobility(mobility: Mapping[str, Any] | None) -> list[str]:
    """Say what the constraints leave free, Gruebler's count beside the rank of K at random closed positions."""
    if mobility is None:
        return []
    lines = [
        f"mobility {mobility['freedom']}: {mobility['rank']} of {mobility['rows']} constraints are independent at "
        f"{mobility['states']} random closed positions; Gruebler's count is {mobility['gruebler']}"
    ]
    lines += [_factor_line(factor) for factor in mobility["factors"]]
    lines += [f"cluster: {', '.join(cluster)} move as one joint" for cluster in mobility["clusters"]]
    if mobility["redundant"]:
        lines.append(f"redundant constraints, dropped: {', '.join(mobility['redundant'])}")
    if mobility["neglected"] > EXACT:
        lines.append(
            f"their relative deviation from redundancy, {mobility['neglected']:.1e}, is taken for rounding in the file"
        )
    if mobility["singular"]:
        lines.append(f"singular positions found: {mobility['singular']} of {mobility['states']}")
    if mobility["freedom"] == 0:
        lines.append("the mechanism is locked")
    if mobility["independent_joints"]:
        lines.append(f"independent joints: {', '.join(mobility['independent_joints'])}")
    return [*lines[:-1], f"{lines[-1]}\n"]


def _factor_line(factor: Mapping[str, Any]) -> str:
    """Say of a loop which rows its factor has, and why."""
    name, kept, rows = factor["loop"], factor["kept"], factor["rows"]
    if len(kept) == rows:
        return f"loop {name}: all {rows} constraints kept"
    chosen = "planar factor, chosen since the axes around it are parallel: keeps" if factor["planar"] else "keeps"
    return f"loop {name}: {chosen} {', '.join(kept) or 'none'} ({len(kept)} of {rows})"


def _links(links: Iterable[Mapping[str, Any]]) -> Table:
    table = make_table("links", "#", "name", "mass", "centre of mass")
    for link in links:
        com = f"{_format_numbers(link['com'])} m" if link["mass"] else "-"
        table.add_row(str(link["index"]), link["name"], f"{link['mass']:.6g} kg", com)
    return table


def _frames(frames: Iterable[Mapping[str, Any]]) -> Table:
    table = make_table("frames", "name", "on link")
    for frame in frames:
        table.add_row(frame["name"], frame["link"])
    return table


def _remarks(robot: Mapping[str, Any]) -> list[str]:
    rubbing = [f"{joint['name']} {joint['friction']:g}" for joint in robot["joints"] if joint["friction"]]
    lines = (
        ("massless moving links", robot["massless_links"]),
        ("Coulomb friction (in simulations with friction=True)", rubbing),
    )
    return [f"{what}: {', '.join(items)}" for what, items in lines if items]


def _axis(joint: Mapping[str, Any]) -> str:
    given = [(name, joint[name]) for name in _PARAMETERS if joint.get(name) is not None]
    return (
        ", ".join(_format_numbers(v) if isinstance(v, tuple) else f"{name} {v:.6g} m/rad" for name, v in given) or "-"
    )


def _interval(lower: float | None, upper: float | None, unit: str) -> str:
    if lower is None and upper is None:
        return "-"
    return f"{'-inf' if lower is None else f'{lower:.5g}'} .. {'inf' if upper is None else f'{upper:.5g}'} {unit}"


def _format_bound(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:.5g} {unit}"


def _format_numbers(numbers: Iterable[float]) -> str:
    return " ".join(f"{number:.5g}" for number in numbers)


def print_mechanism(content: dict[str, Any]) -> None:
    """Print a description as tables."""
    console, rows = make_output_console(), content["constraints"]
    degrees = f"{content['dof']} degree{'s' if content['dof'] != 1 else ''} of freedom"
    console.print(f"{content['name']}: {content['n']} coordinates, {degrees}, {content['mass']:g} kg", style="bold")
    bodies = make_table("bodies", "body", "points", "length", "mass", "inertia", "center of mass")
    for body in content["bodies"]:
        com, inertia = (", ".join(f"{x:.4g}" for x in np.ravel(body[key])) for key in ("com", "inertia"))
        cells = (f"{body['length']:.4g} m", f"{body['mass']:.4g} kg", f"{inertia} kg m^2", f"{com} m")
        bodies.add_row(body["name"], ", ".join(body["points"]), *cells)
    console.print(bodies)
    coordinates = make_table("coordinates", "coordinate", "assembled", "")
    for name, value, unit in zip(*(content[key] for key in ("coordinates", "home", "units")), strict=True):
        kinds = (("independent", "independent"), ("motor", "motors"), ("driven", "driven"))
        marks = [word for word, names in kinds if name in content[names]]
        coordinates.add_row(name, f"{value:.6g} {unit}".rstrip(), ", ".join(marks))
    console.print(coordinates)
    for section in SECTIONS:
        if content[section]:
            console.print(f"{section}: {', '.join(content[section])}")
    redundant = f", redundant: {', '.join(rows['redundant'])}" if rows["redundant"] else ""
    console.print(f"constraints: {rows['rows']} rows{redundant}")
    _print_warnings(console, content["warnings"])
