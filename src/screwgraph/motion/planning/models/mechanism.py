"""A planar mechanism as a task sees it: a closed chain whose joints are its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.graph import FactorGraph, unconstrained_graph
from screwgraph.mechanics.mechanism import Mechanism, follow_branch, position_problem, velocity_problem
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.model.mechanism import MechanismMobility
from screwgraph.model.mechanism.equations import residual
from screwgraph.model.robot import Joint
from screwgraph.model.robot.joints import Prismatic
from screwgraph.motion.planning.models.base import ModelKind
from screwgraph.motion.planning.models.coordinates import find_coordinates
from screwgraph.motion.planning.models.drive import Drive, make_joint_drive
from screwgraph.spatial import vector
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True, eq=False)
class MechanismCoordinates:
    """A mechanism in the terms of robots: natural coordinates (m, rad) are joints of one coordinate each.

    Its torques are those of the motors, along their angles; constraints are loops.
    """

    mechanism: Mechanism

    kind, is_closed, has_frames, actuators = Mechanism.kind, True, False, ()

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.mechanism.name

    @property
    def driven(self) -> Mapping[str, FunctionOfTime]:
        """Functions of time that coordinates follow."""
        return self.mechanism.driven

    @property
    def warnings(self) -> tuple[str, ...]:
        """Remarks about the mechanism's file."""
        return self.mechanism.warnings

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.mechanism.n

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.mechanism.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.mechanism.coordinates

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """One joint a coordinate, without limits."""
        return tuple(Joint(name, Prismatic((1.0, 0.0, 0.0)), "ground", name) for name in self.joint_names)

    @cached_property
    def q_slices(self) -> Mapping[str, slice]:
        """Place of each coordinate in q, and of its velocity in qd."""
        return {name: slice(i, i + 1) for i, name in enumerate(self.joint_names)}

    @property
    def v_slices(self) -> Mapping[str, slice]:
        """Place of each velocity."""
        return self.q_slices

    @property
    def manifold(self) -> Vector:
        """The space of q."""
        return Vector(self.mechanism.n)

    @property
    def independent_joints(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return self.mechanism.independent_coordinates

    @property
    def mobility(self) -> MechanismMobility:
        """Rows of the constraints that count."""
        return self.mechanism.freedom

    def neutral(self) -> Float[np.ndarray, " n"]:
        """Return the assembled position."""
        return self.mechanism.home.copy()

    def closure_errors(self, q: Any) -> Any:
        """Return the constraints that count, (rank,)."""
        every = residual(self.mechanism, list(q))
        return vector([every[i] for i in self.mechanism.freedom.kept])

    def is_assembled(self, q: Float[np.ndarray, " n"]) -> bool:
        """Return whether angles are those of their lines, not half a turn off, which closes their rows, too."""
        J = self.mechanism.closing_program.interpreter(q)[1]
        return all(J[row, slot] < 0.0 for slot, row in self.mechanism.defining_rows)

    def completed(self, given: Mapping[str, float]) -> Float[np.ndarray, " n"]:
        """Return the closed position at which coordinates have given values. Raises ModelError."""
        return position_problem(self.mechanism, {name: float(np.ravel(x)[0]) for name, x in given.items()})

    def completed_velocity(self, q: Float[np.ndarray, " n"], given: Mapping[str, float]) -> Float[np.ndarray, " n"]:
        """Return the velocity that the constraints allow, at which some are given. Raises InputError."""
        return velocity_problem(self.mechanism, q, {name: float(np.ravel(x)[0]) for name, x in given.items()})

    def closed_path(self, q: Float[np.ndarray, "K n"]) -> Float[np.ndarray, "K n"]:
        """Return closed positions at which the independent coordinates are those of q, from the first one on.

        Raises:
            ModelError: the mechanism is blocked on the way.
        """
        chosen = tuple(self.mechanism.freedom.independent)
        return follow_branch(self.mechanism, q[0], chosen, q[:, list(chosen)])

    @property
    def links(self) -> NoReturn:
        """Refuse: a mechanism has no shapes."""
        raise InputError(
            "obstacles and contacts are for robots",
            why="bodies of a planar mechanism are lines without thickness, which nothing touches",
        )

    def frame(self, name: str) -> NoReturn:
        """Refuse: a mechanism has no frames."""
        raise InputError(
            f"there is no frame {name!r} on a mechanism", fix=f"name coordinates: {', '.join(self.joint_names)}"
        )


def _turns(robot: MechanismCoordinates) -> list[bool]:
    return [i in robot.mechanism.angle_slots for i in range(robot.nv)]


def _drive(robot: MechanismCoordinates, names: Sequence[str] | None) -> Drive:
    """All motors, or those of the coordinates named and of driven ones.

    Raises InputError where no motor drives one of them.
    """
    slots = robot.mechanism.motor_slots
    named = [] if names is None else sorted({c for n in names for c in find_coordinates(robot, n, "joint to actuate")})
    moved = {robot.joint_names.index(name) for name in robot.driven}
    chosen = list(slots) if names is None else sorted({*named, *moved})
    for coordinate in chosen:
        if coordinate not in slots:
            raise InputError(
                f"no motor drives the coordinate {robot.joint_names[coordinate]!r}",
                why=f"those of {robot.name!r} drive {', '.join(robot.joint_names[i] for i in slots) or 'none'}",
                fix="motors: [coordinate, ...] in its file",
            )
    return make_joint_drive(
        robot, chosen, robot.joint_names, _turns(robot), [slots.index(c) for c in chosen], len(slots)
    )


def _effort_graph(robot: MechanismCoordinates, frames: Sequence[str]) -> tuple[FactorGraph, str]:
    return unconstrained_graph(replace(robot.mechanism, motors=()), robot.joint_names), "force"


def _completed_velocity(
    robot: MechanismCoordinates, q: np.ndarray | None, qd: np.ndarray, given: Mapping[str, Any]
) -> np.ndarray:
    return qd if q is None else robot.completed_velocity(q, given)


def _as_robot(model: Mechanism | MechanismCoordinates) -> MechanismCoordinates:
    if isinstance(model, MechanismCoordinates):
        return model
    return MechanismCoordinates(model)


MECHANISMS = ModelKind(
    as_robot=_as_robot,
    model=lambda robot: robot.mechanism,
    turns=_turns,
    drive=_drive,
    effort_graph=_effort_graph,
    closure_errors=lambda robot, q: robot.closure_errors(q),
    constraint_names=lambda robot: [robot.mechanism.closing_program.parts[i] for i in robot.mobility.kept],
    is_assembled=lambda robot, q: robot.is_assembled(q),
    completed=lambda robot, q, given: robot.completed(given),
    completed_velocity=_completed_velocity,
    closed_path=lambda robot, q: robot.closed_path(q),
    ordering=lambda robot: "auto",
)
