"""Where unknowns are: values about which factors are linear, and directions from there, which a tree solves for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.manifold_code import retract_values
from screwgraph.optimize.parameters import validate_array
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.optimize.variables import Selection, Variables, selection


class Linearisation:
    """Unknowns, counted family by family, and the tree that holds their directions."""

    def __init__(self, layout: ValueLayout, start: Mapping[str, Any]) -> None:
        self.layout = layout
        self.x = layout.pack(start).copy()
        self.views = layout.views(self.x)
        self.tree = BayesTree(layout.sizes)
        places = [(v, self.tree.delta[layout.directions[v.name]]) for v in layout.families]
        self._steps = {v.name: own.reshape(v.count, v.manifold.dim) for v, own in places}
        self._before: list[tuple[str, np.ndarray, np.ndarray]] = []
        counts = [v.count for v in layout.families]
        names = [v.name for v in layout.families]
        self._first = dict(zip(names, (np.cumsum(counts) - counts).tolist(), strict=True))
        self._families = dict(zip(names, layout.families, strict=True))

    def unknowns(self, given: Selection | Variables) -> Int[np.ndarray, " k"]:
        """Return the numbers of unknowns. Raises InputError where they are not in the problem."""
        chosen = selection(given)
        if chosen.variables not in self.layout.families:
            known = ", ".join(self._families)
            raise InputError(f"{chosen.variables.name} is no family of this problem", fix=f"there are {known}")
        return chosen.indices + self._first[chosen.variables.name]

    def near(self, v: Variables, chosen: Int[np.ndarray, " k"]) -> np.ndarray:
        """Return the values of some unknowns of a family as they are now."""
        return retract_values(v.manifold, self.views[v.name][chosen], self._steps[v.name][chosen])

    def moved_views(self) -> dict[str, np.ndarray]:
        """Return the values of all unknowns as they are now."""
        return self.layout.views(self.layout.retract(self.x, self.tree.delta))

    def advance(self, unknowns: Int[np.ndarray, " k"]) -> None:
        """Let some unknowns be where they are now: their directions begin there."""
        for v in self.layout.families:
            first = self._first[v.name]
            chosen = unknowns[(unknowns >= first) & (unknowns < first + v.count)] - first
            if len(chosen):
                self._before.append((v.name, chosen, self.views[v.name][chosen]))
                self.views[v.name][chosen] = self.near(v, chosen)
                self._steps[v.name][chosen] = 0.0

    def keep(self) -> None:
        """Keep the values of now, in case that those found next are not finite."""
        self._before.clear()

    def restore(self) -> None:
        """Go back to the values that were kept; unknowns that did not move since stay where they are linear."""
        for name, chosen, values in reversed(self._before):
            self.views[name][chosen] = values
        self._before.clear()
        self.tree.delta[:] = 0.0

    def begin(self, start: Mapping[Any, Any]) -> None:
        """Set values of unknowns that no factor touches. Raises InputError where they do not fit."""
        for key, value in start.items():
            if isinstance(key, str) and key not in self._families:
                raise InputError(f"there are no unknowns {key!r}", fix=f"there are {', '.join(self._families)}")
            chosen = self._families[key][:] if isinstance(key, str) else selection(key)
            name, unknowns = chosen.variables.name, self.unknowns(chosen)
            array, shape = validate_array(f"values of {name}", value), (len(chosen), *chosen.variables.manifold.shape)
            if array.shape != shape and (len(chosen) > 1 or array.shape != shape[1:]):
                raise InputError(f"values of {name} have the shape {array.shape}, expected {shape}")
            array = array.reshape(shape)
            off = np.flatnonzero(chosen.variables.manifold.is_off(array))
            if len(off):
                raise InputError(f"values of {name}: number {off[0]} is not {chosen.variables.manifold.kind}")
            free, at = self.tree.are_free(unknowns), chosen.indices
            if not free.all():
                at, array = at[free], array[free]
            self.views[name][at] = array
            self._steps[name][at] = 0.0
