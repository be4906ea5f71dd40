"""Bends of edges: how far they leave their chords, and what circles cut off."""

import numpy as np
import pytest

from screwgraph.ui.draw.bezier_curves import clip_curve, make_curve, sample_curve

ENDS = [((0.0, 0.0), (30.0, 40.0)), ((5.0, 7.0), (5.0, -60.0)), ((-20.0, 3.0), (50.0, 3.0)), ((9.0, 1.0), (-3.0, -8.0))]


@pytest.mark.parametrize(("start", "end"), ENDS)
@pytest.mark.parametrize("bulge", [8.0, -3.0])
def test_the_middle_is_so_far_to_the_left_of_the_chord(start, end, bulge):
    """On the page y goes down: seen along (1, 0), left is (0, -1)."""
    middle = sample_curve(make_curve(start, end, bulge), step=1e-2)
    middle = middle[len(middle) // 2]
    (dx, dy), length = np.subtract(end, start), np.hypot(*np.subtract(end, start))
    left = np.array([dy, -dx]) / length
    np.testing.assert_allclose(middle, np.mean([start, end], axis=0) + bulge * left, atol=0.1)
    assert make_curve(start, end, 0.0) == (start, end)


@pytest.mark.parametrize(("start", "end"), ENDS)
@pytest.mark.parametrize("bulge", [0.0, 5.0])
def test_circles_around_ends_are_left_where_they_end(start, end, bulge):
    points = clip_curve(make_curve(start, end, bulge), 2.0, 3.5)
    assert np.hypot(*np.subtract(points[0], start)) == pytest.approx(2.0, abs=1e-6)
    assert np.hypot(*np.subtract(points[-1], end)) == pytest.approx(3.5, abs=1e-6)
    steps = np.linalg.norm(np.diff(sample_curve(points, 2.0), axis=0), axis=1)
    assert steps.max() <= 2.5
