"""Paths that cost: which points of a plan follow them, to where, and what is none."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Effort, Path
from screwgraph.motion.planning.transcription.problem import transcribe

WAY = np.array([[0.0, 0.0, 1.0], [1.0, -2.0, 1.0], [1.0, 0.0, 0.0]])


def followed(times, points):
    """Return the points of the plan that follow the path, and where these are to be."""
    task = Task(sg.load("rr"), horizon(10, dt=0.1), start=[0.0, 0.0], costs=(Effort(1.0), Path(times, points)))
    task = replace(task, collocation="trapezoidal")
    (f,) = (f for f in transcribe(task).problem.factors if f.name.endswith(": path"))
    return f.arguments[0].indices.tolist(), f.each["at"]


@pytest.mark.parametrize(
    ("times", "numbers"),
    [((0.2, 0.4, 0.6), [2, 3, 4, 5, 6]), ((0.25, 0.55), [3, 4, 5]), ((0.0, 1.0), list(range(11))), ((0.3,), [3])],
)
def test_points_within_its_times_follow_it_along_straight_lines(times, numbers):
    found, at = followed(times, WAY[: len(times)])
    assert found == numbers
    expected = [[np.interp(0.1 * k, times, column) for column in WAY[: len(times)].T] for k in numbers]
    np.testing.assert_allclose(at, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("times", "points", "said"),
    [
        ((0.2, 0.1), WAY[:2], "times of a path must grow"),
        ((0.2, np.nan), WAY[:2], "times of a path must grow, and all numbers be finite"),
        ((0.2, 0.4), WAY, "2 times and points of the shape"),
        ((0.21, 0.29), WAY[:2], r"no step begins within 0.21..0.29 s"),
        ((0.35,), WAY[:1], "no step begins within"),
        ((), WAY[:0], "0 times"),
    ],
)
def test_what_is_no_path_is_refused(times, points, said):
    with pytest.raises(InputError, match=said):
        followed(times, points)
