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
from screwgraph.model.mechanism.parts import ORIGIN, Body
from screwgraph.spatial import gradient


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows of a constraint that a body holds, and the first of the arguments of it that are the point."""

    rows: ConstraintRows
    place: int


@dataclass(frozen=True, eq=False)
class PinForce:
    """The force (N) on body `number` at its point `point`, from the pin there and all that is hung on it.

    It is what the body's inertia takes, less weight and torques, and what its own constraints take: rods, further
    points, and angles of its line, by which motors turn it. The pins have no mass: forces on all bodies at a point add
    to those of springs, dampers, forces, guides and the ground there. In space, vectors that bodies share pass on
    moments beside them. Garcia de Jalon & Bayo (1994), section 5.1.
    """

    __repr__ = one_line

    mechanism: Mechanism
    number: int
    point: int
    held: tuple[HeldRows, ...]

    @cached_property
    def alone(self) -> Mechanism:
        """The body alone, all its points and vectors free, with its weight and torques."""
        whole, body = self.mechanism, self.mechanism.bodies[self.number]
        count, vectors = len(body.points), [whole.vectors[i - len(whole.points)] for i in body.vectors]
        own = {"points": tuple(range(count)), "vectors": tuple(range(count, count + len(vectors)))}
        rest = ("angles", "sliders", "constant_angles", "gears", "springs", "dampers", "forces", "motors")
        return replace(
            whole,
            points=tuple(replace(whole.points[i], fixed=False) for i in body.points),
            vectors=tuple(replace(vector, fixed=False) for vector in vectors),
            bodies=(replace(body, **own),),
            torques=tuple(replace(t, body=0) for t in whole.torques if t.body == self.number),
            **dict.fromkeys(rest, ()),
        )

    @property
    def accelerations(self) -> tuple[int, ...]:
        """The coordinates whose accelerations take part."""
        slots = (self._slots[j] for j in sorted({j for _, j in self._masses}))
        return tuple(slot for slot in slots if isinstance(slot, int))

    @property
    def positions(self) -> tuple[int, ...]:
        """The coordinates whose positions take part."""
        own = [slot for slot in self._slots if isinstance(slot, int)]
        return tuple(sorted({*own, *(i for held in self.held for i in held.rows.coordinates)}))

    def force(self, q: Mapping[int, Any], qdd: Mapping[int, Any], multipliers: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the force along the axes of the ground (d,), given the multipliers of the constraints `held`."""
        alone, d = self.alone, self.mechanism.dimension
        first = d * self.mechanism.bodies[self.number].points.index(self.point)
        where = [coordinate_value(q, slot) for slot in self._slots]
        pushed = forces(alone, where, [0.0] * alone.n)
        total = [-push for push in pushed[first : first + d]]
        for (i, j), mass in self._masses.items():
            if first <= i < first + d and isinstance(self._slots[j], int):
                total[i - first] = total[i - first] + mass * qdd[self._slots[j]]
        for held, own in zip(self.held, multipliers, strict=True):
            slopes = _slopes(held, q, d)
            for k, row in enumerate(held.rows.kept):
                total = [x + slope * own[k] for x, slope in zip(total, slopes[row], strict=True)]
        return total

    @cached_property
    def _masses(self) -> Mapping[tuple[int, int], Any]:
        """The entries of the mass matrix of the body alone."""
        return compute_mass_entries(self.alone)

    @cached_property
    def _slots(self) -> tuple[Any, ...]:
        body = self.mechanism.bodies[self.number]
        return tuple(slot for end in (*body.points, *body.vectors) for slot in self.mechanism.point_slots[end])


def _slopes(held: HeldRows, q: Mapping[int, Any], d: int) -> list[list[Any]]:
    """Return the derivatives of a constraint by the arguments that are a point, fixed or not."""
    constraint = held.rows.constraint
    values = {i: coordinate_value(q, slot) for i, slot in enumerate(constraint.slots)}

    def residual(x: Mapping[int, Any]) -> Sequence[Any]:
        return constraint.template(*x.values(), **constraint.constants)

    return gradient(residual, values, range(held.place, held.place + d))


def make_pin_forces(mechanism: Mechanism, constraints: Sequence[ConstraintRows]) -> dict[str, PinForce]:
    """Return the force on each body at each of its points, called "body.point"; bodies that stand still have none."""
    found = {}
    for number, body in enumerate(mechanism.bodies):
        if all(mechanism.points[i].fixed for i in body.points) and not _turns(mechanism, body):
            continue
        for point in body.points:
            places = ((rows, place) for rows in constraints for place in _find_places(mechanism, rows, number, point))
            name = f"{body.name}.{mechanism.points[point].name}"
            found[name] = PinForce(mechanism, number, point, tuple(HeldRows(*held) for held in places))
    return found


def _turns(mechanism: Mechanism, body: Body) -> bool:
    """Return whether a body in space, all of whose points are fixed, turns about these."""
    return any(not mechanism.vectors[i - len(mechanism.points)].fixed for i in body.vectors)


def _find_places(mechanism: Mechanism, rows: ConstraintRows, number: int, point: int) -> list[int]:
    """Return the arguments of a constraint that are a point of a body which holds it: each the first of the point.

    A body holds its own constraints; of angles, the lines that no body before it holds.
    """
    d, ends = mechanism.dimension, rows.constraint.ends
    if rows.constraint.part == f"body {mechanism.bodies[number].name!r}":
        return [d * i for i, end in enumerate(ends) if end == point]
    lines = [(i, ends[i : i + 2]) for i in range(0, len(ends), 2)]
    held = [(i, line) for i, line in lines if _find_holder(mechanism, line) == number]
    return [d * (i + k) for i, line in held for k, end in enumerate(line) if end == point]


def _find_holder(mechanism: Mechanism, line: tuple[int, ...]) -> int | None:
    """Return the first body that holds both ends of a line; None where there is none."""
    holders = (n for n, body in enumerate(mechanism.bodies) if set(line) <= {ORIGIN, *body.points, *body.vectors})
    return next(holders, None) if set(line) != {ORIGIN} else None
