"""A window in a file: where a smoother stands, to go on from there in another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats import read_state, write_state
from screwgraph.optimize.smoothers.window import Window

NAMES = ("values", "parameters", "prior")
BESIDES = "besides:"
ROUNDED = 1e-6
"""Negative eigenvalue of a prior's information, in units of its diagonal, that rounding explains."""


@dataclass(frozen=True, eq=False)
class WindowState:
    """Values, parameters of factors, and the prior on the first step; empty where it is held fast."""

    values: Float[np.ndarray, " s"]
    parameters: Float[np.ndarray, " p"]
    prior: Float[np.ndarray, " h"]


def save_window(path: Path, window: Window, standing: WindowState, besides: Mapping[str, Any]) -> None:
    """Write a .npz file, with arrays `besides`. Raises InputError where that is not possible."""
    arrays = {name: getattr(standing, name) for name in NAMES}
    arrays |= {f"{BESIDES}{name}": np.asarray(x) for name, x in besides.items()}
    write_state(path, {"window": np.array(_describe_window(window)), **arrays})


def load_window(
    path: Path, window: Window, like: WindowState, besides: Mapping[str, Any]
) -> tuple[WindowState, dict[str, np.ndarray]]:
    """Read it back, with arrays that were saved besides, which are of the shapes and kinds of those given.

    Raises:
        InputError: another file, a damaged one, one of another window, or a prior that is none.
    """
    arrays = read_state(path, "saved smoother")
    names = {"window", *NAMES, *(f"{BESIDES}{name}" for name in besides)}
    if missing := names - set(arrays):
        raise InputError(f"{path} was saved by something else", why=f"it has no {', '.join(sorted(missing))}")
    expected = {name: getattr(like, name) for name in NAMES}
    expected |= {f"{BESIDES}{name}": np.asarray(x) for name, x in besides.items()}
    fits = all(
        arrays[name].shape == own.shape and arrays[name].dtype.kind == own.dtype.kind for name, own in expected.items()
    )
    if str(arrays["window"]) != _describe_window(window) or not fits:
        raise InputError(f"{path} was saved by a smoother of another window", fix="load it with the same problem")
    found = WindowState(*(np.asarray(arrays[name], dtype=float) for name in NAMES))
    _check_prior(path, window, found.prior)
    return found, {name: arrays[f"{BESIDES}{name}"] for name in besides}


def _check_prior(path: Path, window: Window, prior: Float[np.ndarray, " h"]) -> None:
    """Raise InputError where the information of a prior is not symmetric and positive."""
    n = window.held_size
    if not prior.size or not n:
        return
    information = prior[: n * n].reshape(n, n)
    sizes = np.sqrt(np.abs(np.diag(information)))
    scale = np.where(sizes > 0.0, sizes, 1.0)
    scaled = information / np.outer(scale, scale)
    if not np.allclose(scaled, scaled.T, atol=ROUNDED) or np.linalg.eigvalsh(scaled)[0] < -ROUNDED * n:
        why = "its information is not symmetric and positive semi-definite"
        raise InputError(f"the prior in {path} is none", why=why, fix="save it anew")


def _describe_window(window: Window) -> str:
    """Return a text that tells windows apart: families, factors, the names and shapes of their parameters."""
    families = [(v.name, repr(v.manifold), int(v.count)) for v in window.problem.families]
    factors = [
        (f.name, sorted((n, x.shape) for n, x in {**f.shared, **f.each}.items())) for f in window.problem.factors
    ]
    return sha256(repr((families, factors, window.pinned)).encode()).hexdigest()
