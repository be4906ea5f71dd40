"""Motions that were saved: what `screwgraph simulate` writes as .npz."""

from __future__ import annotations

import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats import from_text
from screwgraph.robot import Robot

SUFFIX = ".npz"


@dataclass(frozen=True, eq=False)
class Result:
    """A motion of a robot: times (N,) in s, positions (N, nq)."""

    robot: Robot
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read the robot and its motion from an .npz file with `robot` (the text of a robot YAML file), `t` and `q`.

    Raises:
        InputError: the file is missing, none of ours or damaged, or its arrays do not fit the robot.
        ModelError: the robot's text is damaged.
    """
    file = str(path)
    arrays = _arrays(Path(path), file)
    missing = [name for name in ("t", "q", "robot") if name not in arrays]
    if missing:
        raise InputError(f"there is no {', '.join(missing)} in the file", at=file, fix=_REMEDY)
    text, t, q = str(arrays["robot"]), arrays["t"], arrays["q"]
    if not text.strip():
        raise InputError(
            "the file does not say which robot moves",
            at=file,
            why="it has a type of joint that our YAML has no word for",
            fix="use screwgraph.view.export(robot, t, q, path)",
        )
    robot = from_text(text, file)
    if t.dtype.kind not in "fiu" or q.dtype.kind not in "fiu" or t.ndim != 1 or q.shape != (len(t), robot.nq):
        raise InputError(
            f"t has the shape {t.shape} and q {q.shape}", at=file, why=f"expected (N,) and (N, {robot.nq})", fix=_REMEDY
        )
    if not len(t) or not (np.isfinite(t).all() and np.isfinite(q).all()):
        raise InputError("the motion is empty or not finite", at=file, fix=_REMEDY)
    return Result(robot, t.astype(float), q.astype(float))


_REMEDY = "write one with: screwgraph simulate ROBOT -o run.npz"


def _arrays(path: Path, file: str) -> dict[str, np.ndarray]:
    try:
        with path.open("rb") as source:
            arrays = np.load(source, allow_pickle=False)
            if isinstance(arrays, np.ndarray):
                raise InputError("the file holds a single array", at=file, fix=_REMEDY)
            return {name: arrays[name] for name in ("t", "q", "robot") if name in arrays.files}
    except OSError as error:
        raise InputError("the file cannot be read", at=file, why=error.strerror or str(error)) from error
    except InputError:
        raise
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InputError("this is no .npz file, or it is damaged", at=file, fix=_REMEDY) from error
