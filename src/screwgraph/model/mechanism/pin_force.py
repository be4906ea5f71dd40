"""The force that a body of a mechanism gets at one of its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.model.mechanism.constraints import coordinate_value
from screwgraph.model.mechanism.equations import forces
from screwgraph.model.mechanism.force_balance import ConstraintRows
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.parts import Angle
from screwgraph.spatial import gradient


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows of a constraint that a body holds, and the first of the two arguments of it that are the point."""

    rows: ConstraintRows
    place: int


@dataclass(frozen=True, eq=False)
class PinForce:
    """The force (N) on body `number` at its point `point`, from the pin there and all that is hung on it.

    It is what the body's inertia takes, less weight and torques, and what its own constraints take: rods, further
    points, and angles of its line, by which motors turn it. The pins have no mass: forces on all bodies at a point add
    to those of springs, dampers, forces, guides and the ground there. Garcia de Jalon & Bayo (1994), section 5.1.
    """

    __repr__ = one_line

    mechanism: Mechanism
    number: int
    point: int
    held: tuple[HeldRows, ...]

    @cached_property
    def alone(self) -> Mechanism:
        """The body alone, all its points free, with its weight and torques."""
        whole, body = self.mechanism, self.mechanism.bodies[self.number]
        return replace(
            whole,
            points=tuple(replace(whole.points[i], fixed=False) for i in body.points),
            bodies=(replace(body, points=tuple(range(len(body.points)))),),
            torques=tuple(replace(t, body=0) for t in whole.torques if t.body == self.number),
            **dict.fromkeys(("angles", "sliders", "gears", "springs", "dampers", "forces", "motors"), ()),
        )

    @property
    def accelerations(self) -> tuple[int, ...]:
        """The coordinates whose accelerations take part."""
        return tuple(slot for slot in self._slots[:4] if isinstance(slot, int))

    @property
    def positions(self) -> tuple[int, ...]:
        """The coordinates whose positions take part."""
        own = [slot for slot in self._slots if isinstance(slot, int)]
        return tuple(sorted({*own, *(i for held in self.held for i in held.rows.coordinates)}))

    def force(self, q: Mapping[int, Any], qdd: Mapping[int, Any], multipliers: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the force along x and y, given the multipliers of the constraints that are `held`."""
        alone = self.alone
        place = self.mechanism.bodies[self.number].points.index(self.point)
        where = [coordinate_value(q, slot) for slot in self._slots]
        pushed, masses = forces(alone, where, [0.0] * alone.n), compute_mass_entries(alone)
        total = [-pushed[2 * place + k] for k in range(2)]
        for (i, j), mass in masses.items():
            if i // 2 == place and isinstance(self._slots[j], int):
                total[i % 2] = total[i % 2] + mass * qdd[self._slots[j]]
        for held, own in zip(self.held, multipliers, strict=True):
            slopes = _slopes(held, q)
            for k, row in enumerate(held.rows.kept):
                total = [x + slope * own[k] for x, slope in zip(total, slopes[row], strict=True)]
        return total

    @cached_property
    def _slots(self) -> tuple[Any, ...]:
        body = self.mechanism.bodies[self.number]
        return tuple(slot for point in body.points for slot in self.mechanism.point_slots[point])


def _slopes(held: HeldRows, q: Mapping[int, Any]) -> list[list[Any]]:
    """Return the derivatives of a constraint by the two arguments that are a point, fixed or not."""
    constraint = held.rows.constraint
    values = {i: coordinate_value(q, slot) for i, slot in enumerate(constraint.slots)}

    def residual(x: Mapping[int, Any]) -> Sequence[Any]:
        return constraint.template(*x.values(), **constraint.constants)

    return gradient(residual, values, (held.place, held.place + 1))


def make_pin_forces(mechanism: Mechanism, constraints: Sequence[ConstraintRows]) -> dict[str, PinForce]:
    """Return the force on each body at each of its points, called "body.point"; bodies that stand still have none."""
    lines, found = _find_lines(mechanism), {}
    for number, body in enumerate(mechanism.bodies):
        if all(mechanism.points[i].fixed for i in body.points):
            continue
        for point in body.points:
            held = [
                HeldRows(rows, place)
                for rows in constraints
                for place in _find_places(mechanism, rows, number, point, lines)
            ]
            name = f"{body.name}.{mechanism.points[point].name}"
            found[name] = PinForce(mechanism, number, point, tuple(held))
    return found


def _find_lines(mechanism: Mechanism) -> dict[tuple[str, int], int]:
    """Return the body that holds each line of an angle, by the angle's part and the line's first argument."""
    found = {}
    for angle in mechanism.angles:
        for place, line in _list_lines(angle):
            bodies = [n for n, body in enumerate(mechanism.bodies) if set(line) <= set(body.points)]
            if bodies:
                found[f"angle {angle.name!r}", place] = bodies[0]
    return found


def _list_lines(angle: Angle) -> list[tuple[int, tuple[int, int]]]:
    lines = [angle.of] if angle.origin is None else [angle.origin, angle.of]
    return [(4 * i, line) for i, line in enumerate(lines)]


def _find_places(
    mechanism: Mechanism, rows: ConstraintRows, number: int, point: int, lines: Mapping[tuple[str, int], int]
) -> list[int]:
    """Return the arguments of a constraint that are a point of a body which holds it: each the first of two."""
    part, slots, own = rows.constraint.part, rows.constraint.slots, mechanism.point_slots[point]
    if part == f"body {mechanism.bodies[number].name!r}":
        return [i for i in range(0, len(slots), 2) if slots[i : i + 2] == own]
    firsts = [first for (name, first), body in lines.items() if name == part and body == number]
    return [i for first in firsts for i in (first, first + 2) if slots[i : i + 2] == own]
