"""From a mechanism file, or the name of a built-in one, to a mechanism."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import TEXT, is_text, read_bytes, suggest_name
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.pendulums import MOST, chain_of_pendulums
from screwgraph.model.mechanism.read import read_mechanism
from screwgraph.model.robot import make_unknown_name_error

SUFFIXES = (".yaml", ".yml")
CHAIN = re.compile(r"pendulum_([0-9]{1,4})")
"""Names of chains of rods."""


@check_arguments
def load_mechanism(source: str | os.PathLike[str], values: Mapping[str, float] | None = None) -> Mechanism:
    """Load a mechanism, planar or spatial, from a YAML file or its text, or a built-in one by name, and assemble it.

    Args:
        source: a path (.yaml), the text of such a file, or one of `mechanism_names()`; "pendulum_5" is a chain of
            5 rods.
        values: numbers for its parameters, and for values by key and part as the file writes them, {"L": 1.2,
            "mass:coupler": 3.0, "cog_x:crank": 0.4}; inertias and the like that refer to them follow.

    Raises:
        ModelError: the file is missing, unreadable or describes no mechanism, or it cannot be assembled.
        InputError: no built-in mechanism has that name; values that are no numbers, or of nothing that it has.
    """
    mechanism = _read_mechanism(source, _validate_values(values))
    _ = mechanism.freedom
    return mechanism


def mechanism_names() -> tuple[str, ...]:
    """Return the names of the built-in mechanisms; beside them there are chains "pendulum_N" of N rods."""
    folder = files("screwgraph") / "model" / "zoo" / "mechanisms"
    names = (entry.name for entry in folder.iterdir()) if folder.is_dir() else ()
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def _validate_values(values: Any) -> dict[str, float]:
    found = dict(values) if isinstance(values, Mapping) else {"values": values} if values is not None else {}
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise InputError(f"{name} = {value!r} is not a finite number", fix='values={"mass:coupler": 3.0}')
    return {str(name): float(value) for name, value in found.items()}


def _read_mechanism(source: object, values: Mapping[str, float]) -> Mechanism:
    if not isinstance(source, (str, os.PathLike)) or not os.fspath(source):
        raise InputError(f"{source!r} is neither a path nor a name", fix='sg.load_mechanism("mechanism.yaml")')
    if isinstance(source, str) and source in mechanism_names():
        data = (files("screwgraph") / "model" / "zoo" / "mechanisms" / f"{source}.yaml").read_bytes()
        return read_mechanism(data, f"{source}.yaml", values)
    chain = CHAIN.fullmatch(source) if isinstance(source, str) else None
    if chain:
        count = int(chain[1])
        if not 1 <= count <= MOST:
            raise InputError(f"no pendulum has {count} rods", fix=f"between 1 and {MOST} can be asked for")
        return chain_of_pendulums(count, values=values)
    if isinstance(source, str) and is_text(source):
        return read_mechanism(source.encode("utf-8", "replace"), TEXT, values)
    path, file = Path(os.fsdecode(source)), os.fsdecode(source)
    if isinstance(source, str) and source.isidentifier() and not path.exists():
        raise make_unknown_name_error("built-in mechanism", source, (*mechanism_names(), "pendulum_N"))
    if path.suffix.lower() not in SUFFIXES:
        raise ModelError(
            f"mechanism files with the suffix {path.suffix!r} are not read",
            at=file,
            fix=suggest_name(path.suffix, SUFFIXES, "readable are"),
        )
    return read_mechanism(read_bytes(path, file), file, values)
