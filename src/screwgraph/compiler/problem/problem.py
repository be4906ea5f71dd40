"""What is asked of a graph: its knowns, the arguments and results of a function, and the graph that passes make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler.signature import PARAMETERS, Argument, Result
from screwgraph.elimination import Equations
from screwgraph.graph import Column, EditedModel, Factor, FactorGraph, Key, Role, Variable, graph_of, parameter_variable
from screwgraph.graph.factors import prior
from screwgraph.graph.passes import (
    GRAPH_PASSES,
    KEEPS_VARIABLES,
    ROBOT_PASSES,
    absorb_edits,
    find_preserved,
    lower_model,
)
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import CLOSURE, Parameter, parameter_key, with_numbers
from screwgraph.tape import Number

OF_JOINTS = (
    Role.POSITION,
    Role.VELOCITY,
    Role.COORDINATE_ACCELERATION,
    Role.COORDINATE_FORCE,
    Role.EXTERNAL_WRENCH,
)
"""Roles of variables whose sizes a robot's joints tell."""
LAST_ROW = (0.0, 0.0, 0.0, 1.0)
"""What a pose (4, 4) has beyond the numbers of its variable."""
Named = Sequence[tuple[str, Sequence[Key]]]
"""Names of arguments or results, and the variables that each holds."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Query of a graph.

    `model` is the robot whose laws the graph states and its edits, None where passes know nothing of them; `known` are
    the variables that are given. `made` is the graph, None where it is made of the model when code has to be.
    """

    __repr__ = one_line

    name: str
    model: EditedModel | None
    known: tuple[Key, ...]
    arguments: Named
    results: Named
    made: FactorGraph | None = None

    @cached_property
    def plain(self) -> FactorGraph:
        """The graph as it is, with its knowns declared."""
        if self.made is not None:
            return self.made
        assert self.model is not None, "a problem has a graph or a model"
        return graph_of(self.model).given(*self.known)

    @cached_property
    def stated(self) -> EditedModel | None:
        """The model with as few edits as possible."""
        return self.model and absorb_edits(self.model, [*self.asked, *self.known])

    @property
    def asked(self) -> list[Key]:
        """The variables that are asked for."""
        return [key for _, keys in self.results for key in keys]

    @property
    def robot(self) -> Robot | None:
        """The robot that passes begin with."""
        return self.stated and self.stated.robot

    @property
    def passes(self) -> tuple[str, ...]:
        """The passes that the graph goes through."""
        return (*ROBOT_PASSES, *GRAPH_PASSES) if self.stated else ()

    @property
    def mild_passes(self) -> tuple[str, ...]:
        """Passes after which orders of the graph's own variables still fit."""
        if self.stated is None or find_preserved(self.stated, [*self.asked, *self.known]).keys:
            return ()
        return tuple(name for name in self.passes if name in KEEPS_VARIABLES)

    @property
    def shares_torques(self) -> bool:
        """Whether least torques are asked of a closed chain, and arguments have the accelerations of all its joints."""
        robot, weights = self.robot, self.model and self.model.weights
        if robot is None or not robot.is_closed or not weights:
            return False
        given = {k.name for _, keys in self.arguments for k in keys if k.role is Role.COORDINATE_ACCELERATION}
        return given.issuperset(robot.joint_names)

    def of_given_motion(self) -> Problem:
        """Return a problem of `shares_torques` that reads the accelerations of all joints (`with_given_motion`)."""
        assert self.model is not None, "it has a robot's joints"
        known = tuple(key for _, keys in self.arguments for key in keys)
        return replace(self, model=replace(self.model, given_motion=True), known=known)

    @property
    def constants(self) -> Mapping[Key, np.ndarray]:
        """The values of knowns that added factors set."""
        added = self.model.added if self.model else ()
        return {f.keys[0]: f.parameters["value"] for f in added if f.template is prior and not f.sigma}

    @property
    def lengths(self) -> frozenset[Key]:
        """The parameters that say where frames stand: where loops close depends on them."""
        if self.model is None:
            return frozenset()
        robot, live = self.model.robot, self.model.parameters
        return frozenset(parameter_variable(robot, p).key for p in live if p.kind in CLOSURE)

    def robot_at(self, values: Mapping[str, float]) -> Robot | None:
        """Return the robot that has its frames where values of parameters say, by the names of inputs."""
        live = [p for p in (self.model.parameters if self.model else ()) if p.kind in CLOSURE]
        if self.robot is None or not live:
            return self.robot
        names = [parameter_key(p, i) for p in live for i in range(len(p.nominal(self.robot)))]
        return with_numbers(self.robot, live, [values[name] for name in names])

    @property
    def question(self) -> tuple[object, ...]:
        """All that the answer depends on; names are of no account."""
        asked = ([key for _, keys in self.arguments for key in keys], self.asked)
        if self.model is None:
            return ("graph", self.plain, *asked)
        model = replace(self.model, robot=without_metadata(self.model.robot))
        return ("model", model, frozenset(self.known), *asked)

    def graph(self, passes: Sequence[str]) -> FactorGraph:
        """Return the graph after some of the passes."""
        if not passes or self.stated is None:
            return self.plain
        return lower_model(self.stated, self.known, self.asked, passes)

    def outputs(self, graph: FactorGraph, equations: Equations, solution: Mapping[Column, Number]) -> list[Number]:
        """Return the numbers that are asked for: what was found, or what follows from knowns."""
        values, found = equations.values, list[Number]()
        for key in self.asked:
            numbers = range(graph.variables[key].dim)
            found += [values[key][i] if key in values else solution[key, i] for i in numbers]
            found += LAST_ROW if key.role is Role.POSE else ()
        return found


