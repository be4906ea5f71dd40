"""A planar mechanism described in plain values: what `info` prints as tables or as JSON."""

from __future__ import annotations

from typing import Any

from screwgraph import Mechanism
from screwgraph.ui.cli.console import make_output_console
from screwgraph.ui.cli.table_style import make_table

SECTIONS = ("sliders", "gears", "springs", "dampers", "forces", "torques", "sensors")


def describe_mechanism(mechanism: Mechanism) -> dict[str, Any]:
    """Describe a mechanism in values that JSON has, SI units; `home` are its coordinates as assembled.

    Raises ModelError where it cannot be assembled.
    """
    freedom, rows = mechanism.freedom, mechanism.closing_program.parts
    return {
        "name": mechanism.name,
        "n": mechanism.n,
        "dof": freedom.dof,
        "mass": sum(body.mass for body in mechanism.bodies),
        "gravity": list(mechanism.gravity),
        "points": [{"name": p.name, "x": p.x, "y": p.y, "fixed": p.fixed} for p in mechanism.points],
        "bodies": [
            {
                "name": body.name,
                "points": [mechanism.points[i].name for i in body.points],
                "mass": body.mass,
                "inertia": body.inertia,
                "com": list(body.com),
                "length": body.length,
            }
            for body in mechanism.bodies
        ],
        "angles": [angle.name for angle in mechanism.angles],
        **{section: [part.name for part in getattr(mechanism, section)] for section in SECTIONS},
        "coordinates": list(mechanism.coordinates),
        "home": mechanism.home.tolist(),
        "independent": list(mechanism.independent_coordinates),
        "motors": list(mechanism.motor_names),
        "warnings": list(mechanism.warnings),
        "constraints": {"rows": len(rows), "redundant": [rows[i] for i in range(len(rows)) if i not in freedom.kept]},
    }


def print_mechanism(content: dict[str, Any]) -> None:
    """Print a description as tables."""
    console, rows = make_output_console(), content["constraints"]
    degrees = f"{content['dof']} degree{'s' if content['dof'] != 1 else ''} of freedom"
    console.print(f"{content['name']}: {content['n']} coordinates, {degrees}, {content['mass']:g} kg", style="bold")
    bodies = make_table("bodies", "body", "points", "length", "mass", "inertia", "center of mass")
    for body in content["bodies"]:
        com = ", ".join(f"{x:.4g}" for x in body["com"])
        cells = (f"{body['length']:.4g} m", f"{body['mass']:.4g} kg", f"{body['inertia']:.4g} kg m^2", f"{com} m")
        bodies.add_row(body["name"], ", ".join(body["points"]), *cells)
    console.print(bodies)
    coordinates = make_table("coordinates", "coordinate", "assembled", "")
    for name, value in zip(content["coordinates"], content["home"], strict=True):
        marks = [
            word for word, names in (("independent", "independent"), ("motor", "motors")) if name in content[names]
        ]
        coordinates.add_row(name, f"{value:.6g} {'m' if ':' in name else 'rad'}", ", ".join(marks))
    console.print(coordinates)
    for section in SECTIONS:
        if content[section]:
            console.print(f"{section}: {', '.join(content[section])}")
    redundant = f", redundant: {', '.join(rows['redundant'])}" if rows["redundant"] else ""
    console.print(f"constraints: {rows['rows']} rows{redundant}")
