"""Parameters of a robot as known variables of its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import Factor, Live, Slot
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.variable import Key, Variable
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter, has_symbols, nominal, parameter_key, samples_of
from screwgraph.tape import Number, Scalar, map_nested, program

KIND = "parameter"


@dataclass(frozen=True, eq=False)
class NearbyValues:
    """Values that a parameter may have: those of code are compared at the first, the others are the file's."""

    states: Float[np.ndarray, "states k"]

    @property
    def many(self) -> Float[np.ndarray, "1 k"]:
        """The file's values, at which code is tried."""
        return self.states[-1:]


def parameter_variable(robot: Robot, parameter: Parameter) -> Variable:
    """Return the variable that a parameter is, meant to be given."""
    samples, index = samples_of(robot, parameter), robot.link_index(parameter.link(robot))
    return Variable(Key(KIND, parameter.name), samples.shape[1], index, assembled=NearbyValues(samples))


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
    rng = np.random.default_rng(0)
    values = {key: variable.random(rng) for key, variable in graph.variables.items()}
    factors = tuple(_with_slots(factor, inputs, values) for factor in graph.factors)
    return replace(graph, factors=factors, variables={**graph.variables, **{v.key: v for v in variables}})


def _with_slots(factor: Factor, inputs: Mapping[Key, Sequence[str]], values: Mapping[Key, np.ndarray]) -> Factor:
    """Return a law with slots in the place of scalars that its residual depends on, and what fills them.

    A joint has all its numbers in each of its laws: in the place of others are those of the file.
    """
    if factor.live or not has_symbols(factor.parameters):
        return factor
    read = _inputs_of(factor.residual(values))
    found: dict[int, Scalar] = {}

    def slot(scalar: Scalar) -> Slot | float:
        if read.isdisjoint(_inputs_of([scalar])):
            return nominal(scalar)
        found.setdefault(scalar.id, scalar)
        return Slot(list(found).index(scalar.id))

    bound = map_nested(factor.parameters, Scalar, slot)
    if not found:
        return replace(factor, parameters=bound)
    scalars = list(found.values())
    keys = tuple(key for key, names in inputs.items() if not _inputs_of(scalars).isdisjoint(names))
    own = program(scalars[0].tape, scalars, [name for key in keys for name in inputs[key]])
    return replace(factor, parameters=bound, live=Live(keys, own))


def _inputs_of(numbers: Iterable[Number]) -> frozenset[str]:
    """Return the names of the inputs that numbers depend on."""
    scalars = [number for number in numbers if isinstance(number, Scalar)]
    if not scalars:
        return frozenset()
    return program(scalars[0].tape, scalars).inputs_read
