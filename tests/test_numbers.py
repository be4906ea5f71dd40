"""Numbers that users give: what NumPy would take for one, and is none, is refused in a line."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.argument_checks import convert_numbers, validate_numbers
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import PositionLimit

NUMBERS = [
    ([1, 2], [1.0, 2.0]),
    (np.array([[3, 4]], dtype="uint8"), [[3.0, 4.0]]),
    ([10**30, 1], [1e30, 1.0]),
    ([Decimal("0.5"), Fraction(1, 4)], [0.5, 0.25]),
    (np.ma.array([1.0, 2.0]), [1.0, 2.0]),
    (7, 7.0),
    ([], []),
    ([[np.float32(1), 2], (3, 4)], [[1.0, 2.0], [3.0, 4.0]]),
]
NONE: Mapping[str, Any] = {
    "none": [None, 0.5],
    "truths": [True, False],
    "a truth among numbers": [True, 0.5],
    "truths in rows": [[True], [1.0]],
    "an array of truths": np.array([True, False]),
    "texts": ["1", "2"],
    "complex numbers": [1j, 2.0],
    "complex numbers without imaginary part": np.array([1 + 0j, 2 + 0j]),
    "dates": np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"),
    "masked numbers": np.ma.array([1.0, 2.0], mask=[True, False]),
    "records": np.zeros(2, dtype=[("a", float)]),
    "rows of other lengths": [[1.0], [1.0, 2.0]],
    "beyond all numbers": [10**400, 1],
    "a mapping of something else": {"x": 1},
    "objects": [object(), 1.0],
}


@pytest.mark.parametrize(("given", "expected"), NUMBERS)
def test_numbers_are_arrays_of_floats(given, expected):
    found = convert_numbers(given)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)


def test_floats_are_not_copied():
    given = np.arange(3.0)
    assert convert_numbers(given) is given


@pytest.mark.parametrize("kind", NONE)
def test_what_is_no_number_is_refused(kind):
    with pytest.raises((TypeError, ValueError)):
        convert_numbers(NONE[kind])
    with pytest.raises(sg.InputError, match="they are not numbers") as refused:
        validate_numbers("weights", NONE[kind])
    assert str(refused.value).startswith("weights: ")


@cache
def robot() -> sg.Robot:
    return sg.load("rr")


def planned(**given: Any) -> Any:
    start, goal, options = given.pop("start", [0.0, 0.0]), given.pop("goal", [0.1, 0.1]), given
    return sg.plan(Task(robot(), horizon(3, duration=1.0), start=start, goals=(Position(goal), Velocity()), **options))


CALLS: Mapping[str, Callable[[Any], Any]] = {
    "q0 of simulate": lambda x: sg.simulate(robot(), x, time=0.002),
    "qd0 of simulate": lambda x: sg.simulate(robot(), None, x, time=0.002),
    "tau of simulate": lambda x: sg.simulate(robot(), time=0.002, tau=x),
    "answers of a controller": lambda x: sg.simulate(robot(), time=0.002, tau=lambda t, q, qd: x),
    "q0 of a simulator": lambda x: sg.Simulator(robot(), q0=x),
    "tau of a step": lambda x: sg.Simulator(robot()).step(x),
    "tau of rollout": lambda x: sg.rollout(robot(), tau=x, time=0.002),
    "q0 of rollout": lambda x: sg.rollout(robot(), x, time=0.002),
    "a spring": lambda x: sg.Simulator(robot(), springs={"joint1": x}),
    "parameters of a simulator": lambda x: sg.Simulator(robot(), parameters={"link1.mass": x}),
    "start of a plan": lambda x: planned(start=x),
    "goal of a plan": lambda x: planned(goal=x),
    "a limit of a plan": lambda x: planned(limits=(PositionLimit(x),)),
    "a weight of a plan": lambda x: planned(costs=(Effort(x),)),
    "samples of a driven joint": lambda x: sg.simulate(robot(), time=0.01, driven={"t": [0, 1, 2, 3], "joint1": x}),
    "gravity": lambda x: sg.load("rr", gravity=x),
    "normal of a plane": lambda x: sg.Plane(x),
}


@pytest.mark.parametrize("call", CALLS)
def test_calls_refuse_what_is_no_number_in_one_line(call):
    """The text of an array may be read from a file; a mapping is another way to name some of the coordinates."""
    others = ("a mapping of something else",) if "plan" in call or "spring" in call else ()
    for kind, value in NONE.items():
        if kind not in others:
            with pytest.raises(sg.InputError) as refused:
                CALLS[call](value)
            assert "\n" not in str(refused.value), kind
