"""What no horizon can be of: an error of one line each; numbers without sense have a status."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest
from tests.motion.control.predictive.test_optima import cart_pole

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    HorizonLimits,
    PostureTask,
    converge,
    solve_riccati,
    stack_references,
    stack_weights,
)
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.horizon_costs import HorizonCost
from screwgraph.motion.control.predictive.tick_outcome import TickOutcome

TENDON = """
bodies: [{link: finger, joint: finger, mass: 1}, {link: tip, at: [0.1, 0, 0], mass: 1, com: [0.1, 0, 0]}]
actuators: [{actuator: tendon, displacement: 0.02*sin(a), joints: {a: finger}}]
"""


def complains(match):
    return pytest.raises(InputError, match=match)


def test_robots():
    with complains("the contact of 'end_effector' has 2 joint coordinates of its own"):
        sg.mpc(sg.load("five_bar"), dt=0.01, horizon=5, contacts=[sg.Contact("end_effector")])
    with complains("no joint is called 'joint3'"):  # it follows the others
        sg.mpc(sg.load("five_bar"), dt=0.01, horizon=5, actuated=["joint3"])
    with complains("'wrist'"):
        sg.mpc(sg.load("cart_pole"), dt=0.01, horizon=5, actuated=["wrist"])
    with complains("no joint is called 'tendn'"):
        sg.mpc(sg.load(TENDON), dt=0.01, horizon=5, actuated=["tendn"])
    with complains("the motor 'tendon' is named twice"):
        sg.mpc(sg.load(TENDON), dt=0.01, horizon=5, actuated=["tendon", "tendon"])
    assert sg.mpc(sg.load(TENDON), dt=0.01, horizon=5, actuated=["finger"]).results[0].shape == (1,)
    with complains("actuated names no joint"):
        sg.mpc(sg.load("cart_pole"), dt=0.01, horizon=5, actuated=[])


def test_numbers():
    robot = sg.load("cart_pole")
    with complains("dt is 0.0"):
        sg.mpc(robot, dt=0.0, horizon=5)
    with complains("a horizon of 1 instants"):
        sg.mpc(robot, dt=0.01, horizon=1)
    with complains("barrier_steps is 0"):
        sg.mpc(robot, dt=0.01, horizon=5, barrier_steps=0)


def test_limits():
    robot = sg.load("cart_pole")
    for limits, match in [
        ({"effort": -1.0}, "effort of the limits of 'x': -1"),
        ({"effort": 0.0}, "effort of the limits of 'x': 0"),
        ({"velocity": [2.0, 0.0]}, "velocity of the limits of 'theta': 0"),
        ({"velocity": {"pole": 1.0}}, "'pole'"),
        ({"lower": 1.0, "upper": 0.0}, "positions of 'x' have the bounds 1 and 0"),
        ({"upper": [1.0, 2.0, 3.0]}, "upper: expected a number, 2 numbers"),
        ({"upper": [1.0]}, r"upper: expected a number, 2 numbers.* got \[1.0\]"),
        ({"upper": [np.nan, 1.0]}, "upper of 'x' is NaN"),
        ({"lower": {"theta": np.nan}}, "lower of 'theta' is NaN"),
        ({"effort": [1.0]}, r"numbers are of x, theta \(actuated= says of which motors"),
    ]:
        with complains(match):
            sg.mpc(robot, dt=0.01, horizon=5, limits=HorizonLimits(**limits))
    with complains("effort of the limits: joint 'theta' has no motor"):
        sg.mpc(robot, dt=0.01, horizon=5, actuated=["x"], limits=HorizonLimits(effort={"theta": 1.0}))
    with complains("effort: expected a number .*, got float nan: NaN is no number$"):
        HorizonLimits(effort=np.nan)
    with complains("penalty of the limits"):
        HorizonLimits(penalty=(0.0, 1.0))


def test_weights_and_references():
    robot = sg.load("cart_pole")
    control, _ = cart_pole()
    with complains("an effort has the weight 0"):
        stack_weights(robot, effort=0.0)
    with complains("weights of position"):
        stack_weights(robot, position=-1.0)
    np.testing.assert_array_equal(
        stack_weights(robot, position={"theta": 3.0}, velocity=[1.0, 2.0], effort=0.5, actuated=["x"]),
        [0.0, 3.0, 1.0, 2.0, 0.5],
    )
    for wrong in (np.zeros(3), [1.0], np.zeros((51, 1)), np.zeros((1, 2))):
        with complains(r"position of the shape \(.*\).*give \(2,\), or \(51, 2\)"):
            stack_references(control, wrong)
    with complains("velocity: 'fast'.*they are not numbers"):
        stack_references(control, 0.0, "fast")
    with complains("position: expected a number, 2 numbers.*: numbers are of x, theta$"):
        stack_weights(robot, position=[1.0])
    with complains("acceleration of the shape .*: inputs are as many as velocities of x, theta"):
        stack_weights(robot, acceleration=[1.0])
    with complains(r"they are positions and velocities of x, theta, efforts of x \(stack_references\)"):
        stack_references(control, 0.0, effort=[1.0, 2.0])
    references, nothing = stack_references(control, 0.0), np.zeros(control.arguments[-1].shape)
    with complains(r"weights of .* of x, theta, efforts of x \(stack_weights with the same actuated=\)"):
        control([0.0, 3.0], [0.0, 0.0], references, stack_weights(robot), 0.0, nothing)
    with complains("references of position: there are numbers that are not finite"):
        stack_references(control, [0.0, np.nan])
    other = sg.controller(robot, [PostureTask()])
    with complains("controller is not a controller of sg.mpc"):
        stack_references(other, [0.0, 0.0])
    with complains("controller is not a controller of sg.mpc"):
        converge(other, [0.0, 0.0], [0.0, 0.0], np.zeros((2, 4)), np.zeros(5))


def test_states_without_sense_have_no_effort_and_are_forgotten():
    control, weights = cart_pole()
    references, nothing = stack_references(control, [0.0, np.pi]), np.zeros(control.arguments[-1].shape)
    sound = control([0.0, 3.0], [0.0, 0.0], references, weights, 0.0, nothing)
    for bad in (np.nan, np.inf, 1e200):
        with np.errstate(all="ignore"):
            tau, *_, following, solution = control([0.0, bad], [0.0, 0.0], references, weights, 0.0, sound[4])
        assert solution[0] == 3.0
        assert tau == 0.0
        again = control([0.0, 3.0], [0.0, 0.0], references, weights, 0.0, following)
        for x, y in zip(again, sound, strict=True):
            np.testing.assert_array_equal(x, y)


def test_parts_of_an_interval_that_are_no_numbers_have_no_effort():
    control, weights = cart_pole()
    references = stack_references(control, [0.0, np.pi])
    nothing = np.zeros(control.arguments[-1].shape)
    *_, last, _ = control([0.1, 3.0], [0.0, 0.0], references, weights, 0.0, nothing)
    for bad in (np.nan, np.inf, -np.inf):
        for previous in (nothing, last):
            with np.errstate(all="ignore"):
                tau, *_, solution = control([0.1, 3.0], [0.0, 0.0], references, weights, bad, previous)
            assert solution[0] == 3.0
            assert not tau.any()


def test_calls_and_tolerances_that_have_no_sense():
    control, weights = cart_pole()
    references = stack_references(control, [0.0, np.pi])
    for most, tolerance in ((0, 1e-8), (200, 0.0)):
        with complains("one call at least"):
            converge(control, [0.0, 3.0], [0.0, 0.0], references, weights, most=most, tolerance=tolerance)
    with complains("not finite"):
        solve_riccati(sg.load("cart_pole"), [0.0, np.nan], weights, dt=0.02, actuated=["x"])


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_without_sense_have_no_effort(bad):
    control, weights = cart_pole()
    references, nothing = stack_references(control, [0.0, np.pi]), np.zeros(control.arguments[-1].shape)
    for i in range(len(weights)):
        wrong = weights.copy()
        wrong[i] = bad
        with np.errstate(all="ignore"):
            tau, *_, solution = control([0.0, 3.0], [0.0, 0.0], references, wrong, 0.0, nothing)
        assert solution[0] == 3.0
        assert tau == 0.0
    with np.errstate(all="ignore"), complains("the state, references, weights or last solution"):
        converge(control, [0.0, np.nan], [0.0, 0.0], references, weights)


@pytest.mark.parametrize("size", [30.0, 1e3, 1e6, 1e9, 1e30, 1e200])
def test_last_solutions_that_are_no_motion_have_no_effort_and_are_forgotten(size):
    control, weights = cart_pole()
    references, nothing = stack_references(control, [0.0, np.pi]), np.zeros(control.arguments[-1].shape)
    rng, state = np.random.default_rng(int(np.log10(size))), ([0.0, 3.0], [0.0, 0.0])
    first = control(*state, references, weights, 0.0, nothing)
    for _ in range(5):
        wrong = size * rng.standard_normal(nothing.shape)
        wrong[0] = 1.0  # that it is a solution
        with np.errstate(all="ignore"):
            tau, *_, following, solution = control(*state, references, weights, rng.uniform(), wrong)
        assert solution[0] == 3.0
        assert not tau.any()
        for x, y in zip(control(*state, references, weights, 0.0, following), first, strict=True):
            np.testing.assert_array_equal(x, y)


def test_last_solutions_of_pushed_robots_are_motions():
    control, weights = cart_pole()
    references, rng = stack_references(control, [0.0, np.pi]), np.random.default_rng(0)
    q, qd, last = np.array([0.0, 3.0]), np.zeros(2), np.zeros(control.arguments[-1].shape)
    for _ in range(60):  # pushes at every tick, and times between ticks that vary
        *_, last, solution = control(q, qd, references, weights, rng.uniform(0.0, 1.0), last)
        assert solution[0] < 2.0
        q, qd = q + rng.normal(size=2) * [0.3, 0.5], rng.normal(size=2) * [2.0, 8.0]


def test_where_loops_are_closed():
    robot = sg.load("five_bar")
    for near, match in [(np.zeros(3), r"near of the shape \(3,\)"), (np.full(4, np.nan), "near of"), ("a", "near")]:
        with complains(match):
            sg.mpc(robot, dt=0.01, horizon=5, near=near)
    with complains("'cart_pole', which has no loops"):
        sg.mpc(sg.load("cart_pole"), dt=0.01, horizon=5, near=np.zeros(2))


@dataclass
class HorizonOutline:
    """What the outcome of a tick asks of its horizon."""

    effort_bounds: tuple[list[float], list[float]]
    is_timed: bool = False
    shortenings: int = 2
    terminal_shape: tuple[int, ...] = ()


OPEN = """
name: short
gravity: [0, -9.81, 0]
bodies:
  - {link: crank, joint: joint1, rpy: [0, 0, 1.57], mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {link: coupler, joint: joint2, at: [0.5, 0, 0], rpy: [0, 0, -1.57], mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {link: rocker, parent: base, joint: joint3, at: [0.6, 0.2, 0], rpy: [0, 0, 1.57], mass: 1, inertia: [0.1, 0.1, 0.1]}
loops:
  - {loop: joint4, predecessor: {link: coupler, at: [0.6, 0, 0]}, successor: {link: rocker, at: [0.3, 0, 0]}}
independent: [joint1]
"""


@pytest.mark.filterwarnings("ignore:mpc")
def test_states_at_which_loops_cannot_be_closed_have_no_effort():
    """A crank that points away from the rocker: the coupler does not reach, and there are no dynamics."""
    robot = sg.load(OPEN)
    control = sg.mpc(robot, dt=0.01, horizon=4)
    references, nothing = stack_references(control, [0.0]), np.zeros(control.arguments[-1].shape)
    given = references, stack_weights(robot), 0.0
    sound = control([0.0], [0.0], *given, nothing)
    for last in (nothing, sound[-2]):
        tau, states, *_, following, solution = control([1.6], [0.0], *given, last)
        assert solution[0] == 3.0
        assert not tau.any()
        assert not states.any()
        for x, y in zip(control([0.0], [0.0], *given, following), sound, strict=True):
            np.testing.assert_array_equal(x, y)


def test_calls_without_dynamics_say_so_and_the_next_one_begins_anew():
    """Efforts that are no numbers: no command. A last solution whose end has no dynamics: the command, once."""
    control = HorizonOutline(([-5.0], [5.0]))
    nan, inf = np.nan, np.inf
    for defect, effort, gap, status, tau, kept in (
        (1e-3, 2.0, 1e-4, 1.0, 2.0, 1.0),
        (nan, 2.0, 1e-4, 1.0, 2.0, 0.0),
        (inf, 9.0, 1e-4, 1.0, 5.0, 0.0),
        (1e-3, nan, 1e-4, 3.0, 0.0, 0.0),
        (nan, inf, 1e-4, 3.0, 0.0, 0.0),
        (nan, 2.0, nan, 3.0, 0.0, 0.0),
    ):
        lost = [3.0], [0.1], [7.0], [0.2], [defect], [0.3], [effort], [gap], [1.0], [0.0], [0.0], [1.0]
        found = [float(x) for x in TickOutcome(cast(Horizon, control)).finish(*lost)]
        assert found[:2] == [tau, kept]
        assert found[3] == status
        assert np.isfinite(found).all()
        assert found[4] == (7.0 if status < 3.0 else 0.0)


@pytest.mark.parametrize("name", ["weights", "q", "advance", "frames", "tip"])
def test_goals_are_of_costs(name):
    """Others would be left aside: what a controller takes has an argument of its own."""
    robot = sg.load("cart_pole")
    control = sg.mpc(robot, 0.02, 3)
    references, weights = stack_references(control, np.zeros(2)), stack_weights(robot, position=1.0)
    with complains(f"no goal of costs of mpc is called '{name}'"):
        converge(control, np.zeros(2), np.zeros(2), references, weights, goals={name: 1.0})


@dataclass(frozen=True)
class Angles(HorizonCost):
    """Angles of a robot's first joints, of which its author counts wrong."""

    count: int
    weights: tuple[int, ...]

    @property
    def name(self):
        return "angles"

    @property
    def goal_shape(self):
        return (2,)

    @property
    def weights_shape(self):
        return self.weights

    def errors(self, model, q, goal):
        return [q[i] - goal[0] for i in range(self.count)]


@pytest.mark.parametrize(("errors", "weights"), [(1, (2,)), (2, (1,)), (0, (0,)), (1, (0,)), (0, (1,))])
def test_costs_have_a_weight_of_each_error(errors, weights):
    with complains(f"the cost 'angles' has {'no goal, or no weight' if 0 in weights else f'{errors} errors'}"):
        sg.mpc(sg.load("cart_pole"), 0.02, 3, costs=[Angles(errors, weights)])
