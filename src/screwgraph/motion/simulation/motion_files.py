"""Motions in files: tables of columns, and arrays with their model."""

from __future__ import annotations

import csv
import io
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model import STATES, coordinate_names
from screwgraph.model.formats import write_atomically
from screwgraph.model.load import TEXTS

if TYPE_CHECKING:
    from screwgraph.motion.simulation.trajectory import Trajectory

SUFFIXES = (".csv", ".npz")
WRENCH = "wrench:"
"""Prefix of arrays of external wrenches, which the name of a frame follows."""
CONTACT = "contact_force:"
"""Prefix of arrays (N, k, 6) of points and forces of k contacts, which the name of a frame follows."""
AXES = ("mx", "my", "mz", "fx", "fy", "fz")
POINT_AXES = ("px", "py", "pz", "fx", "fy", "fz")


def save_motion(
    path: str | os.PathLike[str],
    motion: Trajectory,
    arrays: Mapping[str, np.ndarray],
    names: Sequence[str],
    **facts: Any,
) -> None:
    """Write t, states, external wrenches, forces of contacts, and more arrays, with the names of columns of these.

    Raises:
        InputError: another suffix than .csv and .npz, no such folder, or a path that cannot be written.
    """
    columns, model = (*motion_columns(motion), *names), motion.model
    every = {**motion_arrays(motion), **arrays}
    _save_table(path, columns, every, method=motion.method, **facts, **TEXTS[model.kind].write(model))


def motion_arrays(motion: Trajectory) -> dict[str, np.ndarray]:
    """Return t (N,), states, external wrenches (N, k), contacts' forces (N, k, 6) by the names that files have."""
    own = {name: getattr(motion, name) for name in ("t", *STATES)}
    own |= {f"{WRENCH}{frame}": values for frame, values in motion.external_wrenches.items()}
    return own | {f"{CONTACT}{frame}": values for frame, values in motion.contact_forces.items()}


