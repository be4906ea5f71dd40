"""What drives a model along a horizon: efforts of motors on coordinates that are states, or of actuators, tau = B(q) u.

To add what drives a model: a class that keeps `StageMotors`, and a line in `choose_motors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Search, compile_expression, make_numbered_argument
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.model import Model
from screwgraph.model.robot import actuation_torques
from screwgraph.motion.control.models.robot import ControlledRobot
from screwgraph.motion.control.predictive.named_values import Values, expand_values
from screwgraph.motion.control.predictive.state_coordinates import (
    RobotStates,
    StateCoordinates,
    choose_guess,
    complete_position,
    make_states,
)
from screwgraph.tape import Number, Program, dot, solve_positive

SEARCH = Search(seconds=0.0)
"""The best named order: one that is searched for saves an operation in a hundred of a Panda, but divides one result by
the other and guards pivots, which takes a sixth of a tick; and depends on how long it was sought."""
SMALL = 1e-6
"""Damping of the efforts that about hold a robot, of the squares of their arms."""
LITTLE = 1e-30
"""Square of an arm at least: muscles may have none at a position."""


class StageMotors(Protocol):
    """Motors of efforts u (m,) along a horizon, and the accelerations of states that they cause."""

    @property
    def coordinates(self) -> StateCoordinates:
        """The coordinates that are states, of the model that these drive."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """The name of each effort."""
        ...

    @property
    def bounds(self) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """The least and the largest efforts of the file, infinite where there are none."""
        ...

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        ...

    def expand(self, values: Values | None, others: Any, what: str) -> Float[np.ndarray, " m"]:
        """Return a number for each effort, of others (m,) where none is given. Raises InputError."""
        ...

    def hold(self, q: Any) -> list[Number]:
        """Return efforts that about hold the model."""
        ...

    def accelerate(self, q: Any, v: Any, u: Any) -> Sequence[Number]:
        """Return the accelerations of states."""
        ...

    def differentiate(self, q: Any, v: Any, u: Any) -> np.ndarray:
        """Return derivatives (nv, 2 nv + m) of accelerations by displacements of positions, velocities, efforts."""
        ...


MOTORS_FIX = "actuated= says of which motors efforts are, everywhere the same"


@dataclass(frozen=True, eq=False)
class JointMotors:
    """Efforts along velocity coordinates that are states, in their order; of mechanisms, those of motors."""

    __repr__ = one_line

    coordinates: StateCoordinates
    driven: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The joint of each effort."""
        joints = self.coordinates.joints
        owners = [joint.name for joint in joints.joints for _ in range(joint.type.nv)]
        return [owners[i] for i in self.driven]

    @property
    def bounds(self) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """The efforts of joints in the file."""
        most = np.abs(self.coordinates.joints.limits.effort)[list(self.driven)]
        return -most, most

    @property
    def question(self) -> tuple[object, ...]:
        """The states, and which are driven."""
        return self.coordinates.question, self.driven

    def expand(self, values: Values | None, others: Any, what: str) -> Float[np.ndarray, " m"]:
        """Return a number for each effort, of a number for all coordinates, one each, or some by names of joints.

        Raises InputError where a joint is unknown, or has no motor.
        """
        joints = self.coordinates.joints
        for name in values if isinstance(values, Mapping) else ():
            if name in joints.joint_names and joints.v_slices[name].start not in self.driven:
                raise InputError(f"{what}: joint {name!r} has no motor", fix="list it among actuated")
        full = np.zeros(joints.nv)
        full[list(self.driven)] = others
        return expand_values(joints.v_slices, values, full, what, fix=MOTORS_FIX)[list(self.driven)]

    @cached_property
    def holding_efforts(self) -> Program:
        """Code of q to the efforts of driven coordinates that hold the robot, of a fully driven one."""
        own = self.coordinates
        bias = bias_forces(own.model, **own.options)

        def hold(q: Any) -> list[Number]:
            forces = bias(q, np.zeros(own.joints.nv), *choose_guess(own, bias))
            return [forces[i] for i in self.driven]

        given = (position_argument("q", own.joints),)
        return compile_expression("stage_rest", self.question, given, hold).program

    def hold(self, q: Any) -> list[Number]:
        """Return efforts that hold a robot."""
        return list(self.holding_efforts.on(list(q)))

    @cached_property
    def dynamics(self) -> Function:
        """Accelerations of states and efforts along all of them."""
        return forward_dynamics(self.coordinates.model, ordering=SEARCH, **self.coordinates.options)

    def accelerate(self, q: Any, v: Any, u: Any) -> list[Number]:
        """Return the accelerations of states."""
        return list(self.dynamics(*self._list_arguments(q, v, u)))

    def differentiate(self, q: Any, v: Any, u: Any) -> np.ndarray:
        """Return derivatives of accelerations."""
        given = self._list_arguments(q, v, u)
        by_q, by_v, by_tau = (np.asarray(x) for x in self.dynamics.jacobian("q", "qd", "tau")(*given))
        units = [self._spread(row) for row in np.eye(len(self.driven))]  # which of all efforts each is
        return np.concatenate([by_q, by_v, by_tau[:, [int(np.argmax(unit)) for unit in units]]], axis=1)

    def _list_arguments(self, q: Any, v: Any, u: Any) -> tuple[Any, ...]:
        return q, v, self._spread(u), *choose_guess(self.coordinates, self.dynamics)

    def _spread(self, u: Any) -> np.ndarray:
        return np.array(self.coordinates.spread_efforts(list(u), self.driven), dtype=object)


