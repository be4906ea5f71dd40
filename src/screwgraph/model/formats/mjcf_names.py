"""Names and small conversions of a compiled MuJoCo model."""

from __future__ import annotations

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
        mujoco = import_mujoco()
        kinds, self._id2name, self._model = mujoco.mjtObj, mujoco.mj_id2name, model
        self.model: str = model.names.split(b"\0", 1)[0].decode("utf-8", "replace") or "mjcf"
        self.bodies = self._unique("body", kinds.mjOBJ_BODY, model.nbody)
        self.joints = self._unique("joint", kinds.mjOBJ_JOINT, model.njnt)
        self.equalities = self._unique("equality", kinds.mjOBJ_EQUALITY, model.neq)
        self.actuators = self._unique("actuator", kinds.mjOBJ_ACTUATOR, model.nu)
        self.sites = [self._id2name(model, kinds.mjOBJ_SITE, i) for i in range(model.nsite)]
        x, y, z = model.opt.gravity
        self.gravity = (float(x), float(y), float(z))

    def _unique(self, word: str, kind: Any, count: int) -> list[str]:
        given = [self._id2name(self._model, kind, i) for i in range(count)]
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