def join_columns(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the columns of a table (N, n) of arrays (N,), (N, k) or (N, k, 6)."""
    return np.column_stack([x.reshape(len(x), -1) for x in arrays.values()])


def motion_columns(motion: Trajectory) -> tuple[str, ...]:
    """Return names of columns: t, q:joint[i] or q:theta, ..., tau:..., wrench:FRAME.mx, ..., contact_force:FRAME.px."""
    acting = (f"{WRENCH}{frame}.{axis}" for frame in motion.external_wrenches for axis in AXES)
    counts = [(frame, forces.shape[1]) for frame, forces in motion.contact_forces.items()]
    states = (f"{kind}:{name}" for kind, names in coordinate_names(motion.model).items() for name in names)
    places = ((f"{frame}[{i}]" if n > 1 else frame) for frame, n in counts for i in range(n))
    return ("t", *states, *acting, *(f"{CONTACT}{place}.{axis}" for place in places for axis in POINT_AXES))


def read_motion(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a `Trajectory` that an .npz file holds.

    Raises:
        InputError: the file is missing, none of ours or damaged, or its arrays do not fit the model.
        ModelError: the text of the model is damaged.
    """
    file = str(path)
    arrays = _arrays(Path(path), file)
    who = next((kind for kind in TEXTS if kind in arrays), "robot")
    missing = [name for name in ("t", *STATES, who) if name not in arrays]
    if missing:
        raise InputError(f"there is no {', '.join(missing)} in the file", at=file, fix=_REMEDY)
    model = TEXTS[who].read({name: str(arrays[name]) for name in (who, "values") if name in arrays}, file)
    sizes = {kind: len(names) for kind, names in coordinate_names(model).items()}
    sizes |= {name: 6 for name in arrays if name.startswith((WRENCH, CONTACT))}
    t = arrays["t"]
    for name, size in sizes.items():
        x = arrays[name]
        own = x[:, 0] if name.startswith(CONTACT) and x.ndim == 3 and x.shape[1] else x
        if x.dtype.kind not in "fiu" or t.dtype.kind not in "fiu" or t.ndim != 1 or own.shape != (len(t), size):
            why = f"expected (N,) and (N, {size})"
            raise InputError(f"t has the shape {t.shape} and {name} {x.shape}", at=file, why=why, fix=_REMEDY)
    if not len(t):
        raise InputError("the motion is empty", at=file, fix=_REMEDY)
    for name in ("t", *sizes):
        if not np.isfinite(arrays[name]).all():
            raise InputError(f"{name} is not finite", at=file, fix=_REMEDY)
    check_growing(t, "the motion", file)
    numbers: dict[str, Any] = {name: arrays[name].astype(float) for name in ("t", *STATES)}
    for field, prefix in (("external_wrenches", WRENCH), ("contact_forces", CONTACT)):
        own = {name.removeprefix(prefix): arrays[name].astype(float) for name in sizes if name.startswith(prefix)}
        numbers[field] = own
    return {"model": model, "method": str(arrays.get("method", "")), **numbers}


def check_growing(t: np.ndarray, of: str, at: str | None = None) -> None:
    """Raise InputError where times (s) do not grow, or are not finite."""
    steps = np.diff(t)
    if not (steps > 0.0).all() or not np.isfinite(t).all():
        k = int(np.argmin(steps > 0.0)) if not (steps > 0.0).all() else len(t) - 2
        what = f"the times of {of} do not grow: t = {t[k + 1]:.6g} s follows on t = {t[k]:.6g} s"
        raise InputError(what if len(t) > 1 else f"the time of {of} is not finite", at=at, why=f"sample {k + 1}")


def check_path(path: str | os.PathLike[str]) -> None:
    """Check that a trajectory could be saved there. Raises InputError as `Trajectory.save` does."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{path!r} is not a path", fix='trajectory.save("run.csv")')
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"no table has the suffix {target.suffix!r}", at=str(path), fix=f"save as one of {', '.join(SUFFIXES)}"
        )
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}", at=str(path), fix="make the folder first")
    if target.is_dir():
        raise InputError("the file cannot be written", at=str(path), why="it is a folder")
    try:
        TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise InputError("the file cannot be written", at=str(path), why=error.strerror or str(error)) from error


_REMEDY = "write one with: screwgraph simulate ROBOT -o run.npz"


def _save_table(
    path: str | os.PathLike[str], columns: Sequence[str], arrays: Mapping[str, np.ndarray], **more: Any
) -> None:
    """Write arrays (N,), (N, k), (N, k, 6) as a table of columns of these names (.csv), or as they are, and more."""
    check_path(path)
    if Path(path).suffix.lower() == ".csv":
        head, body = io.StringIO(), io.BytesIO()
        csv.writer(head, lineterminator="\n").writerow(columns)
        np.savetxt(body, join_columns(arrays), fmt="%.17g", delimiter=",")
        data = head.getvalue().encode("utf-8") + body.getvalue()
    else:
        packed = io.BytesIO()
        others = {name: np.asarray(value) for name, value in more.items()}
        named: dict[str, Any] = {**arrays, "columns": np.array(columns), **others}
        np.savez_compressed(packed, **named)
        data = packed.getvalue()
    write_atomically(Path(path), data, str(path))


def _arrays(path: Path, file: str) -> dict[str, np.ndarray]:
    try:
        with path.open("rb") as source:
            arrays = np.load(source, allow_pickle=False)
            if isinstance(arrays, np.ndarray):
                raise InputError("the file holds a single array", at=file, fix=_REMEDY)
            wanted = {"t", *STATES, "method", *TEXTS, "values"}
            return {name: arrays[name] for name in arrays.files if name in wanted or name.startswith((WRENCH, CONTACT))}
    except OSError as error:
        raise InputError("the file cannot be read", at=file, why=error.strerror or str(error)) from error
    except InputError:
        raise
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InputError("this is not an .npz file, or it is damaged", at=file, fix=_REMEDY) from error
