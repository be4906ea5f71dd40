"""External wrenches that a simulator holds over its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.simulation.system import Dynamics
from screwgraph.motion.simulation.wrench_efforts import WHY, WRENCHES, WrenchEfforts


class HeldWrenches:
    """Wrenches by name that act unless a step is given others, and those of the last step."""

    def __init__(self, efforts: WrenchEfforts, values: Mapping[str, Any]) -> None:
        self._efforts = efforts
        ends = np.cumsum([0, *efforts.sizes]).tolist()
        self._places = {name: slice(*ends[i : i + 2]) for i, name in enumerate(efforts.names)}
        self._usual: Float[np.ndarray, "*B n"] = np.zeros(ends[-1])
        self._usual = self.fill(values, None)
        self.last = self._usual

    @classmethod
    def read(
        cls, dynamics: Dynamics, names: Sequence[str], values: Mapping[str, Any] | None = None
    ) -> HeldWrenches | None:
        """Read names, and values of some of them; None where there are none. Raises InputError."""
        return cls(dynamics.take_wrenches(names), values or {}) if names else None

    def hold(self, given: Mapping[str, Any] | None, batch: tuple[int, ...]) -> Float[np.ndarray, "*B n"]:
        """Return all wrenches of a step of one state or of a batch, one after the other. Raises InputError."""
        self.last = self.fill({} if given is None else given, batch)
        return self.last

    def fill(self, given: Mapping[str, Any], batch: tuple[int, ...] | None) -> Float[np.ndarray, "*B n"]:
        """Return all wrenches: those given by name, and the usual ones, for any batch where it is not known yet.

        Raises InputError.
        """
        found = self._usual
        if not given and (batch is None or found.ndim == 1 or found.shape[:-1] == batch):
            return found
        for name, value in given.items():
            if name not in self._places:
                raise make_unknown_name_error("external wrench of the simulator", name, tuple(self._places))
            place = self._places[name]
            wrench = _read_wrench(name, value, place.stop - place.start, batch)
            if wrench.ndim > found.ndim:
                found = np.tile(found, (len(wrench), 1))
            found = found.copy()
            found[..., place] = wrench
        if batch is not None and found.ndim == 2 and found.shape[:-1] != batch:
            raise InputError(
                f"{WRENCHES} are for {len(found)} states, the simulator has {batch[0] if batch else 'one'}",
                fix="give as many, or one",
            )
        return found

    def find_forces(self, q: Float[np.ndarray, "*B nq"]) -> Float[np.ndarray, "*B nv"]:
        """Return the forces on all velocity coordinates that the wrenches of the last step are at q."""
        idle = np.zeros((*q.shape[:-1], self._efforts.count))
        return self._efforts.dynamics.force(self._efforts.add_to(idle, q, self.last))


def _read_wrench(name: str, value: Any, size: int, batch: tuple[int, ...] | None) -> Float[np.ndarray, "*B k"]:
    try:
        wrench = convert_numbers(value)
    except (TypeError, ValueError):
        wrench = np.zeros(0)
    fits = wrench.shape == (size,) or (wrench.shape == (*batch, size) if batch is not None else wrench.ndim == 2)
    if not fits or wrench.shape[-1] != size or not np.isfinite(wrench).all():
        expected = f"({size},)" + (f" or ({batch[0] if batch else 'B'}, {size})" if batch != () else "")
        raise InputError(
            f"{WRENCHES}: that of {name!r} has the shape {np.shape(wrench)}, or numbers that are not finite",
            why=WHY,
            fix=f"give {expected}",
        )
    return wrench
