"""Mechanisms whose figures are symbols."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.equations import Equations
from screwgraph.models.mechanism.mechanism import Mechanism, Source
from screwgraph.models.mechanism.read import read_mechanism
from screwgraph.models.mechanism.symbolic_numbers import Traced, as_expressions
from screwgraph.robot import unknown

ZERO = 1e-12
"""Size below which a value is no measure of how large its changes may be."""
_WITH_FIGURES = ("points", "bodies", "gears", "springs", "dampers", "forces", "torques", "gravity")


@dataclass(frozen=True, eq=False)
class Varied:
    """A mechanism whose figures are expressions of `symbols`: `names`, divided by `scale`. `values` are the nominal."""

    mechanism: Mechanism
    names: tuple[str, ...]
    symbols: Any
    scale: Float[np.ndarray, " k"]
    values: Float[np.ndarray, " k"]

    def acceleration(
        self, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"], force: Any, figures: Any
    ) -> Float[np.ndarray, " n"]:
        """Return accelerations (n,); `force` (n,) is added to the mechanism's own, `figures` are over their scale."""
        return np.array(self._acceleration(q, qd, force, figures)).ravel()

    @cached_property
    def _acceleration(self) -> Any:
        import casadi as ca

        mechanism = self.mechanism
        q, qd, force = (ca.SX.sym(name, mechanism.n) for name in ("q", "qd", "force"))
        qdd = Equations(mechanism, q, qd).solved_motion(force)[0]
        return ca.Function("acceleration", [q, qd, force, self.symbols], [ca.densify(qdd)])


@lru_cache(maxsize=64)
def varied(mechanism: Mechanism, names: tuple[str, ...]) -> Varied:
    """Return a mechanism with symbols for parameters and figures; the same for the same, so that code is kept.

    Raises:
        InputError: the mechanism was not read from a file, or has nothing of a name; a name stands there twice.
    """
    import casadi as ca

    if not names:
        return Varied(mechanism, (), ca.SX(0, 1), np.zeros(0), np.zeros(0))
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
    symbols = ca.SX.sym("figures", len(names))
    listed = zip(names, values, scale, ca.vertsplit(symbols), strict=True)
    traced = {name: Traced(value, size * symbol) for name, value, size, symbol in listed}
    return Varied(_symbolic(mechanism, mechanism.source, traced), names, symbols, scale, values)


def _symbolic(mechanism: Mechanism, source: Source, traced: dict[str, Traced]) -> Mechanism:
    read = read_mechanism(source.data, source.file, {**dict(source.given), **traced})
    parts = {section: as_expressions(getattr(read, section)) for section in _WITH_FIGURES}
    return replace(read, **parts, nominal=mechanism)
