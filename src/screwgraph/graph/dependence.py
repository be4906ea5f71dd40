"""Which joint rates of a closed chain follow from others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from screwgraph.graph.variable import Key
from screwgraph.robot import Robot, independent_coordinates


@dataclass(frozen=True, eq=False)
class Dependence:
    """What a closed chain's independent joints determine: found when asked for, since that takes time."""

    robot: Robot

    @cached_property
    def rates(self) -> frozenset[tuple[Key, int]]:
        """The scalars of `qdd` that follow from those of the independent joints.

        Raises:
            InputError: no joints determine the others, or those that were chosen do not.
        """
        independent = set(independent_coordinates(self.robot))
        places = [(Key("qdd", j.name), i) for j in self.robot.joints for i in range(j.type.nv)]
        return frozenset(place for number, place in enumerate(places) if number not in independent)
