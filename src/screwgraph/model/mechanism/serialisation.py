"""A mechanism as texts that other files can hold."""

from __future__ import annotations

import json

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.read import read_mechanism


def to_texts(mechanism: Mechanism) -> dict[str, str]:
    """Return the content of a mechanism's file, and the values that were given instead of its own, as JSON.

    What was made without a file has empty texts.
    """
    source = mechanism.source
    if source is None:
        return {"mechanism": "", "values": "{}"}
    return {"mechanism": source.data.decode("utf-8"), "values": json.dumps(dict(source.given))}


def from_texts(text: str, values: str, file: str) -> Mechanism:
    """Read a mechanism that `to_texts` wrote; `file` is what holds it, for messages.

    Raises:
        ModelError: the texts are damaged.
        InputError: there are none, or the values are none of the mechanism's.
    """
    if not text.strip():
        raise InputError("the file does not say which mechanism moves", at=file, why="it was made without a file")
    try:
        given = {str(name): float(value) for name, value in json.loads(values).items()}
    except (ValueError, TypeError, AttributeError):
        raise InputError("the mechanism's values are damaged", at=file) from None
    return read_mechanism(text.encode("utf-8"), file, given)
