"""Actuators along single velocity coordinates: jets, propellers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.actuator import Actuator, ActuatorReading, ActuatorWriting, Lever
from screwgraph.spatial import Array, vector

if TYPE_CHECKING:
    from screwgraph.model.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class ConstantLever(Lever):
    """Lever arms that are the same at all positions, on coordinates of `joints`."""

    __repr__ = Lever.__repr__

    constant: tuple[tuple[float, ...], ...]

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        return [vector(list(arms)) for arms in self.constant]


@dataclass(frozen=True, eq=False)
class Thruster(Actuator):
    """An actuator along single velocity coordinates, with constant lever arms: {"base[3]": 1, "base[1]": 0.2}.

    `base[3]` is the fourth coordinate of the joint `base`. Those of a floating base are its twist (omega, v) in the
    body's own axes, those of a planar one are along its parent's. It has no displacement.
    """

    __repr__ = Actuator.__repr__

    terms: Mapping[str, float]

    @classmethod
    def read(cls, name: str, entries: Mapping[str, Any], reading: ActuatorReading) -> Thruster:
        terms = {
            place: reading.numbers(value.called(f"actuator {name!r}: {place}"), 1)[0]
            for place, value in entries["terms"].mapping().items()
        }
        return cls(name, terms)

    def entries(self, writing: ActuatorWriting) -> dict[str, Any]:
        return {"terms": dict(self.terms)}

    @property
    def text(self) -> str:
        return " + ".join(f"{arm:g} {coordinate}" for coordinate, arm in self.terms.items())

    @property
    def has_constant_arms(self) -> bool:
        return True

    @property
    def places(self) -> Mapping[str, Mapping[int, float]]:
        """The lever arms by joint, and by number of its coordinate."""
        found: dict[str, dict[int, float]] = {}
        for name, arm in self.terms.items():
            joint, number = split_coordinate(name)
            found.setdefault(joint, {})[number] = arm
        return found

    def check(self, robot: Robot, at: object) -> None:
        sizes = {joint.name: joint.type.nv for joint in robot.joints}
        for name in self.terms:
            said, (joint, number) = f"{self.who} acts on {name!r}", split_coordinate(name)
            if joint not in sizes:
                raise ModelError(said, at=at, why="no joint has that name")
            if number >= sizes[joint]:
                raise ModelError(said, at=at, why=f"joint {joint!r} has {sizes[joint]} coordinates, from 0 on")
            if "[" not in name and sizes[joint] > 1:
                raise ModelError(said, at=at, why="it has several coordinates", fix=f"name one: {name}[0]")
        if self.force is not None:
            raise ModelError(
                f"{self.who} has a law of force", at=at, why="it has no displacement", fix="give it a displacement"
            )

    def lever(self, robot: Robot) -> Lever:
        pushed = tuple(robot.joint(name) for name in self.places)
        arms = (tuple(self.places[j.name].get(i, 0.0) for i in range(j.type.nv)) for j in pushed)
        return ConstantLever(pushed, tuple(arms))

    def with_fixed(self, positions: Mapping[str, float]) -> Thruster | None:
        left = {name: arm for name, arm in self.terms.items() if split_coordinate(name)[0] not in positions}
        return replace(self, terms=left) if left else None

    def with_prefix(self, prefix: str) -> Thruster:
        return replace(self, name=prefix + self.name, terms={prefix + name: arm for name, arm in self.terms.items()})


def split_coordinate(name: str) -> tuple[str, int]:
    """Return the joint of a coordinate and its number there: `base[3]` is ("base", 3), a joint alone its first."""
    joint, bracket, number = name.rpartition("[")
    return (joint, int(number[:-1])) if bracket and number.endswith("]") and number[:-1].isdigit() else (name, 0)
