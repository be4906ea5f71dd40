"""Files of arrays (.npz)."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from screwgraph.base.errors import InputError

DAMAGED = (ValueError, EOFError, BadZipFile, NotImplementedError, RuntimeError, zlib.error, SyntaxError)
"""What NumPy raises for files that are no archives, or broken ones."""


def read_arrays(path: str | os.PathLike[str], names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return arrays of an .npz file. Raises InputError where it cannot be read, or one is missing."""
    try:
        with Path(path).open("rb") as source:
            file = np.load(source, allow_pickle=False)
            if not hasattr(file, "files"):
                raise InputError(f"{path} is not an .npz file")
            for name in names:
                if name not in file.files:
                    raise InputError(f"{path} has no array {name!r}", fix=f"it must have {', '.join(names)}")
            found = {name: file[name] for name in names}
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read", why=error.strerror or str(error), fix="check the path") from None
    except DAMAGED:
        fix = f"write one with np.savez(path, {', '.join(f'{name}=...' for name in names)})"
        raise InputError(f"{path} cannot be read", why="it is no .npz file, or damaged", fix=fix) from None
    for name, values in found.items():
        if values.dtype.kind not in "iuf":
            raise InputError(f"{path}: {name!r} holds no numbers, but {values.dtype}")
    return found
