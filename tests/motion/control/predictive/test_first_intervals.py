"""Horizons on a grid in absolute time: the first interval is an argument, instants stay where they are."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.motion.control.predictive.test_floating_bases import ON, accelerate, foot, hopper, start
from tests.motion.control.predictive.test_random_starts import Case, solve_by_ipopt

import screwgraph as sg
from screwgraph.motion.control import (
    Gait,
    HorizonLimits,
    Walk,
    converge,
    find_first_interval,
    stack_references,
    stack_schedule,
    stack_weights,
)

DT, RATE, FIRST, STAGES = 0.02, 500.0, 0.006, 5


def turning():
    """Return a state in which the base turns by 0.05 rad in an interval."""
    q, v = start()
    v[:3] = [2.0, -1.5, 1.0]
    return q, v


@cache
def cart_pole():
    robot, limits = sg.load("cart_pole"), HorizonLimits(effort={"x": 20.0})
    control = sg.mpc(robot, DT, 20, actuated=["x"], limits=limits, rate=RATE)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    return control, stack_references(control, [0.0, np.pi]), weights


@pytest.mark.parametrize(
    ("first", "cost", "last"),
    [
        # IPOPT with CasADi: the same stages, to 1e-11
        (FIRST, 1.101461951339456, [0.56484148, 2.95398319, 1.58671832, 0.24127542]),
        (DT, 1.111633044468055, [0.59189498, 2.96861549, 1.58501042, 0.21788377]),
    ],
)
def test_a_cart_balances_its_pole(first, cost, last):
    control, references, weights = cart_pole()
    found = converge(control, [0.0, np.pi - 0.6], [0.0, 0.3], references, weights, first=first)
    assert found.solution[0] == 0.0
    assert abs(found.solution[1] / cost - 1.0) < 1e-6
    np.testing.assert_allclose(found.states[-1], last, atol=1e-5)


def test_penalties_of_the_first_interval_count_for_its_part():
    """Beside IPOPT: a cart too fast, whose speed its motor takes down in six instants."""
    robot, limits = sg.load("cart_pole"), HorizonLimits(effort={"x": 20.0}, velocity={"x": 0.5}, penalty=(0.3, 1.0))
    control = sg.mpc(robot, DT, 10, actuated=["x"], limits=limits, rate=RATE)
    weights = stack_weights(robot, position=[1.0, 10.0], velocity=0.1, effort=0.01, actuated=["x"])
    state = np.array([0.1, np.pi - 0.2, 1.5, 0.3])
    case = Case(robot, control, weights, DT, [0], limits, lambda *_: (state[:2], state[2:], state[:2]))
    references = stack_references(control, [0.0, np.pi])
    for first in (FIRST, DT):
        found = converge(control, state[:2], state[2:], references, weights, first=first)
        cost, inputs, is_solved = solve_by_ipopt(case, state, references, (found.states, found.efforts), first)
        assert is_solved
        assert found.states[1, 2] > 0.5
        assert abs(found.solution[1] / cost - 1.0) < 1e-8
        np.testing.assert_allclose(found.efforts, inputs, atol=1e-5 * 20.0)


def move_cart(control, t, first):
    """Return references of a cart that swings and is pushed, now and at the instants after it."""
    times = np.array([t, *(t + first + DT * np.arange(control.results[2].shape[0]))])
    s, c, still = np.sin(3.0 * times), np.cos(3.0 * times), np.zeros(times.size)
    return np.stack([0.3 * s, still + np.pi, 0.9 * c, still, 2.0 * np.sin(5.0 * times)], axis=1)


@pytest.mark.parametrize("t", [0.0, 0.014, 0.5377])
def test_references_that_move_are_those_of_instants(t):
    """Beside least squares of shooting from instant to instant: each row of references belongs to its own."""
    (control, _, weights), x = cart_pole(), np.array([0.05, np.pi - 0.1, 0.2, 0.1])
    first = find_first_interval(t, DT, RATE)
    references, N = move_cart(control, t, first), control.results[2].shape[0]
    assert (t + first) / DT == pytest.approx(round((t + first) / DT), abs=1e-9)
    accelerate_cart = sg.forward_dynamics(sg.load("cart_pole"))
    after = np.array([first, *[DT] * (N - 1)])
    before = np.array([DT, *after])

    def miss(u):
        states = [x]
        for force, h in zip(u, after, strict=True):
            q, v = np.split(states[-1], 2)
            new = v + h * accelerate_cart(q, v, np.array([force, 0.0]))
            states.append(np.concatenate([q + h * new, new]))
        errors = np.sqrt(before[:, None] * weights[:4]) * (np.array(states) - references[:, :4])
        return np.append(errors, np.sqrt(after * weights[4]) * (u - references[:-1, 4]))

    best = least_squares(miss, references[:-1, 4], xtol=1e-14, ftol=1e-14, gtol=1e-12)
    found = converge(control, x[:2], x[2:], references, weights, first=first)
    assert np.abs(found.efforts).max() < 20.0
    assert found.solution[1] == pytest.approx(2.0 * best.cost, rel=1e-9)
    np.testing.assert_allclose(found.efforts[:, 0], best.x, atol=2e-3)


def test_plans_stay_as_they_are_at_their_instants():
    """Calls at 500 Hz of a plant in steps of 0.1 ms: inputs that are planned move by a tenth of those of a moving grid.

    What is left is the model's, whose steps are of 20 ms.
    """
    robot, moved = sg.load("cart_pole"), []
    weights, dynamics = cart_pole()[2], sg.forward_dynamics(robot)
    for rate in (RATE, None):
        control, plans = sg.mpc(robot, DT, 80, actuated=["x"], rate=rate), []
        q, v, previous = np.array([0.0, np.pi]), np.array([0.9, 0.0]), np.zeros(control.arguments[-1].shape)
        for k in range(300):
            t = k / RATE
            first = find_first_interval(t, DT, RATE) if rate else DT
            given = *[first] * bool(rate), float(k > 0) / RATE / DT, previous
            references = move_cart(control, t, first)
            tau, _, efforts, _, previous, _ = control(q, v, references, weights, *given)
            plans.append((round((t + first) / DT), efforts[:, 0]))
            for _ in range(20):
                v = v + 1e-4 * dynamics(q, v, np.array([tau[0], 0.0]))
                q = q + 1e-4 * v
        # inputs of intervals from the second instant on, by this plan and by the next one
        pairs = pairwise(plans[150:])
        moved.append(np.median([np.abs(own[2 + now - i :][:40] - last[2:42]) for (now, last), (i, own) in pairs]))
    assert moved[0] < 0.1 * moved[1]


def hop_cost(u, schedule, reference, weights):
    """Return the cost of inputs (N, 4) of a hopper, by dense equations of motion."""
    robot, (q, v), n, total = hopper(), turning(), 10, 0.0
    for k, (before, h) in enumerate(pairwise([DT, FIRST, *[DT] * STAGES])):
        errors = np.concatenate([sg.difference(robot)(reference[:11], q), v])
        total += before * weights[: 2 * n] @ errors**2
        if k == STAGES:
            return total
        on = bool(schedule[k])
        w = np.where([on, on, on, False], weights[20:24], weights[24:])
        total += h * w @ (u[k] - np.array([robot.mass * 9.81 * on, 0.0, 0.0, 0.0])) ** 2
        v = v + h * accelerate(robot, q, v, u[k], on)[0]
        q = sg.integrate(robot)(q, h * v)
    return total


def test_a_hopper_with_a_base_that_turns_jumps_as_is_best():
    """The slope of the cost along each input is zero: local coordinates of a base know the interval that led there."""
    robot = hopper()
    control = sg.mpc(robot, DT, STAGES, contacts=[foot()], drag=10.0, rate=RATE)
    weights = stack_weights(robot, position=20.0, velocity=0.5, force=1e-3, acceleration=1e-3)
    reference = np.concatenate([[0.02, 0.0, 0.37, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, -1.2, 0.2], np.zeros(14)])
    references, (q, v) = np.tile(reference, (STAGES + 1, 1)), turning()
    schedule = stack_schedule(control, [foot()], ON)
    found = converge(control, q, v, references, weights, contacts=schedule, first=FIRST)
    assert found.solution[0] == 0.0
    assert max(found.solution[2:5]) < 1e-8
    intervals = np.array([FIRST, *[DT] * (STAGES - 1)])[:, None]
    accelerations = np.diff(found.states[:, 11:], axis=0) / intervals
    assert found.forces is not None
    pairs = zip(found.forces, accelerations, ON[:, 0], strict=True)
    u = np.array([np.append(f if on else a[6:9], a[9]) for f, a, on in pairs])
    best = hop_cost(u, ON[:, 0], reference, weights)
    assert abs(found.solution[1] / best - 1.0) < 1e-9
    rng, size = np.random.default_rng(0), np.abs(u).max()
    for _ in range(4):
        way = rng.standard_normal(u.shape)
        ends = [hop_cost(u + s * 1e-4 * size * way, ON[:, 0], reference, weights) for s in (1.0, -1.0)]
        curvature = (sum(ends) - 2.0 * best) / (1e-4 * size) ** 2
        assert curvature > 0.0
        assert abs(ends[0] - ends[1]) / (2e-4 * size) < 1e-6 * curvature * size


def test_a_solution_stays_at_its_instants_until_one_has_gone_by():
    """Calls that move a solution on are as those which begin with one that was moved by hand."""
    control, references, weights = cart_pole()
    state = np.array([0.1, np.pi - 0.6]), np.array([0.0, 0.1])
    last = converge(control, *state, references, weights, first=0.008).next
    last[1] = 1e-3  # the barrier, which calls that move on leave within bounds
    stages = last[3:].reshape(20, -1)
    for first, advance, passed in ((0.006, 0.1, 0), (0.018, 0.5, 1), (0.02, 0.4, 1), (0.008, 1.0, 1), (0.008, 0.0, 0)):
        moved = np.concatenate([stages[passed:], stages[-passed or 20 :]])
        begun = np.concatenate([[1.0, 1e-3, first], moved.ravel()])
        one, other = (control(*state, references, weights, first, *x) for x in ((advance, last), (0.0, begun)))
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6 * np.abs(b).max())


def test_calls_find_their_first_interval():
    times = [find_first_interval(0.002 * k, DT, RATE) for k in range(25)]
    np.testing.assert_allclose(times[:11], [0.02, *(0.02 - 0.002 * k for k in range(1, 10)), 0.02], atol=1e-12)
    for late in (0.0193, 0.0199, 0.02):
        np.testing.assert_allclose(find_first_interval(late, DT, RATE), min(0.04 - late, DT), atol=1e-12)
    with pytest.raises(sg.InputError, match="must be finite"):
        find_first_interval(np.inf, DT, RATE)


@pytest.mark.parametrize(("period", "duty"), [(0.2, 0.6), (0.173, 0.57)])
def test_contacts_are_switched_at_their_time(period, duty):
    """Whatever the call: who stands in the first interval is who stands at the time of the call, off the grid, too."""
    robot, gait = hopper(), Gait(period=period, duty=duty, offsets=(0.0,))
    control = sg.mpc(robot, DT, STAGES, contacts=[foot()], drag=10.0, rate=RATE)
    q, v = turning()
    walk = Walk(robot, [sg.Contact("shank")], gait, q)
    found = list[tuple[float, bool]]()
    for k in range(0, 240, 3 if period == 0.2 else 1):
        t = 0.002 * k
        first = find_first_interval(t, DT, RATE)
        plan = walk.references(control, DT, t, q, v, first=first)
        ends = t + np.concatenate([[0.0], first + DT * np.arange(STAGES)])
        middle = 0.5 * (ends[1:] + ends[:-1])
        on = plan.contacts[:, 0, 0]
        assert on[1:].tolist() == ((middle[1:] / period) % 1.0 < duty).tolist()
        assert np.abs((ends[1:] + 1e-9) % DT).max() < 1e-8
        found.append((t, bool(on[0])))
        if period == 0.2:
            assert on[0] == float((t + 1e-9) / period % 1.0 < duty)
    if period == 0.2:
        return
    switches = [now[0] for last, now in pairwise(found) if last[1] != now[1]]
    due = sorted(period * (n + part) for n in range(4) for part in (0.0, duty) if 0.0 < period * (n + part) < 0.478)
    assert len(switches) == len(due)
    for switch, time in zip(switches, due, strict=True):  # at the next call, or a twentieth of an interval early
        assert -0.05 * DT - 1e-9 <= switch - time < 1.0 / RATE + 1e-9


def test_what_a_first_interval_cannot_be():
    control, references, weights = cart_pole()
    nothing = np.zeros(control.arguments[-1].shape)
    for first in (np.nan, 0.0, -0.01, 0.05, np.inf):
        *results, solution = control([0.0, 3.0], [0.0, 0.0], references, weights, first, 0.0, nothing)
        assert solution[0] == 3.0
        assert not results[0].any()
    for rate in (49.0, np.inf, -1.0):
        with pytest.raises(sg.InputError, match="rate is"):
            sg.mpc(sg.load("cart_pole"), DT, 20, rate=rate)
    walk = Walk(hopper(), [sg.Contact("shank")], Gait(offsets=(0.0,)), turning()[0])
    hop = sg.mpc(hopper(), DT, STAGES, contacts=[foot()], drag=10.0, rate=RATE)
    with pytest.raises(sg.InputError, match=r"first is -1\.0"):
        walk.references(hop, DT, 0.0, *turning(), first=-1.0)
    with pytest.raises(sg.InputError, match="takes first"):
        converge(control, [0.0, 3.0], [0.0, 0.0], references, weights)
