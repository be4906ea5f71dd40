"""Names and small conversions of a compiled MuJoCo model."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.spatial import quaternions, transform


def import_mujoco() -> Any:
    """Import MuJoCo, which is an optional dependency. Raises ImportError."""
    return import_module("mujoco")


class Names:
    """The names of a model's parts; those without one are called after their number, body3, and never twice."""

    def __init__(self, model: Any) -> None:
        self._names: bytes = model.names
        self.model = self._read_name(0) or "mjcf"
        self.bodies = self._unique("body", model.name_bodyadr)
        self.joints = self._unique("joint", model.name_jntadr)
        self.equalities = self._unique("equality", model.name_eqadr)
        self.actuators = self._unique("actuator", model.name_actuatoradr)
        self.sites = [self._read_name(start) or None for start in model.name_siteadr]
        x, y, z = model.opt.gravity
        self.gravity = (float(x), float(y), float(z))

    def _read_name(self, start: int) -> str:
        """Return the name that begins at a byte of MuJoCo's names; what is not UTF-8 is Latin-1, as in other files."""
        name = self._names[start : self._names.index(b"\0", start)]
        try:
            return name.decode()
        except UnicodeDecodeError:
            return name.decode("latin-1")

    def _unique(self, word: str, starts: Iterable[int]) -> list[str]:
        given = [self._read_name(start) for start in starts]
        taken = {name for name in given if name}
        names = []
        for i, name in enumerate(given):
            called = name or f"{word}{i}"
            while not name and called in taken:
                called += "_"
            taken.add(called)
            names.append(called)
        return names


def make_pose(position: Float[np.ndarray, "3"], wxyz: Float[np.ndarray, "4"]) -> Float[np.ndarray, "4 4"]:
    """Build T from a position and a quaternion in MuJoCo's order, w first."""
    w, x, y, z = np.asarray(wxyz, dtype=float)
    R = np.eye(3) if (x, y, z) == (0.0, 0.0, 0.0) else quaternions.to_rotation(np.array([x, y, z, w]))
    return transform(R, np.array(position, dtype=float))


def make_translation(p: Float[np.ndarray, "3"]) -> Float[np.ndarray, "4 4"]:
    """Build the translation by p."""
    return transform(np.eye(3), np.array(p, dtype=float))
