"""Actuators whose displacement is a function of joint positions: gears, differentials, tendons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.actuator import Actuator, ActuatorReading, ActuatorWriting, Lever
from screwgraph.model.robot.actuators.thruster import Thruster
from screwgraph.model.robot.coupling import Coupling
from screwgraph.spatial import Array, vector

if TYPE_CHECKING:
    from screwgraph.model.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class DisplacementLever(Lever):
    """The lever arms of a displacement that is a function of positions; `joints` are those of its joints that move."""

    __repr__ = Lever.__repr__

    of: Coupling

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        slopes = dict(zip(self.of.joints, self.of.gradient(self._positions(q)), strict=True))
        return [vector([slopes[joint.name]]) for joint in self.joints]

    def displacement(self, q: Sequence[Float[Array, " nq"]]) -> Any:
        return self.of(self._positions(q))

    def _positions(self, q: Sequence[Float[Array, " nq"]]) -> Float[Array, " n"]:
        at = {joint.name: position[0] for joint, position in zip(self.joints, q, strict=True)}
        return vector([at.get(name, 0.0) for name in self.of.joints])


@dataclass(frozen=True, eq=False)
class Transmission(Actuator):
    """An actuator whose displacement is a function of joint positions, as of `Coupling`: zero where that holds."""

    __repr__ = Actuator.__repr__

    name: str = field(init=False, default="")
    displacement: Coupling

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.displacement.name)

    keys: ClassVar[Mapping[str, tuple[str, str, str]]] = {
        "terms": ("lever arms on joints, or on coordinates `base[3]`: tau = B u", "{joint: number}", "1, m"),
        "displacement": ("in the place of terms: its displacement as a function of positions", "text", "rad, m"),
        "joints": ("words of the displacement that stand for joints", "{word: joint}", ""),
    }

    @classmethod
    def read(cls, name: str, entries: Mapping[str, Any], reading: ActuatorReading) -> Actuator:
        if "terms" in entries and any("[" in coordinate for coordinate in entries["terms"].mapping()):
            return Thruster.read(name, entries, reading)
        return cls(reading.displacement(name, entries))

    def entries(self, writing: ActuatorWriting) -> dict[str, Any]:
        return writing.displacement(self.displacement)

    @property
    def text(self) -> str:
        return self.displacement.text().rpartition(" = ")[0]

    @property
    def has_constant_arms(self) -> bool:
        return self.force is None and self.displacement.is_linear

    def check(self, robot: Robot, at: object) -> None:
        if not self.displacement.joints:
            raise ModelError(f"{self.who} moves no joint", at=at, fix="name at least one joint")
        sizes = {joint.name: joint.type.nq for joint in robot.joints}
        for name in self.displacement.joints:
            if sizes.get(name, 2) > 1:
                raise ModelError(
                    f"{self.who} acts on {name!r}",
                    at=at,
                    why="it has several coordinates" if name in sizes else "no joint has that name",
                    fix="name joints of one coordinate, or terms: {base[2]: ...}",
                )

    def lever(self, robot: Robot) -> Lever:
        joints = (robot.joint(name) for name in self.displacement.joints)
        moving = tuple(joint for joint in joints if joint.type.nv)
        return DisplacementLever(moving, self.displacement, law=self.force)

    def with_fixed(self, positions: Mapping[str, float]) -> Transmission | None:
        reduced = self.displacement.with_fixed(positions)
        return replace(self, displacement=reduced) if reduced.joints else None

    def with_prefix(self, prefix: str) -> Transmission:
        return replace(self, displacement=self.displacement.with_prefix(prefix))
