"""Where parameters of factors stand in the arrays of an assembly, to be changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.batch import Batch

Slot = tuple[np.ndarray, slice]
"""Rows of an array, and columns."""


@dataclass(frozen=True, eq=False)
class ParameterSlots:
    """Slots of parameters, by factors and parameter: an array of the assembly, and where in its rows."""

    slots: Mapping[tuple[str, str], Slot]

    @classmethod
    def of(cls, assembly: Assembly) -> ParameterSlots:
        """Return the slots of an assembly whose parameters belong to nobody else."""
        found: dict[tuple[str, str], Slot] = {}
        for batch in assembly.batches:
            if batch.factors.refresh is None:
                found |= _find_slots(batch)
        return cls(found)

    def write(self, name: str, parameter: str, value: np.ndarray) -> bool:
        """Write a parameter of some factors; return whether it has a slot."""
        if (name, parameter) not in self.slots:
            return False
        rows, columns = self.slots[name, parameter]
        count = rows[:, columns].size
        rows[:, columns] = value.reshape(len(rows), -1) if value.size == count else value.reshape(1, -1)
        return True


def _find_slots(batch: Batch) -> dict[tuple[str, str], Slot]:
    """Return the slots of a batch; what several groups of factors share has none."""
    found: dict[tuple[str, str], Slot] = {}
    signature, groups = batch.factors.signature, batch.members
    parts = [p for p in (signature.shared, signature.each) if p]
    for names, array in zip(parts, batch.parameters, strict=True):
        if names is signature.shared and len(groups) > 1:
            continue
        first = 0
        ends = np.cumsum([int(np.prod(shape)) for _, shape in names]).tolist()
        for group, count in groups:
            rows = array.reshape(1, -1) if array.ndim == 1 or len(array) == 1 else array[first : first + count]
            for (name, shape), end in zip(names, ends, strict=True):
                found[group, name] = rows, slice(end - int(np.prod(shape)), end)
            first += count
    return found
