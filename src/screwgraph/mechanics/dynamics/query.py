"""What is asked of a robot's dynamics: what is given, in which arguments, and what is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from screwgraph.compiler import PARAMETERS, Function, Order, Problem, compile_problem, prior_factors
from screwgraph.graph import EditedModel, Key, Role, parameter_variable
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter

Named = tuple[tuple[str, tuple[Key, ...]], ...]
"""Names of arguments, and the variables that each holds."""


@dataclass(frozen=True, eq=False)
class Query:
    """A graph, what is given, and what is asked.

    `fixed` are knowns that are no arguments, `unread` variables of arguments that are not read, as others determine
    them. `external_wrenches` names links or frames on which wrenches act, `actuators` those whose efforts
    cause the torques, `weights` those of joints or actuators that share their work. `parameters` of the robot are the
    last argument.
    """

    name: str
    robot: Robot
    arguments: Named
    result: tuple[Key, ...]
    fixed: Mapping[Key, np.ndarray] = field(default_factory=dict)
    unread: frozenset[Key] = frozenset()
    external_wrenches: tuple[str, ...] = ()
    actuators: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()

    def compile(self, ordering: Order, dtype: str) -> Function:
        """Return the function that answers it. Raises EliminationError, InputError."""
        return compile_problem(self.problem, ordering).astype(dtype)

    @property
    def problem(self) -> Problem:
        """The query as the compiler takes it."""
        kind = "external_wrenches"
        wrenches = tuple(Key(kind, frame) for frame in self.external_wrenches)
        for frame in self.external_wrenches:
            self.robot.frame(frame)  # passes that follow know links of their own
        parameters = tuple(parameter_variable(self.robot, parameter).key for parameter in self.parameters)
        others = ((kind, wrenches), (PARAMETERS, parameters))
        arguments = (*self.arguments, *((name, keys) for name, keys in others if keys))
        known = tuple(key for _, keys in arguments for key in keys if key not in self.unread)
        model = EditedModel(
            self.robot,
            self.external_wrenches,
            self.actuators,
            self.weights,
            parameters=self.parameters,
            added=prior_factors(self.robot, self.fixed),
        )
        return Problem(self.name, model, known, arguments, (("result", self.result),))


def joint_variables(robot: Robot, kind: str) -> tuple[Key, ...]:
    """Return one variable a joint."""
    return tuple(Key(kind, name) for name in robot.joint_names)


def zero_values(robot: Robot, keys: Iterable[Key]) -> dict[Key, np.ndarray]:
    """Return zero values of variables of joints that have as many numbers as velocities."""
    return {key: np.zeros(robot.joint(key.name).type.nv) for key in keys}


def without_torques(query: Query) -> Query:
    """Return a query in which no torque is fixed."""
    rest = {key: value for key, value in query.fixed.items() if key.role is not Role.COORDINATE_FORCE}
    return replace(query, fixed=rest)
