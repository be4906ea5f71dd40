"""Parameters of a robot or a mechanism as known variables of its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import Factor, Live, Slot
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.variable import Key, Variable
from screwgraph.model.mechanism import ConstraintRows, ForceBalance, LiveBalance, LiveMechanism, LiveRows, Mechanism
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter, has_symbols, nominal, parameter_key, samples_of
from screwgraph.spatial import Array
from screwgraph.tape import SAMPLES, WIDE, Number, Scalar, Tape, depends_on, map_nested, program

KIND = "parameter"

MANY = 1024
"""Assembled positions at which code that guards pivots is tried."""

SPREAD = 0.5
"""Part of a parameter's value by which it differs where equal values are looked for."""

ROUNDING = 1e-12
"""Values (SI units) below this are zero but for rounding."""


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


@dataclass(frozen=True)
class NearNominal:
    """Values of the parameter number `place`: any ones near that of the file, then that."""

    value: float
    place: int

    @property
    def states(self) -> Float[np.ndarray, "states 1"]:
        """Values at which those of code are compared, then those at which signs of pivots are judged."""
        changes = SPREAD * np.random.default_rng(self.place).uniform(-1.0, 1.0, SAMPLES)
        size = abs(self.value) if abs(self.value) > ROUNDING else 1.0
        return np.concatenate([self.value + size * changes, np.full(WIDE, self.value)])[:, None]

    @property
    def many(self) -> Float[np.ndarray, "states 1"]:
        """The file's value, once a position at which code is tried."""
        return np.full((MANY, 1), self.value)


def make_symbolic(live: LiveMechanism) -> Mechanism:
    """Return a mechanism whose parameters are scalars of a tape: it tells which entries may differ from zero."""
    return live.with_values(list(Tape(merge="form").inputs("parameter", (len(live.names),))))


def with_live_mechanism(graph: FactorGraph, mechanism: Mechanism) -> FactorGraph:
    """Return the graph of a mechanism of `make_symbolic`, its parameters as variables, meant to be given."""
    assert mechanism.bound is not None, "parameters are scalars"
    live, symbols = mechanism.bound.live, mechanism.bound.values
    bare, keys = live.without_metadata(), [Key("parameter", name) for name in live.names]
    places = {id(constraint): i for i, constraint in enumerate(mechanism.constraints)}
    listed = enumerate(zip(keys, live.values, strict=True))
    variables = [Variable(key, 1, assembled=NearNominal(value, i)) for i, (key, value) in listed]
    factors = []
    for factor in graph.factors:
        residual = _residual(factor, graph, symbols)
        own = tuple(key for key, symbol in zip(keys, symbols, strict=True) if depends_on(residual, [symbol]))
        names = tuple(key.name for key in own)
        bound = {name: _live(part, bare, names, places) for name, part in factor.parameters.items()}
        arguments = {**factor.arguments, "parameters": own} if own else factor.arguments
        factors.append(replace(factor, arguments=arguments, parameters=bound))
    return replace(graph, factors=tuple(factors), variables={**graph.variables, **{v.key: v for v in variables}})


def _residual(factor: Factor, graph: FactorGraph, symbols: Sequence[Any]) -> list[Any]:
    tape = symbols[0].tape
    values: dict[Key, Array] = {key: tape.inputs(str(key), (graph.variables[key].dim,)) for key in factor.keys}
    return list(factor.residual(values))


def _live(
    part: ForceBalance | ConstraintRows, live: LiveMechanism, names: tuple[str, ...], places: dict[int, int]
) -> Any:
    if isinstance(part, ConstraintRows):
        return LiveRows(live, names, places[id(part.constraint)], part.kept, part.weight)
    rows = tuple(LiveRows(live, names, places[id(r.constraint)], r.kept, r.weight) for r in part.constraints)
    return LiveBalance(live, names, part.slot, tuple(part.masses), rows)
