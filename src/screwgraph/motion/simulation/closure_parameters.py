"""Which parameters of a model its constraints depend on: states are closed for these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import Parameter, parameters_of
from screwgraph.tape import Tape, depends_on


@dataclass(frozen=True, eq=False)
class ClosureParameters:
    """Parameters on which constraints depend: of a robot, or `names` of a mechanism's; `places` in the whole vector."""

    __repr__ = one_line

    parameters: tuple[Parameter, ...] = ()
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """Return their numbers among those of all parameters."""
        return values[list(self.places)]


def find_closure_parameters(
    model: Robot | Mechanism, names: Sequence[str], payload: str | None = None
) -> ClosureParameters:
    """Return those of some parameters on which a model's constraints depend.

    Raises:
        InputError: unknown names.
    """
    return _of_mechanism(model, tuple(names)) if isinstance(model, Mechanism) else _of_robot(model, names, payload)


def _of_robot(robot: Robot, names: Sequence[str], payload: str | None) -> ClosureParameters:
    live = parameters_of(robot, names, payload)
    sizes = [len(parameter.nominal(robot)) for parameter in live]
    own = [i for i, p in enumerate(live) if p.moves_loops(robot)]
    places = tuple(place for i in own for place in range(sum(sizes[:i]), sum(sizes[: i + 1])))
    return ClosureParameters(tuple(live[i] for i in own), (), places)


def _of_mechanism(mechanism: Mechanism, names: tuple[str, ...]) -> ClosureParameters:
    if not names:
        return ClosureParameters()
    tape = Tape(merge="form")
    symbols = tape.inputs("parameter", (len(names),))
    q, made = tape.inputs("q", (mechanism.n,)), live_mechanism(mechanism, names).with_values(list(symbols))
    rows = [value for c in constraints_of(made) for value in c(q if c.coordinates else ())]
    places = tuple(i for i, symbol in enumerate(symbols) if depends_on(rows, [symbol]))
    return ClosureParameters((), tuple(names[i] for i in places), places)
