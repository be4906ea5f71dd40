"""Canonical frames."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph.passes.canonical_frames import canonical_frames


@pytest.mark.parametrize("name", ["panda", "a1", "puma560", "iiwa14"])
def test_no_moment_is_left_by_rounding(name):
    """Whether 1e-20 or zero comes out depends on how the processor adds up, and code with it."""
    for link in canonical_frames(sg.load(name)).links:
        for moments in (link.inertia.first_moment, link.inertia.about_origin):
            sizes = np.abs(moments)
            assert not np.any((sizes > 0.0) & (sizes < 1e-15 * sizes.max()))
