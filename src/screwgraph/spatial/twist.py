"""Twists and wrenches, angular part first."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, block
from screwgraph.spatial.so3 import skew


def ad(V: Float[Array, "6"]) -> Float[Array, "6 6"]:
    """Return [ad_V], the Lie bracket matrix of a twist: [ad_V] W = [V, W]. Lynch & Park (8.38)."""
    w, v = skew(V[:3]), skew(V[3:])
    return block([[w, np.zeros((3, 3))], [v, w]])
