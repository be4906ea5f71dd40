"""The motion of a mechanism over time."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.models.mechanism.text import to_texts
from screwgraph.simulation import in_short, save_table

ARRAYS = ("t", "q", "qd", "qdd", "tau", "energy", "work", "violation")


@dataclass(frozen=True, eq=False)
class Run:
    """A motion: N states at times t (s) from 0; SI units.

    `tau` are the torques of the motors (N m). `energy` is kinetic plus potential (J), springs included, `work` what
    motors, forces and torques did since the beginning, less what dampers took (J), `violation` the largest distance
    (m, rad) of coordinates from closing a constraint.
    """

    mechanism: Mechanism
    method: str
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N n"]
    qd: Float[np.ndarray, "N n"]
    qdd: Float[np.ndarray, "N n"]
    tau: Float[np.ndarray, "N motors"]
    energy: Float[np.ndarray, " N"]
    work: Float[np.ndarray, " N"]
    violation: Float[np.ndarray, " N"]

    def __repr__(self) -> str:
        return in_short(self.mechanism.name, self)

    def point(self, reference: int | str) -> Float[np.ndarray, "N 2"]:
        """Return the path of a point (m), given by number or name. Raises InputError where there is none."""
        return self.mechanism.position(self.q, reference)

    def coordinate(self, name: str) -> Float[np.ndarray, " N"]:
        """Return a coordinate over time (m, rad). Raises InputError where there is none."""
        return self.q[:, self.mechanism.index(name)]

    @property
    def energy_drift(self) -> float:
        """The largest change of energy (J) that no work explains: an error of the integration."""
        return float(np.abs(self.energy - self.energy[0] - self.work).max())

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:theta, ..., energy, work, violation."""
        names = [f"{kind}:{name}" for kind in ("q", "qd", "qdd") for name in self.mechanism.coordinates]
        motors = [f"tau:{self.mechanism.angles[i].name}" for i in self.mechanism.motors]
        return ("t", *names, *motors, "energy", "work", "violation")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the mechanism, too; `screwgraph view` shows it.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        arrays = {name: getattr(self, name) for name in ARRAYS}
        save_table(path, self.columns, arrays, method=self.method, **to_texts(self.mechanism))
