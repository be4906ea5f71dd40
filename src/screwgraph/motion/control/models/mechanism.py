"""Mechanisms that are controlled: motors at coordinates, constraints eliminated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, make_numbered_argument
from screwgraph.mechanics.dynamics.mechanism import compile_mechanism_dependence
from screwgraph.mechanics.dynamics.motors import find_driving_coordinates, with_motors
from screwgraph.mechanics.kinematics import frame_jacobian
from screwgraph.mechanics.kinematics.mechanism_motion import find_frames
from screwgraph.model.functions_of_time import refuse_driven
from screwgraph.model.mechanism import Mechanism, find_assembled_states, without_metadata
from screwgraph.model.mechanism.equations import forces
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries
from screwgraph.motion.control.models.base import (
    SAMPLES,
    ControlledModel,
    CoordinateRange,
    IndependentCoordinates,
    Motors,
    check_once,
    choose_columns,
    multiply,
    sample_dependence,
    stack_columns,
)
from screwgraph.motion.control.models.independent_motion import IndependentMotion
from screwgraph.tape import Number, dot


@dataclass(frozen=True, eq=False)
class MechanismMotors(Motors):
    """The motors of a mechanism: efforts along coordinates, without limits."""

    __repr__ = one_line

    mechanism: Mechanism

    @property
    def drive_joints(self) -> bool:
        """Each is along a coordinate."""
        return True

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates."""
        return self.mechanism.motors

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Infinite: files say nothing of them."""
        return [(-float(x), float(x)) for x in self.mechanism.effort_limits]

    def arms(self, q: Any) -> tuple[Any, Any]:
        """Return B (n, motors), constant, and no rest (n,)."""
        del q
        mechanism = self.mechanism
        return choose_columns(mechanism.n, mechanism.motor_slots), np.zeros(mechanism.n)


@dataclass(frozen=True, eq=False)
class MechanismCoordinates(IndependentCoordinates):
    """Independent coordinates of a mechanism: those of its motors where they drive all motions."""

    __repr__ = one_line

    mechanism: Mechanism

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return find_driving_coordinates(self.mechanism)

    @cached_property
    def places(self) -> list[int]:
        """Their places."""
        return [self.mechanism.index(name) for name in self.names]

    @cached_property
    def dependence(self) -> Function:
        """All accelerations (n,) of q, qd and those of the independent coordinates."""
        return compile_mechanism_dependence(self.mechanism, self.names)

    @cached_property
    def samples(self) -> list[tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n k"]]]:
        """Assembled positions with G."""
        mechanism = self.mechanism
        shape = mechanism.n, len(self.places)
        return sample_dependence(self.dependence, find_assembled_states(mechanism, SAMPLES), shape)

    def complete_velocity(self, q: Any, yd: Any) -> Any:
        """Return G yd."""
        return multiply(stack_columns(self.dependence, q, (self.mechanism.n, len(self.places))), yd)

    def solve(self, q: Any, qd: Any) -> IndependentMotion:
        """Return G'M G zdd + G'(M drift - Q) as efforts along z, with the constant M of natural coordinates."""
        mechanism, shape = self.mechanism, (self.mechanism.n, len(self.places))
        G = stack_columns(self.dependence, q, shape)
        columns = [list(column) for column in G.T]
        drift = list[Number](self.dependence(q, qd, np.zeros(len(columns))))
        entries, own = compute_mass_entries(mechanism), forces(mechanism, q, qd)
        heavy = [_multiply(entries, column) for column in columns]
        left = [a - b for a, b in zip(_multiply(entries, drift), own, strict=True)]
        M = np.array([[dot(a, b) for b in columns] for a in heavy])
        return IndependentMotion(M, np.array([dot(column, left) for column in columns]), G, drift)


@dataclass(frozen=True, eq=False)
class ControlledMechanism(ControlledModel):
    """A mechanism whose motors are chosen by a controller."""

    __repr__ = one_line

    model: Mechanism

    @property
    def floats(self) -> bool:
        """No body is a base."""
        return False

    @property
    def question(self) -> tuple[object, ...]:
        """The mechanism and its independent coordinates."""
        return without_metadata(self.model), self.coordinates.names

    @property
    def arguments(self) -> tuple[Argument, Argument]:
        """The arguments q and qd (n,)."""
        return make_numbered_argument("q", self.model.n), make_numbered_argument("qd", self.model.n)

    @cached_property
    def coordinates(self) -> MechanismCoordinates:
        """Coordinates of motors where these drive all motions, else well-conditioned ones."""
        return MechanismCoordinates(self.model)

    @cached_property
    def motors(self) -> MechanismMotors:
        """Motors of its file."""
        return MechanismMotors(self.model)

    @property
    def mass(self) -> float:
        """The mass of all bodies (kg)."""
        return float(sum(body.mass for body in self.model.bodies))

    @property
    def ranges(self) -> list[CoordinateRange]:
        """Files have no limits of coordinates."""
        return []

    @property
    def owners(self) -> tuple[str, ...]:
        """The coordinates."""
        return self.model.coordinates

    @property
    def torques(self) -> int:
        """One a motor."""
        return len(self.model.motors)

    def list_places(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return places of named coordinates, or of independent ones. Raises InputError."""
        return [(i, i) for i in map(self.model.index, names or self.coordinates.names)]

    def list_velocities(self, names: Sequence[str]) -> list[int]:
        """Return places of named coordinates, or of independent ones. Raises InputError."""
        return [i for i, _ in self.list_places(names)]

    def find_link(self, frame: str) -> str:
        """Return the body or point of a name. Raises InputError."""
        return find_frames(self.model, [frame])[0].label

    def is_moved(self, link: str) -> bool:
        """Return whether coordinates move a body or point."""
        return bool(np.any(frame_jacobian(self.model, link)(self.model.home)))

    def push(self, q: Any, efforts: Any) -> Any:
        """Return the efforts of motors."""
        del q
        return efforts

    def with_motors(self, names: Sequence[str] | None) -> Mechanism:
        """Return the mechanism with motors at named coordinates, if any are named.

        Raises:
            InputError: a name is unknown, there are no motors, or coordinates are driven by functions of time.
        """
        refuse_driven(self.model, "a controller")
        check_once(names or ())
        found = with_motors(self.model, names)
        found.check_motors()
        return found


def _multiply(entries: Any, x: Sequence[Number]) -> list[Number]:
    found: list[Number] = [0.0] * len(x)
    for (i, j), mass in entries.items():
        found[i] = found[i] + mass * x[j]
    return found
