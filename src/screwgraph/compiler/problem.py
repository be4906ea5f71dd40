"""Questions about a robot's dynamics, and the arguments of the functions that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from screwgraph.compiler.signature import Argument
from screwgraph.graph import (
    Column,
    FactorGraph,
    Key,
    Variable,
    dynamics_graph,
    vector_variable,
    with_redundant_actuation,
)
from screwgraph.lowering import GRAPH_PASSES, ROBOT_PASSES, improved, improved_graph
from screwgraph.robot import JointType, Robot
from screwgraph.summary import one_line
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class Problem:
    """A question about a robot's dynamics.

    `known` are the variables that are given, `arguments` the name and variables of each argument of the function,
    in order, `result` the variables that it returns, `constants` the values of knowns that are no arguments,
    `external` the links or frames on which external wrenches act. Where `actuated` has weights of joints, these drive
    the robot, by efforts as small as can be.
    """

    __repr__ = one_line

    name: str
    robot: Robot
    known: tuple[str | Key, ...]
    arguments: Sequence[tuple[str, Sequence[Key]]]
    result: Sequence[Key]
    constants: Mapping[Key, np.ndarray]
    external: Sequence[str] = ()
    actuated: Mapping[str, float] = field(default_factory=dict)

    @property
    def passes(self) -> tuple[str, ...]:
        """The passes that code for this robot goes through."""
        return (*ROBOT_PASSES, *GRAPH_PASSES)

    def improved(self, passes: Sequence[str]) -> Robot:
        """Return the robot that those of the passes make which go from robot to robot."""
        return improved(self.robot, [name for name in passes if name in ROBOT_PASSES])

    def outputs(self, solution: Mapping[Column, Number], graph: FactorGraph) -> list[Number]:
        """Return the numbers that are asked for: what was found, or what is constant."""
        wanted = [(key, i) for key in self.result for i in range(graph.variables[key].dim)]
        return [float(self.constants[key][i]) if key in self.constants else solution[key, i] for key, i in wanted]

    def graph(self, robot: Robot, passes: Sequence[str]) -> FactorGraph:
        """Return the graph of a robot that answers this question, after those of the passes that change graphs."""
        wanted = [name for name in passes if name in GRAPH_PASSES]
        graph = dynamics_graph(robot, self.external)
        if self.actuated:
            graph = with_redundant_actuation(graph, robot, self.actuated)
        return improved_graph(graph, self.known, wanted)


def without_metadata(robot: Robot) -> Robot:
    """Return a robot without warnings and shapes, on which no code depends."""
    links = tuple(replace(link, visuals=()) if link.visuals else link for link in robot.links)
    return replace(robot, warnings=(), links=links)


def robot_arguments(robot: Robot, arguments: Iterable[tuple[str, Sequence[Key]]]) -> tuple[Argument, ...]:
    """Return arguments from names and the variables of a robot that they hold, without making its graph."""
    return tuple(argument(name, [_variable(robot, key) for key in keys]) for name, keys in arguments)


def _variable(robot: Robot, key: Key) -> Variable:
    if key.kind == "external":
        return vector_variable(*key, 6, 0, None)
    joint = robot.joint(key.name).type
    return Variable(key, joint.nq, 0, None, joint) if key.kind == "q" else vector_variable(*key, joint.nv, 0, None)


def argument(name: str, variables: Sequence[Variable]) -> Argument:
    """Return an argument that holds variables; external wrenches stand one a row."""
    names = tuple(f"{v.key}[{i}]" for v in variables for i in range(v.dim))
    spaces = tuple(cast(JointType, v.space) for v in variables if v.key.kind == "q")
    wrenches = bool(variables) and all(v.key.kind == "external" for v in variables)
    return Argument(name, (len(variables), 6) if wrenches else (len(names),), names, spaces)
