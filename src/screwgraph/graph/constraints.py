"""The independent constraints of closed chains: rows of loops and couplings that are kept, and their multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.graph.loop_ends import check_wrenches
from screwgraph.graph.variable import Key
from screwgraph.model.robot import Chain, Coupling, Joint, Robot, chain_of


@dataclass(frozen=True, eq=False)
class CouplingLaw:
    """A coupling and its joints that move; others stand at zero."""

    coupling: Coupling
    joints: tuple[Joint, ...]

    def gradient(self, q: Sequence[Any]) -> Any:
        """Return the derivatives of the equation by the positions of `joints`, given if it is no linear one."""
        slopes = self.coupling.gradient(self._all(q))
        return [slopes[i] for i in self._places]

    def curvature(self, q: Sequence[Any], qd: Sequence[Any]) -> Any:
        """Return what velocities add to the equation's second time derivative."""
        return self.coupling.curvature(self._all(q), self._all(qd))

    def place(self, joint: str) -> int:
        """Return the number of a joint among `joints`."""
        return [j.name for j in self.joints].index(joint)

    @property
    def _places(self) -> list[int]:
        moving = {joint.name for joint in self.joints}
        return [i for i, name in enumerate(self.coupling.joints) if name in moving]

    def _all(self, vectors: Sequence[Any]) -> list[Any]:
        values: list[Any] = [0.0] * len(self.coupling.joints)
        for i, vector in zip(self._places, vectors, strict=False):
            values[i] = vector[0]
        return values


@dataclass(frozen=True, eq=False)
class Constraint:
    """A loop or coupling that takes `rows` motions away; `index` numbers it, after the links."""

    law: Chain | CouplingLaw
    name: str
    rows: int
    index: int

    @property
    def multiplier(self) -> Key:
        """The variable of its wrench or torque: one number a row."""
        return Key("lambda", self.name)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose motions it ties."""
        return self.law.joints


def independent_constraints(robot: Robot) -> tuple[Constraint, ...]:
    """Return the loops and couplings of a robot, less rows that follow from others (`robot.mobility`).

    Raises:
        InputError: no position closes the loops.
    """
    if not robot.is_closed:
        return ()
    kept, start, found = set(robot.mobility.kept), 0, []
    first = len(robot.links)
    for number, loop in enumerate(robot.loops):
        own = tuple(i for i in range(loop.rows) if start + i in kept)
        start += loop.rows
        if own:
            check_wrenches(loop)
            found.append(Constraint(chain_of(robot, loop, own), loop.name, len(own), first + number))
    first += len(robot.loops)
    for number, coupling in enumerate(robot.couplings):
        joints = [robot.joint(name) for name in coupling.joints]
        if start + number in kept:
            moving = tuple(joint for joint in joints if joint.type.nv)
            found.append(Constraint(CouplingLaw(coupling, moving), coupling.name, 1, first + number))
    return tuple(found)
