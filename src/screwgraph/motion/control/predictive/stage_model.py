"""A robot between two instants of a horizon: accelerations and efforts of a state and an input, and their derivatives.

Velocities v+ = v + h qdd, positions q+ follow v+ for h (semi-implicit Euler, inputs are held): Stewart & Trinkle's and
most simulators' step. Columns of derivatives are displacements of positions (nv), velocities (nv), inputs (nu).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot
from screwgraph.motion.control.predictive.motors import StageMotors
from screwgraph.motion.control.predictive.state_coordinates import StateCoordinates
from screwgraph.tape import Number

Bounds = tuple[Sequence[float], Sequence[float]]
"""The least and the largest numbers."""


@dataclass(frozen=True, eq=False)
class StageMotion:
    """Accelerations (nv,), efforts (m,) and their derivatives (nv, 2 nv + nu), (m, 2 nv + nu).

    Where accelerations of a base have derivatives `base_slopes` (b, 2 nv + nu), those of accelerations and efforts are
    `arms` (nv + m, b) times these, and what is given.
    """

    qdd: Sequence[Number]
    efforts: Sequence[Number]
    qdd_slopes: np.ndarray
    effort_slopes: np.ndarray
    base_slopes: np.ndarray | None = None
    arms: np.ndarray | None = None


class StageModel(Protocol):
    """The model of a robot at a stage of a horizon.

    `switches` are live numbers of a stage, such as whether feet are on the ground.

    Inputs are efforts themselves where `commands_efforts`, which then need no rows.
    """

    @property
    def coordinates(self) -> StateCoordinates:
        """The coordinates of the robot that are states."""
        ...

    @property
    def robot(self) -> Robot:
        """The joints that are states."""
        ...

    @property
    def motors(self) -> StageMotors:
        """Its motors, of efforts (m,)."""
        ...

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        ...

    @property
    def switches(self) -> int:
        """Live numbers of a stage."""
        ...

    @property
    def commands_efforts(self) -> bool:
        """Whether inputs are the efforts."""
        ...

    @property
    def input_weights(self) -> int:
        """How many weights the inputs have."""
        ...

    @property
    def base(self) -> int:
        """How many accelerations of a base there are, through which others depend on all; 0: slopes are whole."""
        ...

    @property
    def own_columns(self) -> list[list[bool]]:
        """Which of (q, v, u) accelerations (nv) and efforts (m) depend on beside accelerations of the base."""
        ...

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        ...

    def linearise(self, q: Any, v: Any, u: Any, switches: Any) -> StageMotion:
        """Return motion and derivatives."""
        ...

    def move(self, q: Any, v: Any, u: Any, switches: Any) -> tuple[Sequence[Number], Sequence[Number]]:
        """Return accelerations (nv,) and efforts (m,) alone."""
        ...

    def rest(self, q: Any, switches: Any) -> list[Number]:
        """Return inputs (nu,) that about hold the robot."""
        ...

    def weigh_inputs(self, weights: Any, reference: Any, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the weights of inputs (nu,), and what they are compared with."""
        ...

    def limit_inputs(self, efforts: Bounds, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the least and the largest inputs (nu,), of those of efforts (m,)."""
        ...

    def input_units(self, efforts: Bounds) -> list[float]:
        """Return by what changes of inputs (nu,) count, of the bounds of efforts (m,)."""
        ...

    def list_cones(self, switches: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return rows of inputs, and the least values of their products: none where there are no contacts."""
        ...

    def list_forces(self, u: Any, switches: Any) -> list[Number]:
        """Return forces of all contacts, in their axes."""
        ...

    def keep_input(self, now: Any, later: Any, share: Number, switches: Any, then: Any, rest: Any) -> list[Number]:
        """Return an input of the last solution at present: between two stages whose `switches` were `then`."""
        ...


@dataclass(frozen=True, eq=False)
class DrivenModel:
    """A model whose inputs are the efforts of its motors."""

    __repr__ = one_line

    motors: StageMotors
    switches = 0
    base = 0
    commands_efforts = True

    @property
    def coordinates(self) -> StateCoordinates:
        """The coordinates that are states."""
        return self.motors.coordinates

    @property
    def robot(self) -> Robot:
        """The joints that are states."""
        return self.coordinates.joints

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        return len(self.motors.names)

    @property
    def input_weights(self) -> int:
        """One weight an input."""
        return self.nu

    @property
    def own_columns(self) -> list[list[bool]]:
        """All."""
        return [[True] * (2 * self.robot.nv + self.nu)] * (self.robot.nv + self.nu)

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        return self.motors.question

    def rest(self, q: Any, switches: Any) -> list[Number]:
        """Return efforts that about hold the robot."""
        del switches
        return self.motors.hold(q)

    def linearise(self, q: Any, v: Any, u: Any, switches: Any) -> StageMotion:
        """Return motion and derivatives, by forward dynamics."""
        qdd, efforts = self.move(q, v, u, switches)
        unit = np.concatenate([np.zeros((self.nu, 2 * self.robot.nv)), np.eye(self.nu)], axis=1)
        return StageMotion(qdd, efforts, self.motors.differentiate(q, v, u), unit)

    def move(self, q: Any, v: Any, u: Any, switches: Any) -> tuple[Sequence[Number], Sequence[Number]]:
        """Return accelerations and efforts."""
        del switches
        return self.motors.accelerate(q, v, u), list(u)

    def weigh_inputs(self, weights: Any, reference: Any, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return what is given."""
        del switches
        return list(weights), list(reference)

    def limit_inputs(self, efforts: Bounds, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the efforts' limits."""
        del switches
        return list(efforts[0]), list(efforts[1])

    def input_units(self, efforts: Bounds) -> list[float]:
        """Return the efforts' limits, 1 at least."""
        sizes = (max(abs(a), abs(b)) for a, b in zip(*efforts, strict=True))
        return [max(1.0, x) if np.isfinite(x) else 1.0 for x in sizes]

    def list_cones(self, switches: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return none."""
        del switches
        return [], []

    def list_forces(self, u: Any, switches: Any) -> list[Number]:
        """Return none."""
        del u, switches
        return []

    def keep_input(self, now: Any, later: Any, share: Number, switches: Any, then: Any, rest: Any) -> list[Number]:
        """Return what lies between."""
        del switches, then, rest
        return [a + share * (b - a) for a, b in zip(now, later, strict=True)]
