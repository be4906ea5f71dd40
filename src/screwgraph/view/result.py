"""Motions that were saved: what `simulate`, `estimate` and `plan` write as .npz."""

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
from screwgraph.mechanism import Mechanism, from_texts
from screwgraph.robot import Robot
from screwgraph.summary import one_line
from screwgraph.view.mechanisms import mechanism_scene
from screwgraph.view.robots import robot_scene
from screwgraph.view.scene import Scene
from screwgraph.view.thin import RATE

NAMES = ("t", "q", "robot", "mechanism", "values")


@dataclass(frozen=True, eq=False)
class Result:
    """A motion of a robot or a planar mechanism: times (N,) in s, positions (N, nq)."""

    __repr__ = one_line

    robot: Robot | Mechanism
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a motion from an .npz file with `t`, `q`, and `robot` or `mechanism`: the text of such a YAML file.

    Raises:
        InputError: the file is missing, none of ours or damaged, or its arrays do not fit the robot.
        ModelError: the text is damaged.
    """
    file = str(path)
    arrays = _arrays(Path(path), file)
    who = "mechanism" if "mechanism" in arrays else "robot"
    missing = [name for name in ("t", "q", who) if name not in arrays]
    if missing:
        raise InputError(f"there is no {', '.join(missing)} in the file", at=file, fix=_REMEDY)
    robot = _mechanism(arrays, file) if who == "mechanism" else _robot(str(arrays["robot"]), file)
    t, q = arrays["t"], arrays["q"]
    if t.dtype.kind not in "fiu" or q.dtype.kind not in "fiu" or t.ndim != 1 or q.shape != (len(t), robot.nq):
        raise InputError(
            f"t has the shape {t.shape} and q {q.shape}", at=file, why=f"expected (N,) and (N, {robot.nq})", fix=_REMEDY
        )
    if not len(t) or not (np.isfinite(t).all() and np.isfinite(q).all()):
        raise InputError("the motion is empty or not finite", at=file, fix=_REMEDY)
    return Result(robot, t.astype(float), q.astype(float))


_REMEDY = "write one with: screwgraph simulate ROBOT -o run.npz"


def result_scene(result: Result, rate: float = RATE) -> Scene:
    """Return a saved motion as a scene, about `rate` states a second. Raises InputError as `robot_scene`."""
    if isinstance(result.robot, Mechanism):
        return mechanism_scene(result.robot, result.t, result.q, rate=rate)
    return robot_scene(result.robot, result.t, result.q, rate=rate)


def _mechanism(arrays: dict[str, np.ndarray], file: str) -> Mechanism:
    return from_texts(str(arrays["mechanism"]), str(arrays.get("values", "{}")), file)


def _robot(text: str, file: str) -> Robot:
    if not text.strip():
        raise InputError(
            "the file does not say which robot moves",
            at=file,
            why="it has a type of joint that our YAML has no word for",
            fix="use screwgraph.view.export(robot, t, q, path)",
        )
    return from_text(text, file)


def _arrays(path: Path, file: str) -> dict[str, np.ndarray]:
    try:
        with path.open("rb") as source:
            arrays = np.load(source, allow_pickle=False)
            if isinstance(arrays, np.ndarray):
                raise InputError("the file holds a single array", at=file, fix=_REMEDY)
            return {name: arrays[name] for name in NAMES if name in arrays.files}
    except OSError as error:
        raise InputError("the file cannot be read", at=file, why=error.strerror or str(error)) from error
    except InputError:
        raise
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InputError("this is not an .npz file, or it is damaged", at=file, fix=_REMEDY) from error
