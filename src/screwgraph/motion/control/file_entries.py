"""Entries of controllers' files: their kinds, values by the forms of their keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.yaml_keys import NUMBER, SWITCH, VECTOR, Keys
from screwgraph.model.formats.yaml_values import Value


def choose_kind(value: Value, entries: Collection[str], kinds: Collection[str], who: str) -> str:
    """Return the only kind whose key is among the entries. Raises ModelError where there are none, or several."""
    found = [kind for kind in kinds if kind in entries]
    if len(found) != 1:
        has = f"has {' and '.join(found)}" if found else "does not say what it is of"
        raise ModelError(f"{who} {has}", at=value.at, why=f"it must have one of {', '.join(kinds)}")
    return found[0]


def read_values(entries: Mapping[str, Value], keys: Keys) -> dict[str, Any]:
    """Return entries as what the forms of their keys say: numbers, vectors, yes or no, or texts. Raises ModelError."""
    return {key: _read_value(value, keys[key].form) for key, value in entries.items() if key in keys}


def _read_value(value: Value, form: str) -> Any:
    if form == NUMBER:
        return value.number({})
    if form == VECTOR:
        return value.numbers({}, 3)
    return value.switch() if form == SWITCH else value.text()
