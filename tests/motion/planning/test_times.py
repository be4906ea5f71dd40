"""Times of a trajectory: points, places between them, intervals, and what is none."""

from itertools import pairwise

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.planning import Phase, Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position
from screwgraph.motion.planning.transcription.problem import transcribe


def steps_of(phases, rule="trapezoidal"):
    task = Task(sg.load("rr"), phases, start=[0.0, 0.0], costs=(Effort(1.0),), collocation=rule)
    return transcribe(task).steps


@pytest.fixture(scope="module")
def steps():
    return steps_of(horizon(10, dt=0.1))


def test_points_are_found_but_for_rounding(steps):
    np.testing.assert_allclose(steps.times, 0.1 * np.arange(11), atol=1e-12)
    assert [steps.find_point(t) for t in (0.0, 0.1 + 0.2, 1.0, 0.25, 0.9999)] == [0, 3, 10, None, None]
    assert steps.times_at("end").tolist() == [steps.times[-1]]
    assert steps.times_at(0.1 + 0.2).tolist() == [steps.times[3]]
    assert steps.times_at(0.25).tolist() == [0.25]
    assert steps.point(0.7) == 7
    with pytest.raises(InputError, match=r"no step at t = 0.32 s.* nearest is at 0.3 s"):
        steps.point(0.32)


@pytest.mark.parametrize(
    ("time", "times", "points"),
    [
        ((0.2, 0.5), [0.2, 0.3, 0.4, 0.5], [2, 3, 4, 5]),
        ((0.25, 0.45), [0.25, 0.3, 0.4, 0.45], [3, 4]),
        ((0.21, 0.29), [0.21, 0.29], []),
        ((0.8, "end"), [0.8, 0.9, 1.0], [8, 9, 10]),
        (("start", 0.1), [0.0, 0.1], [0, 1]),
    ],
    ids=str,
)
def test_intervals_have_their_ends_and_the_points_between(steps, time, times, points):
    np.testing.assert_allclose(steps.times_at(time), times, atol=1e-12)
    assert steps.points_at(time).tolist() == points
    assert steps.times_at("always") is steps.times


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("middle", "expected a time, got 'middle'"),
        (True, "expected a time, got True"),
        (np.nan, "expected a time, got nan"),
        (np.inf, "expected a time, got inf"),
        (-0.01, "is outside of the horizon"),
        (1.01, "is outside of the horizon: it ends at 1 s"),
        ((0.5, 0.2), "0.5..0.2 s are not an interval"),
        (("end", "start"), "1..0 s are not an interval"),
        ((0.5, "soon"), "expected a time, got 'soon'"),
    ],
    ids=str,
)
def test_what_is_no_time_is_refused(steps, time, said):
    with pytest.raises(InputError, match=said):
        steps.times_at(time)


@pytest.mark.parametrize("seconds", [0.0, -1.0, np.inf, np.nan, True])
def test_durations_are_positive_and_end(seconds):
    with pytest.raises(InputError, match="it must be a positive number of seconds"):
        Phase(3, seconds)


def test_a_goal_at_no_time_is_refused_with_its_name():
    task = Task(sg.load("rr"), horizon(4, dt=0.1), start=[0.0, 0.0], goals=(Position([1.0, 0.0], "middle"),))
    with pytest.raises(InputError, match="expected a time, got 'middle'"):
        sg.plan(task)


@pytest.mark.parametrize(("rule", "counts"), [("trapezoidal", [4, 5, 3]), ("euler", [3, 4, 2]), ("radau", [6, 8, 4])])
def test_samples_of_phases_follow_on_each_other(rule, counts):
    """Where a rule has samples at both ends of a step, the point between two phases has one of each."""
    samples = steps_of((Phase(3, 0.3), Phase(4, 0.2), Phase(2, 0.5)), rule).samples
    ends = np.cumsum([0, *counts])
    assert [(s.start, s.stop) for s in samples] == list(pairwise(ends))
