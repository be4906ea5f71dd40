"""Mechanisms whose parameters are scalars of a tape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import compiled
from screwgraph.errors import InputError
from screwgraph.mechanism.compiled import compiled_mechanism
from screwgraph.mechanism.equations import Equations
from screwgraph.models.mechanism.mechanism import Mechanism, Source
from screwgraph.models.mechanism.read import read_mechanism
from screwgraph.models.mechanism.symbolic_numbers import Traced, as_expressions
from screwgraph.optimize.kernels import without_unused
from screwgraph.optimize.manifold_code import number_names
from screwgraph.robot import unknown
from screwgraph.tape import Tape, program, tape_of

FIGURES = "parameters"
"""What their symbols are called."""
ZERO = 1e-12
"""Size below which a value is no measure of how large its changes may be."""
_WITH_FIGURES = ("points", "bodies", "gears", "springs", "dampers", "forces", "torques", "gravity")


@dataclass(frozen=True, eq=False)
class Varied:
    """A mechanism of parameters in `symbols`: `names`, divided by `scale`. `values` are the nominal."""

    mechanism: Mechanism
    names: tuple[str, ...]
    symbols: np.ndarray
    scale: Float[np.ndarray, " k"]
    values: Float[np.ndarray, " k"]

    def acceleration(
        self, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"], force: Any, figures: Any
    ) -> Float[np.ndarray, " n"]:
        """Return accelerations (n,); `force` (n,) is added to the mechanism's own, `figures` are over their scale."""
        if not self.names:
            return compiled_mechanism(self.mechanism).acceleration(q, qd, np.broadcast_to(force, np.shape(q)))
        vectors = (np.ascontiguousarray(x, dtype=float) for x in (q, qd, np.broadcast_to(force, np.shape(q)), figures))
        return self._acceleration(*vectors)

    @property
    def tape(self) -> Tape:
        """The tape of the symbols, if there are any."""
        return tape_of(self.symbols)

    @cached_property
    def _acceleration(self) -> np.ufunc:
        n, sizes = self.mechanism.n, {"q": self.mechanism.n, "qd": self.mechanism.n, "force": self.mechanism.n}
        q, qd, force = (self.tape.inputs(name, (size,)) for name, size in sizes.items())
        qdd = Equations(self.mechanism, q, qd).solved_motion(force)[0]
        arguments = [((k,), number_names(name, (k,))) for name, k in {**sizes, FIGURES: len(self.names)}.items()]
        code = without_unused(program(self.tape, list(qdd)))
        return compiled("acceleration", code, arguments, [(n,)], batches=False).ufunc


@lru_cache(maxsize=64)
def varied(mechanism: Mechanism, names: tuple[str, ...]) -> Varied:
    """Return a mechanism with symbols for parameters and values; the same for the same, so that code is kept.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; a name stands there twice.
    """
    if not names:
        return Varied(mechanism, (), np.zeros(0), np.zeros(0), np.zeros(0))
    if mechanism.source is None:
        raise InputError(
            f"mechanism {mechanism.name!r} was not read from a file",
            why="parameters are those of its file",
            fix="write it to a YAML file",
        )
    known = dict(mechanism.source.values)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"parameter {name!r} stands there twice")
        if name not in known:
            raise unknown("parameter or figure", name, known)
    values = np.array([float(known[name]) for name in names])
    scale = np.where(np.abs(values) > ZERO, np.abs(values), 1.0)
    symbols = Tape(merge="form").inputs(FIGURES, (len(names),))
    listed = zip(names, values, scale, symbols, strict=True)
    traced = {name: Traced(value, size * symbol) for name, value, size, symbol in listed}
    return Varied(_symbolic(mechanism, mechanism.source, traced), names, symbols, scale, values)


def _symbolic(mechanism: Mechanism, source: Source, traced: dict[str, Traced]) -> Mechanism:
    read = read_mechanism(source.data, source.file, {**dict(source.given), **traced})
    parts = {section: as_expressions(getattr(read, section)) for section in _WITH_FIGURES}
    return replace(read, **parts, nominal=mechanism)
