"""What is known of a motion, as tables over its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.motion.estimation.bayes.known_names import Known
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.bayes.paths import DERIVATIVES, Path


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """Known values by kind, (steps, columns), NaN elsewhere.

    Along paths, values are smoothed ones; their derivatives are among what is known. `rates` (steps, n) are those of
    paths of positions, NaN elsewhere, `sigma` (steps, n) is the noise of these.
    """

    model: NetworkModel
    dt: float
    tables: Mapping[str, Float[np.ndarray, "steps _"]]
    rates: Float[np.ndarray, "steps n"]
    sigma: Float[np.ndarray, "steps n"]

    @classmethod
    def from_known(
        cls,
        model: NetworkModel,
        steps: int,
        dt: float,
        known: Sequence[Known],
        given: Mapping[str, np.ndarray],
        paths: Sequence[Path],
    ) -> KnownMotion:
        """Return that of known values by name, and of paths among them."""
        tables = {kind: np.full((steps, model.size(kind)), np.nan) for kind in model.parts}
        rates, sigma = np.full((steps, model.nv), np.nan), np.zeros((steps, model.nv))
        for own in known:
            if own.kind in tables:
                tables[own.kind][np.ix_(own.steps, own.columns)] = given[own.name]
        for path in paths:
            at, columns = path.steps, path.part.columns
            curve = path.smooth(tables[path.kind][np.ix_(at, columns)], dt)
            tables[path.kind][np.ix_(at, columns)] = curve.values
            if path.kind in ("q", "z"):
                places = tuple(model.independent[i] if path.kind == "z" else i for i in path.part.rows)
                rates[np.ix_(at, places)], sigma[np.ix_(at, places)] = curve.rates, curve.sigma
            orders = dict(zip(DERIVATIVES[path.kind], (curve.rates, curve.accelerations), strict=False))
            for derived in path.derived:
                there = [k - at[0] for k in derived.steps]
                tables[derived.kind][np.ix_(derived.steps, path.part.rows)] = orders[derived.kind][there]
        return cls(model, dt, tables, rates, sigma)

    def values(self, known: Known) -> Float[np.ndarray, "steps columns"]:
        """Return the values of one of the tables' entries."""
        return self.tables[known.kind][np.ix_(known.steps, known.columns)]

    def motion(self, kind: str) -> Float[np.ndarray, "steps _"]:
        """Return all coordinates of "q", "qd" or "qdd", independent ones ("z") among them."""
        found, own = self.tables[kind].copy(), self.tables.get(kind.replace("q", "z"))
        if own is not None:
            places = list(self.model.z_columns if kind == "q" else self.model.independent)
            found[:, places] = np.where(np.isnan(own), found[:, places], own)
        return found

    def interpolate_positions(self) -> Float[np.ndarray, "steps nq"]:
        """Return known positions, of scalar coordinates also between known ones; NaN where nothing is known."""
        found, steps = self.motion("q"), np.arange(len(self.tables["q"]))
        for part in self.model.parts["q"]:
            (column, *others), at = part.columns, ~np.isnan(found[:, part.columns[0]])
            if at.any() and not others:
                found[:, column] = np.interp(steps, steps[at], found[at, column])
        return found

    def known_rows(self, kind: str) -> Bool[np.ndarray, "steps nv"]:
        """Return which directions of "q", "qd" or "qdd" are known."""
        return self.model.mark_rows(kind, ~np.isnan(self.motion(kind)))
