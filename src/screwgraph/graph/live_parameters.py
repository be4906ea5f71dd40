"""Parameters of a robot as known variables of its graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import Factor, Live, Slot
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.variable import Key, Variable
from screwgraph.robot import Robot
from screwgraph.robot.parameters import Parameter, parameter_key, samples_of
from screwgraph.tape import Scalar, mapped, program

KIND = "parameter"


@dataclass(frozen=True, eq=False)
class Values:
    """Values that a parameter may have: those of code are compared at the first, the others are the file's."""

    states: Float[np.ndarray, "states k"]

    @property
    def many(self) -> Float[np.ndarray, "1 k"]:
        """The file's values, at which code is tried."""
        return self.states[-1:]


def parameter_variable(robot: Robot, parameter: Parameter) -> Variable:
    """Return the variable that a parameter is, meant to be given."""
    samples = samples_of(robot, parameter)
    return Variable(Key(KIND, parameter.name), samples.shape[1], assembled=Values(samples))


def with_live_parameters(graph: FactorGraph, robot: Robot, parameters: Sequence[Parameter]) -> FactorGraph:
    """Return a graph whose laws have scalars among their numbers, and these parameters as variables.

    Args:
        graph: of a robot with scalars (`symbolic`), or of what passes made of it.
        robot: the robot of the file.
        parameters: what is an input.
    """
    if not parameters:
        return graph
    variables = [parameter_variable(robot, parameter) for parameter in parameters]
    inputs = {v.key: [parameter_key(p, i) for i in range(v.dim)] for p, v in zip(parameters, variables, strict=True)}
    factors = tuple(_with_slots(factor, inputs) for factor in graph.factors)
    return replace(graph, factors=factors, variables={**graph.variables, **{v.key: v for v in variables}})


def _with_slots(factor: Factor, inputs: dict[Key, list[str]]) -> Factor:
    """Return a law with slots in the place of scalars, and what fills them."""
    found: dict[int, Scalar] = {}

    def slot(scalar: Scalar) -> Slot:
        found.setdefault(scalar.id, scalar)
        return Slot(list(found).index(scalar.id))

    bound = mapped(factor.parameters, Scalar, slot)
    if not found:
        return factor
    scalars = list(found.values())
    whole = program(scalars[0].tape, scalars)
    read = {whole.input_names[i[1]] for i in whole.instructions if i[0] == "input"}
    keys = tuple(key for key, names in inputs.items() if read.intersection(names))
    own = program(scalars[0].tape, scalars, [name for key in keys for name in inputs[key]])
    return replace(factor, parameters=bound, live=Live(keys, own))
