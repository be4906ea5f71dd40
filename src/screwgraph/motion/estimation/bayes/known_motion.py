"""What is known of a motion, as tables over its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism import Mechanism
from screwgraph.motion.estimation.bayes.known_names import Known, label_entries
from screwgraph.motion.estimation.bayes.paths import DERIVATIVES, Path


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """Known values by kind, (steps, entries), NaN elsewhere.

    Along paths, values are smoothed ones; their derivatives are among what is known. `rates` (steps, n) are those of
    paths of positions, NaN elsewhere, `sigma` (steps, n) is the noise of these.
    """

    mechanism: Mechanism
    dt: float
    tables: Mapping[str, Float[np.ndarray, "steps _"]]
    rates: Float[np.ndarray, "steps n"]
    sigma: Float[np.ndarray, "steps n"]

    @classmethod
    def from_known(
        cls,
        mechanism: Mechanism,
        steps: int,
        dt: float,
        known: Sequence[Known],
        given: Mapping[str, np.ndarray],
        paths: Sequence[Path],
    ) -> KnownMotion:
        """Return that of known values by name, and of paths among them."""
        kinds = ("q", "qd", "qdd", "z", "zd", "zdd", "Q")
        tables = {kind: np.full((steps, len(label_entries(mechanism, kind))), np.nan) for kind in kinds}
        rates, sigma = np.full((steps, mechanism.n), np.nan), np.zeros((steps, mechanism.n))
        for own in known:
            if own.kind in tables:
                tables[own.kind][np.ix_(own.steps, own.entries)] = given[own.name]
        for path in paths:
            at = np.array(path.steps)
            curve = path.smooth(tables[path.kind][at, path.entry], dt)
            tables[path.kind][at, path.entry] = curve.values[:, 0]
            if path.kind in ("q", "z"):
                place = mechanism.freedom.independent[path.entry] if path.kind == "z" else path.entry
                rates[at, place], sigma[at, place] = curve.rates[:, 0], curve.sigma
            orders = dict(zip(DERIVATIVES[path.kind], (curve.rates, curve.accelerations), strict=False))
            for derived in path.derived:
                there = np.array(derived.steps)
                tables[derived.kind][there, path.entry] = orders[derived.kind][there - at[0], 0]
        return cls(mechanism, dt, tables, rates, sigma)

    def values(self, known: Known) -> Float[np.ndarray, "steps entries"]:
        """Return the values of one of the tables' entries."""
        return self.tables[known.kind][np.ix_(known.steps, known.entries)]

    def motion(self, kind: str) -> Float[np.ndarray, "steps n"]:
        """Return all coordinates of "q", "qd" or "qdd", independent ones ("z") among them."""
        found = self.tables[kind].copy()
        own, independent = self.tables[kind.replace("q", "z")], list(self.mechanism.freedom.independent)
        found[:, independent] = np.where(np.isnan(own), found[:, independent], own)
        return found