def prior_factors(robot: Robot, values: Mapping[Key, np.ndarray]) -> tuple[Factor, ...]:
    """Return priors that set variables of a robot's joints to values."""
    index = {joint.name: i for i, joint in enumerate(robot.joints, 1)}
    return tuple(
        Factor(prior, {"x": key}, len(value), index[key.name], {"value": value})
        for key, value in values.items()
        if len(value)
    )


def without_metadata(robot: Robot) -> Robot:
    """Return a robot without warnings and shapes, on which no code depends."""
    links = tuple(
        replace(link, visuals=(), collisions=()) if link.visuals or link.collisions else link for link in robot.links
    )
    return replace(robot, warnings=(), links=links)


def robot_arguments(robot: Robot, arguments: Named) -> tuple[Argument, ...]:
    """Return arguments from names and the variables of a robot that they hold, without making its graph."""
    return tuple(argument(name, [_variable(robot, key) for key in keys]) for name, keys in arguments)


def parameter_arguments(robot: Robot, live: Sequence[Parameter]) -> tuple[Argument, ...]:
    """Return the argument that holds parameters of a robot; none without them."""
    return (argument(PARAMETERS, [parameter_variable(robot, parameter) for parameter in live]),) if live else ()


def robot_results(robot: Robot, results: Named) -> tuple[Result, ...]:
    """Return results from names and the variables of a robot that they hold, without making its graph."""
    return tuple(result(name, [_variable(robot, key) for key in keys]) for name, keys in results)


def _variable(robot: Robot, key: Key) -> Variable:
    if key.role is Role.EXTERNAL_WRENCH:
        return Variable(key, 6)
    joint = robot.joint(key.name).type
    return Variable(key, joint.nq, manifold=joint.manifold) if key.role is Role.POSITION else Variable(key, joint.nv)


def argument(name: str, variables: Sequence[Variable]) -> Argument:
    """Return an argument that holds variables; external wrenches stand one a row."""
    names = _names(variables)
    spaces = tuple(v.manifold for v in variables if v.key.role is Role.POSITION)
    nominal = [x for v in variables if v.key.role is Role.PARAMETER and v.assembled for x in v.assembled.many[0]]
    wrenches = bool(variables) and all(v.key.role is Role.EXTERNAL_WRENCH for v in variables)
    return Argument(name, (len(variables), 6) if wrenches else (len(names),), names, spaces, tuple(map(float, nominal)))


def result(name: str, variables: Sequence[Variable]) -> Result:
    """Return a result that holds variables, one after the other; poses are matrices, several stacked."""
    names = _names(variables)
    if variables and all(v.key.role is Role.POSE for v in variables):
        count = len(variables)
        names = tuple(f"{v.key}[{i},{j}]" for v in variables for i in range(4) for j in range(4))
        return Result(name, (4, 4) if count == 1 else (count, 4, 4), names)
    return Result(name, (len(names),), names)


def _names(variables: Iterable[Variable]) -> tuple[str, ...]:
    return tuple(f"{v.key}[{i}]" for v in variables for i in range(v.dim))
