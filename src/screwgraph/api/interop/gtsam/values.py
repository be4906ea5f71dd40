"""Values by family, as `gtsam.Values`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.value_types import find_value_type, read_values
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.optimize import Problem, Variables

LETTERS = "xvbpqrstuwyzacdefghijklmno"
Keys = Mapping[str, Sequence[int]]


@check_arguments
def symbols(problem: Problem) -> dict[str, tuple[int, ...]]:
    """Return keys by family: `gtsam.symbol` of a letter for each family, and a number for each unknown.

    Raises:
        InputError: GTSAM is not installed, or there are more families than letters.
    """
    if len(problem.families) > len(LETTERS):
        raise InputError(f"{len(problem.families)} families of unknowns", fix="give keys of your own")
    symbol = import_gtsam().symbol
    pairs = zip(problem.families, LETTERS, strict=False)
    return {v.name: tuple(symbol(letter, i) for i in range(v.count)) for v, letter in pairs}


@check_arguments
def to_values(problem: Problem, values: Mapping[str, Any], keys: Keys | None = None) -> Any:
    """Return values by family, as those of a solution, as `gtsam.Values`.

    Args:
        problem: whose unknowns they are.
        values: by family; families left out are zero, or identity.
        keys: by family, one for each unknown; by default those of `symbols`.

    Raises:
        InputError: values or keys do not fit, GTSAM has no such type, or is not installed.
    """
    found, arrays = import_gtsam().Values(), problem.layout.views(problem.start(values))
    for v, own in validate_keys(problem, keys):
        kind = find_value_type(v.name, v.manifold)
        for key, x in zip(own, arrays[v.name], strict=True):
            found.insert(key, kind.made(x))
    return found


@check_arguments
def from_values(problem: Problem, values: Any, keys: Keys | None = None) -> dict[str, np.ndarray]:
    """Return `gtsam.Values` as values by family, (count, *shape).

    Args:
        problem: whose unknowns they are.
        values: of GTSAM.
        keys: as for `to_values`.

    Raises:
        InputError: a value is missing or of another type, or GTSAM is not installed.
    """
    kinds = {v.name: find_value_type(v.name, v.manifold) for v in problem.families}
    return {v.name: read_values(kinds[v.name], v.name, values, own) for v, own in validate_keys(problem, keys)}


def validate_keys(problem: Problem, keys: Keys | None) -> list[tuple[Variables, Sequence[int]]]:
    """Return families with the keys of their unknowns. Raises InputError where these do not fit."""
    given: Keys = symbols(problem) if keys is None else keys
    for v in problem.families:
        if len(given.get(v.name, ())) != v.count:
            have = len(given.get(v.name, ()))
            raise InputError(f"{v.name}: {have} keys for {v.count} unknowns", fix="give one for each")
    listed = [key for v in problem.families for key in given[v.name]]
    if len(set(listed)) != len(listed):
        raise InputError("two unknowns have the same key", fix="give each a key of its own")
    return [(v, given[v.name]) for v in problem.families]
