"""Files of states: arrays by name with a checksum, written as a whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.formats.file_io import find_file, write_atomically

CHECKSUM = "checksum"


def write_state(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays as a .npz file with a checksum; a file that was there stays where this fails.

    Raises:
        InputError: numbers that are not finite, or a path that cannot be written.
    """
    _check_finite(path, arrays, "it would replace one to go on from")
    packed, named = io.BytesIO(), {**arrays, CHECKSUM: np.array(_checksum(arrays))}
    np.savez(packed, **cast(Any, named))
    write_atomically(path, packed.getvalue(), str(path))


def read_state(path: Path, what: str) -> dict[str, np.ndarray]:
    """Return the arrays of a state by name; `what` was saved, in messages.

    Raises:
        InputError: no such file, another one, one that is damaged, or numbers that are not finite.
    """
    find_file(path, str(path))
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except Exception as error:  # an archive that is cut or changed fails at any place of its readers
        raise InputError(f"{path} holds no {what}", why=_first_line(error), fix="save it anew") from error
    found = arrays.pop(CHECKSUM, None)
    if found is None:
        raise InputError(f"{path} holds no {what}", why="it has no checksum", fix="save it anew")
    if str(found) != _checksum(arrays):
        raise InputError(f"{path} is damaged", why="its numbers are not those of its checksum", fix="save it anew")
    _check_finite(path, arrays, "nothing follows from it")
    return arrays


def _check_finite(path: Path, arrays: Mapping[str, np.ndarray], why: str) -> None:
    for name, array in arrays.items():
        if np.issubdtype(np.asarray(array).dtype, np.number) and not np.isfinite(array).all():
            raise InputError(f"{name} of the state {path} is not finite", why=why)


def _checksum(arrays: Mapping[str, np.ndarray]) -> str:
    digest = sha256()
    for name, array in sorted(arrays.items()):
        array = np.asarray(array)
        digest.update(repr((name, array.dtype.str, array.shape)).encode() + array.tobytes())
    return digest.hexdigest()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