@dataclass(frozen=True, eq=False)
class ActuatorMotors:
    """Efforts of a robot's actuators, in the order that controllers have: tau = B(q) u, or laws of force.

    Slopes of a tree are products of those of its dynamics, which have closed forms, and of torques; of closed chains,
    of which torques act on all joints, they are those of the whole.
    """

    __repr__ = one_line

    coordinates: RobotStates

    @property
    def names(self) -> list[str]:
        """The names of actuators."""
        return [actuator.name for actuator in self.coordinates.model.actuators]

    @property
    def bounds(self) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """The bounds of actuators."""
        pairs = np.array([actuator.bounds for actuator in self.coordinates.model.actuators], dtype=float)
        return pairs[:, 0], pairs[:, 1]

    @property
    def question(self) -> tuple[object, ...]:
        """The states: their robot has the actuators."""
        return self.coordinates.question, "actuators"

    def expand(self, values: Values | None, others: Any, what: str) -> Float[np.ndarray, " m"]:
        """Return a number for each effort, of a number for all, one each, or some by names. Raises InputError."""
        places = {name: slice(i, i + 1) for i, name in enumerate(self.names)}
        return expand_values(places, values, np.broadcast_to(others, len(places)), what, "actuator", MOTORS_FIX)

    @cached_property
    def holding_efforts(self) -> Program:
        """Code of q to the efforts of least squares, slightly damped, that come next to holding the robot."""
        states, own = self.coordinates, ControlledRobot(self.coordinates.model)

        def hold(q: Any) -> list[Number]:
            full = complete_position(states, q)
            motion = own.coordinates.solve(full, np.zeros(own.model.nv))
            B, still = own.motors.arms(full)
            arms, rest = motion.restrict(B.T), motion.restrict([still])[0]
            square = [[dot(a, b) for b in arms[: i + 1]] for i, a in enumerate(arms)]
            for i, row in enumerate(square):
                row[i] = (1.0 + SMALL) * row[i] + LITTLE
            left = [a - b for a, b in zip(motion.h, rest, strict=True)]
            return solve_positive(square, [dot(row, left) for row in arms])

        given = (position_argument("q", states.joints),)
        return compile_expression("stage_hold", self.question, given, hold, branches=True).program

    def hold(self, q: Any) -> list[Number]:
        """Return efforts that come next to holding the robot."""
        return list(self.holding_efforts.on(list(q)))

    @cached_property
    def torques(self) -> Function | None:
        """Torques of q and efforts; None of closed chains."""
        robot = self.coordinates.model
        if robot.is_closed:
            return None
        given = (position_argument("q", robot), make_numbered_argument("effort", len(robot.actuators)))
        return compile_expression(
            "stage_torques", self.question, given, lambda q, u: list(actuation_torques(robot, q, u))
        )

    @cached_property
    def dynamics(self) -> Function:
        """Accelerations, of a tree by torques, else by efforts."""
        options = {"ordering": SEARCH, "actuators": self.torques is None, **self.coordinates.options}
        return forward_dynamics(self.coordinates.model, **options)

    def accelerate(self, q: Any, v: Any, u: Any) -> list[Number]:
        """Return the accelerations of states."""
        return list(self.dynamics(*self._list_arguments(q, v, u)))

    def differentiate(self, q: Any, v: Any, u: Any) -> np.ndarray:
        """Return derivatives of accelerations."""
        given, last = self._list_arguments(q, v, u), self.dynamics.arguments[2].name
        by_q, by_v, by_last = (np.asarray(x) for x in self.dynamics.jacobian("q", "qd", last)(*given))
        if self.torques is None:
            return np.concatenate([by_q, by_v, by_last], axis=1)
        slopes = [np.asarray(x) for x in self.torques.jacobian("q", "effort")(q, np.array(u))]
        moved, by_u = ([[dot(row, column) for column in own.T] for row in by_last] for own in slopes)
        return np.concatenate([by_q + np.array(moved), by_v, np.array(by_u)], axis=1)

    def _list_arguments(self, q: Any, v: Any, u: Any) -> tuple[Any, ...]:
        caused = np.array(u) if self.torques is None else self.torques(q, np.array(u))
        return q, v, caused, *choose_guess(self.coordinates, self.dynamics)


def choose_motors(
    model: Model, actuated: Sequence[str] | None, near: Float[np.ndarray, " nq"] | None = None
) -> StageMotors:
    """Return what drives a model: its actuators, or those named; else joints, by default all but a floating base.

    Raises InputError where a name is unknown, or given twice.
    """
    states = make_states(model, near)
    chosen = states.choose_actuators(actuated)
    if chosen is not None:
        return ActuatorMotors(chosen)
    names = states.choose_driven(actuated)
    if actuated is not None and not names:
        raise InputError("actuated names no joint", why="a robot without efforts has nothing to command")
    if len(set(names)) < len(names):
        raise InputError(f"actuated: {', '.join(names)}", why="one is named twice")
    own = states.without_actuators()
    found = ControlledRobot(own.joints).list_velocities(tuple(names))
    return JointMotors(own, tuple(sorted(found)) or tuple(range(own.joints.nv)))
