"""Where a motion begins that nobody says: no contact within the ground, under controllers joints within ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING

PASSAGES = 20
"""On uneven ground, where a plane is found anew under each contact."""
ROUNDING = 1e-12
"""Depth (m) of what touches."""
STEEP = 1e-3
"""Vertical part of a unit normal below which no height leads out of a ground."""


def bend_start(model: Any, contacts: Sequence[Contact]) -> Float[np.ndarray, " nq"]:
    """Return the neutral position; where joints are beyond their ranges, one within them, nearby."""
    return TOUCHING[model.kind].bend(model, contacts, model.neutral())


def raise_start(model: Any, inputs: ContactInputs, q: Float[np.ndarray, "*B nq"]) -> Float[np.ndarray, "*B nq"]:
    """Return positions (*B, nq) higher until the lowest contact touches the ground; what is above it stays.

    Bodies that float are raised together; other models are where they were.
    """
    alone, vertical = ~inputs.paired, TOUCHING[model.kind].find_vertical(model)
    for _ in range(PASSAGES):
        steep = np.maximum(inputs.planes(q)[..., alone, vertical], STEEP)
        height = (-inputs.gaps(q)[..., alone] / steep).max(axis=-1, initial=0.0)
        if height.max(initial=0.0) <= ROUNDING:
            break
        q = TOUCHING[model.kind].lift(model, q, height)
    return q
