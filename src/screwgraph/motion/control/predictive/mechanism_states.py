"""Coordinates of a mechanism that are states of a horizon: those of its motors, if they drive all motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT
from screwgraph.mechanics.dynamics.motors import find_driving_coordinates
from screwgraph.mechanics.kinematics.mechanism_motion import find_frames
from screwgraph.model.functions_of_time import refuse_driven
from screwgraph.model.mechanism import Mechanism, without_metadata
from screwgraph.model.robot import Joint, Link, Robot, make_unknown_name_error
from screwgraph.model.robot.joints import JOINT_TYPES

TYPES: Mapping[str, str] = {"rad": "revolute", "m": "prismatic"}
"""What joints have coordinates of these units."""


@dataclass(frozen=True, eq=False)
class MechanismStates:
    """Independent coordinates of a mechanism, some or all of them with a motor."""

    __repr__ = one_line

    mechanism: Mechanism
    near: Float[np.ndarray, " n"] | None = None

    @property
    def model(self) -> Mechanism:
        """The mechanism with these independent coordinates.

        Raises:
            InputError: it has no motor, its motors move other coordinates, or its file drives it.
        """
        return self._model

    @cached_property
    def _model(self) -> Mechanism:
        mechanism = self.mechanism
        refuse_driven(mechanism, "mpc")
        if not mechanism.motors:
            raise InputError(f"mpc of {mechanism.name!r}", why="it has no motors", fix="motors: [...] in its file")
        names = find_driving_coordinates(mechanism)
        other = [name for name in mechanism.motors if name not in names]
        if other:
            why = f"its motor {other[0]!r} is along none of the independent coordinates {', '.join(names)}"
            raise InputError(f"mpc of {mechanism.name!r}", why=why, fix="independent: [...] in its file names others")
        return replace(mechanism, independent=names)

    @property
    def joints(self) -> Robot:
        """A robot of one joint for each coordinate, without limits."""
        return self._joints

    @cached_property
    def _joints(self) -> Robot:
        model = self.model
        units = {column.name: column.unit for column in model.columns["q"]}
        links, joints = [Link("ground")], []
        for name in model.independent:
            links.append(Link(f"of {name}"))
            kind = JOINT_TYPES[TYPES.get(units[name], "prismatic")]
            joints.append(Joint(name, kind(), links[-2].name, links[-1].name))
        return Robot(model.name, tuple(links), tuple(joints))

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of queries that take states."""
        return {"coordinates": INDEPENDENT, "positions": INDEPENDENT}

    @property
    def question(self) -> object:
        """The mechanism, but for what is no matter of its motion, and where it is assembled."""
        return without_metadata(self.model), None if self.near is None else tuple(map(float, self.near))

    @property
    def start(self) -> Float[np.ndarray, " nq"]:
        """The position where it is assembled, or `near`."""
        q = self.model.neutral() if self.near is None else self.near
        return np.array([q[self.model.index(name)] for name in self.model.independent])

    def check_frame(self, name: str) -> None:
        """Raise InputError where there is no such body."""
        find_frames(self.model, (name,))

    def choose_actuators(self, actuated: Sequence[str] | None) -> None:
        """Return that there are none."""

    def without_actuators(self) -> MechanismStates:
        """Return the same."""
        return self

    def choose_driven(self, actuated: Sequence[str] | None) -> Sequence[str]:
        """Return the names of motors that are used: all by default. Raises InputError where one is unknown."""
        motors = self.model.motors
        for name in actuated or ():
            if name not in motors:
                raise make_unknown_name_error("motor", name, motors)
        return motors if actuated is None else actuated

    def spread_efforts(self, efforts: Sequence[Any], driven: Sequence[int]) -> Sequence[Any]:
        """Return the efforts of all motors, zero where none are given."""
        names = self.model.independent
        given = {names[j]: effort for effort, j in zip(efforts, driven, strict=True)}
        return [given.get(name, 0.0) for name in self.model.motors]
