"""Templates of a mechanism's factors that depend on unknown parameters, torques or multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.model.mechanism.sensors import SensorResidual
from screwgraph.motion.estimation.factors.dynamics import solve_multipliers
from screwgraph.optimize.template_wrappers import flatten_residual
from screwgraph.tape import Tape, depends_on, substitute_scalars, tape_of

SYMBOL = "parameters"
"""What their symbols are called."""

ZERO = 1e-12
"""Size below which a value is no measure of how large its changes may be."""


@dataclass(frozen=True)
class MultiplierReading:
    """A sensor of forces within a mechanism, by q, qd, qdd and efforts on coordinates `acting`, one vector a group."""

    template: SensorResidual
    acting: tuple[tuple[int, ...], ...] = ()

    def __call__(self, q: Any, qd: Any, qdd: Any, *efforts: Any, measured: Any) -> Any:
        """Residual of the template."""
        mechanism = self.template.mechanism
        force = add_efforts(mechanism.n, self.acting, efforts)
        return self.template(q, qdd, solve_multipliers(mechanism, q, qd, force), measured=measured)


def add_efforts(n: int, acting: Sequence[Sequence[int]], efforts: Sequence[Any]) -> Any:
    """Return the forces on all coordinates (n,) of efforts on some, one vector a group; none: 0."""
    if not acting:
        return 0.0
    force = np.zeros(n, dtype=object)
    for slots, effort in zip(acting, efforts, strict=True):
        force[list(slots)] = force[list(slots)] + effort
    return force


@dataclass(frozen=True)
class ParametricTemplate:
    """A template of a varied mechanism; after its own unknowns come efforts, `ends` of each group, then parameters.

    Efforts, torques and forces of contacts, act on the coordinates `acting`, group by group; those at both ends of a
    time step with their mean. `is_parametric` says whether the template depends on parameters; only then they are among
    its unknowns.
    """

    template: Any
    varied: SymbolicMechanism
    acting: tuple[tuple[int, ...], ...] = ()
    ends: int = 0
    is_parametric: bool = False

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Residual of the template."""
        own = list(unknowns)
        values = own.pop() if self.is_parametric else None
        if self.acting:
            first = len(own) - self.ends * len(self.acting)
            means = [sum(own[i : i + self.ends]) / self.ends for i in range(first, len(own), self.ends)]
            own, force = own[:first], add_efforts(self.varied.mechanism.n, self.acting, means)
            parameters["force"] = parameters.get("force", 0.0) + force
        if not self.varied.names:
            return self.template(*own, **parameters)
        # Parameters are scalars of a tape of their own: the template is written there, and moved.
        moved: dict[Any, Any] = {} if values is None else dict(zip(self.varied.symbols, values, strict=True))

        def symbol(x: Any) -> Any:
            inputs = self.varied.tape.inputs("x", np.shape(x))
            moved.update(zip(np.ravel(inputs), np.ravel(np.asarray(x, dtype=object)), strict=True))
            return inputs

        residual = self.template(*map(symbol, own), **{name: symbol(x) for name, x in parameters.items()})
        return substitute_scalars(flatten_residual(residual).tolist(), moved)


@dataclass(frozen=True, eq=False)
class SymbolicMechanism:
    """A mechanism of parameters in `symbols`: `names`, divided by `scale`. `values` are the nominal."""

    mechanism: Mechanism
    names: tuple[str, ...]
    symbols: np.ndarray
    scale: Float[np.ndarray, " k"]
    values: Float[np.ndarray, " k"]

    def acceleration(
        self, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"], force: Any, scaled: Any
    ) -> Float[np.ndarray, " n"]:
        """Return accelerations (n,); `force` (n,) is added to its own, `scaled` are parameters over their scale."""
        parameters = [self.scale * scaled] if self.names else []
        acceleration = compile_mechanism(self.mechanism.nominal, self.names).acceleration
        return acceleration(q, qd, np.broadcast_to(force, np.shape(q)), *parameters)

    @property
    def tape(self) -> Tape:
        """The tape of the symbols, if there are any."""
        return tape_of(self.symbols)


@lru_cache(maxsize=64)
def make_symbolic_mechanism(mechanism: Mechanism, names: tuple[str, ...]) -> SymbolicMechanism:
    """Return a mechanism with symbols for parameters and values; the same for the same, so that code is kept.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; one is named twice.
    """
    if not names:
        return SymbolicMechanism(mechanism, (), np.zeros(0), np.zeros(0), np.zeros(0))
    live = live_mechanism(mechanism, names)
    values = np.array(live.values)
    scale = np.where(np.abs(values) > ZERO, np.abs(values), 1.0)
    symbols = Tape(merge="form").inputs(SYMBOL, (len(names),))
    return SymbolicMechanism(live.with_values(list(scale * symbols)), names, symbols, scale, values)


def depends_on_parameters(
    template: Any, varied: SymbolicMechanism, sizes: tuple[int, ...], parameters: tuple[str, ...]
) -> bool:
    """Return whether a template, of unknowns of such sizes and parameters of such names, depends on the parameters."""
    if not varied.names:
        return False
    own = [varied.tape.inputs("x", (size,)) for size in sizes]
    residual = template(*own, **{name: varied.tape.input(name) for name in parameters})
    return depends_on(flatten_residual(residual).tolist(), list(varied.symbols))
