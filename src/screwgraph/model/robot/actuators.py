"""Actuators whose efforts reach joints through a transmission; a new kind is a class here and a line in `Actuator`.

An actuator with effort u (N m or N) and displacement l(q) (rad or m) delivers the power u dl/dt, so that it causes the
joint torques tau = (dl/dq)' u: gears, differentials, tendons, motors on joints that close loops. Chignoli et al.
(2023), footnote 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.parts import Joint, Loop


@dataclass(frozen=True, eq=False)
class Transmission:
    """An actuator whose displacement is a function of joint positions, as of `Coupling`; its zero is free."""

    displacement: Coupling

    @property
    def name(self) -> str:
        """Name of the actuator."""
        return self.displacement.name

    def __repr__(self) -> str:
        return f"<actuator {self.name!r}: {self.text}>"

    @property
    def text(self) -> str:
        """Print the displacement."""
        return self.displacement.text().rpartition(" = ")[0]

    def with_fixed(self, positions: Mapping[str, float]) -> Transmission | None:
        """Return the actuator with some joints fixed; None where nothing of it moves."""
        reduced = self.displacement.with_fixed(positions)
        return replace(self, displacement=reduced) if reduced.joints else None


@dataclass(frozen=True)
class LoopMotor:
    """An actuator on the joint of one coordinate that closes a loop."""

    name: str
    loop: str

    def __repr__(self) -> str:
        return f"<actuator {self.name!r}: {self.text}>"

    @property
    def text(self) -> str:
        """Print what it drives."""
        return f"the joint of loop {self.loop!r}"

    def with_fixed(self, positions: Mapping[str, float]) -> LoopMotor:
        """Return the actuator as it is: its loop tells whether it moves."""
        return self


@dataclass(frozen=True, eq=False)
class Thruster:
    """An actuator along single velocity coordinates, with constant lever arms: {"base[3]": 1, "base[1]": 0.2}.

    `base[3]` is the fourth coordinate of the joint `base`. Those of a floating base are its twist (omega, v) in the
    body's own axes, those of a planar one are along its parent's.
    """

    name: str
    terms: Mapping[str, float]

    def __repr__(self) -> str:
        return f"<actuator {self.name!r}: {self.text}>"

    @property
    def text(self) -> str:
        """Print the coordinates that it pushes."""
        return " + ".join(f"{arm:g} {coordinate}" for coordinate, arm in self.terms.items())

    @property
    def places(self) -> Mapping[str, Mapping[int, float]]:
        """The lever arms by joint, and by number of its coordinate."""
        found: dict[str, dict[int, float]] = {}
        for name, arm in self.terms.items():
            joint, number = split_coordinate(name)
            found.setdefault(joint, {})[number] = arm
        return found

    def with_fixed(self, positions: Mapping[str, float]) -> Thruster | None:
        """Return the actuator with some joints fixed; None where nothing of it moves."""
        left = {name: arm for name, arm in self.terms.items() if split_coordinate(name)[0] not in positions}
        return replace(self, terms=left) if left else None


def split_coordinate(name: str) -> tuple[str, int]:
    """Return the joint of a coordinate and its number there: `base[3]` is ("base", 3), a joint alone its first."""
    joint, bracket, number = name.partition("[")
    return (joint, int(number[:-1])) if bracket and number.endswith("]") and number[:-1].isdigit() else (name, 0)


Actuator = Transmission | LoopMotor | Thruster


def check_actuators(
    actuators: Sequence[Actuator], joints: Sequence[Joint], loops: Sequence[Loop], where: Callable[[Any], object]
) -> None:
    """Check names, joints and loops of actuators. Raises ModelError."""
    seen: set[str] = set()
    sizes = {joint.name: joint.type.nq for joint in joints}
    by_name = {loop.name: loop for loop in loops}
    for actuator in actuators:
        who, at = f"actuator {actuator.name!r}", where(actuator)
        if actuator.name in seen:
            raise ModelError(f"two actuators are called {actuator.name!r}", at=at, fix="rename one")
        seen.add(actuator.name)
        if isinstance(actuator, LoopMotor):
            _check_loop(who, actuator, by_name, at)
            continue
        if isinstance(actuator, Thruster):
            _check_thruster(who, actuator, {joint.name: joint.type.nv for joint in joints}, at)
            continue
        if not actuator.displacement.joints:
            raise ModelError(f"{who} moves no joint", at=at, fix="name at least one joint")
        for name in actuator.displacement.joints:
            if sizes.get(name, 2) > 1:
                why = "it has several coordinates" if name in sizes else "no joint has that name"
                raise ModelError(
                    f"{who} acts on {name!r}",
                    at=at,
                    why=why,
                    fix="name joints of one coordinate, or terms: {base[2]: ...}",
                )


def _check_thruster(who: str, thruster: Thruster, sizes: Mapping[str, int], at: object) -> None:
    for name in thruster.terms:
        joint, number = split_coordinate(name)
        if joint not in sizes:
            raise ModelError(f"{who} acts on {name!r}", at=at, why="no joint has that name")
        if number >= sizes[joint]:
            raise ModelError(
                f"{who} acts on {name!r}", at=at, why=f"joint {joint!r} has {sizes[joint]} coordinates, from 0 on"
            )
        if "[" not in name and sizes[joint] > 1:
            raise ModelError(
                f"{who} acts on {name!r}", at=at, why="it has several coordinates", fix=f"name one: {name}[0]"
            )


def _check_loop(who: str, motor: LoopMotor, loops: Mapping[str, Loop], at: object) -> None:
    loop = loops.get(motor.loop)
    if loop is None or loop.type.nv != 1:
        why = "no loop has that name" if loop is None else f"its joint has {loop.type.nv} degrees of freedom"
        raise ModelError(f"{who} drives loop {motor.loop!r}", at=at, why=why, fix="name a loop joint of one coordinate")
