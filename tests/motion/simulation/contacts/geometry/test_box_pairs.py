"""Points at which boxes touch: distances are coal's, points are on both surfaces, edges cross where they must."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.motion.simulation.contacts.geometry.box_pairs import BoxPose, touch_boxes
from screwgraph.motion.simulation.contacts.geometry.touching_points import APART
from tests.motion.simulation.contacts.convex_shapes import nearby_poses, random_turn

coal = pytest.importorskip("coal")
SCALE = 0.1
"""Sizes of boxes are less than that (m)."""


def beyond(box: BoxPose, p: np.ndarray) -> float:
    """Return how far (m) a point is beyond the faces of a box, zero on its surface."""
    return float((np.abs(box.axes.T @ (p - box.centre)) - box.half).max())


@pytest.mark.parametrize("gap", [-1e-4, 1e-4])
def test_distances_are_those_of_coal(gap):
    """Of bodies that are within each other the least gap is coal's depth; of others it is no more than the distance."""
    rng, crossed = np.random.default_rng(0), 0
    halves = rng.uniform(0.03, SCALE, (150, 2, 3))
    pairs = [(coal.Box(*(2.0 * a)), coal.Box(*(2.0 * b))) for a, b in halves]
    for (a, b), (T, there, distance) in zip(halves, nearby_poses(coal, pairs, rng, gap), strict=True):
        other, own = BoxPose(T[:3, 3], T[:3, :3], a), BoxPose(there[:3, 3], there[:3, :3], b)
        points = [point for point in touch_boxes(other, own) if point.gap < APART]
        nearest = min(point.gap for point in points)
        if gap < 0.0:
            assert nearest == pytest.approx(distance, abs=2e-6)  # the tolerance of coal's search
        else:
            assert nearest < distance + 2e-6
        crossed += len(points) == 1
        for p, normal, height in points:
            assert beyond(own, p) == pytest.approx(0.0, abs=1e-9)
            assert beyond(other, p - height * normal) == pytest.approx(0.0, abs=1e-9)
            assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
            assert normal @ (own.centre - other.centre) > 0.0
    assert 30 < crossed < 120


def test_faces_touch_in_the_corners_of_their_common_part():
    """A square turned by 45 degrees on another one leaves an octagon; shifted ones leave a rectangle."""
    half = (0.05, 0.05, 0.05)
    low = BoxPose(np.zeros(3), np.eye(3), half)
    turn = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]]) / np.sqrt(2.0)
    octagon = touch_boxes(low, BoxPose(np.array([0.0, 0.0, 0.1]), turn, half))
    side = 0.05 * (np.sqrt(2.0) - 1.0)
    expected = sorted([x, y] for a in (-1, 1) for b in (-1, 1) for x, y in ((a * 0.05, b * side), (a * side, b * 0.05)))
    np.testing.assert_allclose(sorted(point.p[:2].tolist() for point in octagon), expected, atol=1e-12)
    np.testing.assert_allclose([point.gap for point in octagon], 0.0, atol=1e-12)
    shifted = touch_boxes(low, BoxPose(np.array([0.03, -0.02, 0.0999]), np.eye(3), half))
    used = [point for point in shifted if point.gap < APART]
    expected = sorted([x, y] for x in (-0.02, 0.05) for y in (-0.05, 0.03))
    np.testing.assert_allclose(sorted(point.p[:2].tolist() for point in used), expected, atol=1e-12)
    np.testing.assert_allclose([point.gap for point in used], -1e-4, atol=1e-12)


@pytest.mark.parametrize("slots", [1, 4, 7])
def test_few_slots_have_points_that_are_there(slots):
    """Fewer slots than points: some of them, each once, the four corners of a tilted face among eight at least."""
    half, rng = (0.05, 0.05, 0.05), np.random.default_rng(1)
    low = BoxPose(np.zeros(3), np.eye(3), half)
    for _ in range(10):
        high = BoxPose(np.array([0.01, 0.0, 0.1]), random_turn(rng, 1e-2), half)
        all_points = {tuple(p.p.round(12)): p.gap for p in touch_boxes(low, high) if p.gap < APART}
        few = [point for point in touch_boxes(low, high, slots) if point.gap < APART]
        assert len(few) == len({tuple(p.p.round(12)) for p in few}) == min(slots, len(all_points))
        assert all(all_points[tuple(p.p.round(12))] == pytest.approx(p.gap, abs=1e-12) for p in few)
