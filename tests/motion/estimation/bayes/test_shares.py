"""Shares of known coordinates in the motions that constraints allow: on a sphere, they are entries of the normal."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from screwgraph.motion.estimation.bayes.jumps import _shares
from screwgraph.spatial import exp3


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_the_sign_of_a_share_changes_where_a_known_motion_turns_and_nowhere_else(left_out):
    """A singular value decomposition gives bases of either sign from step to step; they go on without reflections."""
    axes = np.array([[0.3, 1.0, 0.2], [1.0, -0.2, 0.4]])
    angles = np.linspace(0.0, 2.0 * np.pi, 61)
    q = np.array([exp3(a * axes[0]) @ exp3(2.0 * a * axes[1]) @ [0.6, 0.0, 0.8] for a in angles])
    model = cast(Any, SimpleNamespace(closing=lambda at: (None, at[None]), rank=1, dof=2))
    counted = np.tile(np.arange(3) != left_out, (len(q), 1))
    found, right = _shares(model, q, counted), q[:, left_out] * (-1.0) ** left_out
    assert min(np.abs(found - right).max(), np.abs(found + right).max()) < 1e-12
    counted[5:9] = True
    found = _shares(model, q, counted)
    assert np.isnan(found[5:9]).all()
    assert min(np.nanmax(np.abs(found - right)), np.nanmax(np.abs(found + right))) < 1e-12
