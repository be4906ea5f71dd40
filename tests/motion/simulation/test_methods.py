"""Each method converges with its order, on every type of joint."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, Robot, tree
from screwgraph.model.robot.joints import Floating, Revolute, Spherical
from screwgraph.motion.integration_rules import RULES
from tests.model.robot.joint_instances import in_a_tree, instances
from tests.motion.simulation.robots import BODY, free_body, pendulum

ORDERS = {name: rule.order for name, rule in RULES.items()}
STEPS = {1: 800, 2: 200, 3: 60, 4: 30, 5: 12}
"""Steps at first, by order: so many that the order shows, so few that rounding does not."""


def distance(robot: Robot, method: str, steps: int, exact: np.ndarray) -> float:
    run = sg.simulate(robot, *start(robot), time=0.4, dt=0.4 / steps, method=method, tau=push)
    return float(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - exact).max())


def start(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    return robot.random(rng), rng.normal(size=robot.nv)


def push(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.cos(3.0 * t) - 0.3 * qd


def exact_end(robot: Robot) -> np.ndarray:
    run = sg.simulate(robot, *start(robot), time=0.4, dt=0.4, method="dop853", tau=push, rtol=1e-13, atol=1e-13)
    return np.concatenate([run.q[-1], run.qd[-1]])


KINDS = {name: in_a_tree(kind) for name, kind in instances().items() if "-default" in name}
ROBOTS = {
    **KINDS,
    "two quaternions": tree(
        "thrown",
        [Link("world"), *(Link(name, BODY) for name in ("body", "arm", "hand"))],
        [
            Joint("fly", Floating(), "world", "body"),
            Joint("shoulder", Spherical(), "body", "arm"),
            Joint("wrist", Revolute((0.6, 0.0, 0.8)), "arm", "hand"),
        ],
    ),
}


@pytest.mark.sampled(75)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("method", ORDERS)
def test_halving_the_step_shows_the_order(name, method):
    robot, steps = ROBOTS[name], STEPS[ORDERS[method]]
    exact = exact_end(robot)
    coarse, fine = (distance(robot, method, n, exact) for n in (steps, 2 * steps))
    order = np.log2(coarse / fine)
    assert ORDERS[method] - 0.25 < order < ORDERS[method] + 0.6


def test_the_adaptive_method_is_as_exact_as_it_is_told():
    robot = free_body()
    exact = exact_end(robot)
    errors = []
    for tolerance in (1e-5, 1e-8, 1e-11):
        options = {"method": "dop853", "rtol": tolerance, "atol": tolerance}
        run = sg.simulate(robot, *start(robot), time=0.4, dt=0.01, tau=push, **options)
        errors.append(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - exact).max())
    assert errors[0] < 1e-3
    assert errors[1] < 1e-6
    assert errors[2] < 1e-9


def test_states_between_adaptive_steps_are_exact_too():
    robot = in_a_tree(Spherical())
    many, few = (sg.simulate(robot, *start(robot), time=0.4, dt=dt, method="dop853") for dt in (0.4 / 64, 0.4 / 4))
    np.testing.assert_allclose(many.q[::16], few.q, atol=1e-8)


def test_the_trapezoidal_rule_stays_where_explicit_ones_blow_up():
    stiff = pendulum(damping=1e6)
    run = sg.simulate(stiff, [1.0], time=1.0, dt=1e-2, method="trapezoidal")
    np.testing.assert_allclose(run.q[:, 0], 1.0, atol=1e-3)
    with pytest.raises(sg.InputError, match="the simulation diverged before t = "):
        sg.simulate(stiff, [1.0], [1.0], time=10.0, dt=1e-2, method="rk4")


def test_stiff_feedback_counts_as_stiff():
    robot, target = sg.load("rr"), np.array([0.3, -0.4])

    def hold(t, q, qd):
        return 1e6 * (target - q) - 1e5 * qd

    run = sg.simulate(robot, time=1.0, dt=1e-2, method="trapezoidal", tau=hold)
    np.testing.assert_allclose(run.q[-1], target, atol=1e-3)


def test_the_semi_implicit_method_gains_no_energy_in_the_long_run():
    run = sg.simulate(pendulum(), [0.5], time=60.0, dt=1e-2, method="semi_implicit")
    swing = np.ptp(run.energy)
    late, early = run.energy[-1000:].mean(), run.energy[:1000].mean()
    assert abs(late - early) < 0.1 * swing
