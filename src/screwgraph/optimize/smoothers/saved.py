"""A window in a file: where a smoother stands, to go on from there in another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.optimize.smoothers.window import Window

NAMES = ("values", "parameters", "prior")


@dataclass(frozen=True, eq=False)
class Standing:
    """Values, parameters of factors, and the prior on the first step; empty where it is held fast."""

    values: Float[np.ndarray, " s"]
    parameters: Float[np.ndarray, " p"]
    prior: Float[np.ndarray, " h"]


def save_standing(path: Path, window: Window, standing: Standing, besides: Mapping[str, Any]) -> None:
    """Write a .npz file, with arrays `besides`. Raises InputError where that is not possible."""
    arrays = {name: getattr(standing, name) for name in NAMES} | {f"besides:{n}": x for n, x in besides.items()}
    try:
        with path.open("wb") as file:
            np.savez(file, window=np.array(_described(window)), **arrays)
    except OSError as error:
        raise InputError(f"{path} cannot be written", why=str(error.strerror)) from None


def load_standing(path: Path, window: Window, like: Standing) -> Standing:
    """Read it back. Raises InputError for another file, or one of another window."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: np.asarray(file[name], dtype=float) for name in NAMES}
            told = str(file["window"])
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"{path} holds no saved smoother", why=str(error)) from None
    sizes = {name: getattr(like, name).shape for name in NAMES}
    if told != _described(window) or any(found[name].shape != sizes[name] for name in NAMES):
        raise InputError(f"{path} was saved by a smoother of another window", fix="load it with the same problem")
    return Standing(**found)


def load_besides(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return arrays that were saved besides. Raises InputError where there are none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[f"besides:{name}"] for name in names}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise InputError(f"{path} was saved by something else", why=str(error)) from None


def _described(window: Window) -> str:
    """Return a text that tells windows apart: families, factors, the names and shapes of their parameters."""
    families = [(v.name, repr(v.manifold), int(v.count)) for v in window.problem.families]
    factors = [
        (f.name, sorted((n, x.shape) for n, x in {**f.shared, **f.each}.items())) for f in window.problem.factors
    ]
    return sha256(repr((families, factors, window.pinned)).encode()).hexdigest()
