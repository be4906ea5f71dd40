"""Whatever the order of elimination, the answer is the same."""

import numpy as np
import pytest

from screwgraph.elimination import orderings
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.model.formats import load
from tests.agreement import assert_agree, interpreted, random_states
from tests.oracle import oracle
from tests.robots import built_in_robots
from tests.suites import in_suites

pytestmark = pytest.mark.cheapest

LARGE = ("a1", "iiwa14", "panda")
BUILT_IN = [
    in_suites(name, "floating" if name == "a1" else "fixed") if name in LARGE else (name, "fixed")
    for name, robot in built_in_robots().items()
    if not robot.is_closed
]
PROBLEMS = {
    "inverse": inverse_dynamics,
    "forward": forward_dynamics,
}


@pytest.fixture(scope="module")
def expected():
    """Pinocchio's answers, once a robot."""
    known = {}

    def answer(name, base, problem):
        if (name, base, problem) not in known:
            robot = load(name, base=base)
            states = random_states(robot, 10)
            known[name, base, problem] = states, _by_oracle(oracle(robot), problem, states)
        return known[name, base, problem]

    return answer


def _by_oracle(pinocchio, problem, states):
    compute = pinocchio.inverse_dynamics if problem == "inverse" else pinocchio.forward_dynamics
    return np.array([compute(*state) for state in zip(*states, strict=True)])


@pytest.mark.sampled(21)
@pytest.mark.parametrize(("name", "base"), BUILT_IN)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_all_orders_give_the_same_answer(name, base, problem, ordering, expected):
    f = PROBLEMS[problem](load(name, base=base), ordering=ordering)
    states, answer = expected(name, base, problem)
    assert f.ordering == ordering
    assert_agree(interpreted(f, *states), answer)


def _last_of_rr():
    return ["wrench:link1", "acceleration:link2"]


def lists_for_rr():
    """Orders of all kinds of names: kinds, single variables, keys, single scalars."""
    scalars = [(Key("acceleration", link), i) for link in ("link1", "link2") for i in (5, 4, 3, 2, 1, 0)]
    return {
        "kinds": ["wrench", "acceleration", "qdd"],
        "variables": ["acceleration:link1", "qdd:joint1", "wrench:link2", "qdd:joint2", *_last_of_rr()],
        "keys": [Key("qdd", "joint2"), "wrench", Key("qdd", "joint1"), "acceleration"],
        "scalars": ["wrench", *scalars, "qdd"],
    }


@pytest.mark.parametrize("order", lists_for_rr().values(), ids=lists_for_rr())
def test_an_order_may_be_a_list(order):
    robot = load("rr")
    states = random_states(robot, 10)
    f = forward_dynamics(robot, ordering=order)
    assert f.ordering == "explicit"
    assert_agree(f(*states), forward_dynamics(robot)(*states))


def test_an_order_may_be_an_object():
    robot = load("rr")
    states = random_states(robot, 10)
    for order in (
        orderings.aba(),
        orderings.explicit(["wrench:link2", "qdd:joint2", "acceleration", "qdd:joint1", "wrench:link1"]),
    ):
        assert_agree(forward_dynamics(robot, ordering=order)(*states), forward_dynamics(robot)(*states))


def test_auto_takes_the_cheapest_of_the_named_orders():
    robot = load("a1", base="floating")
    f = forward_dynamics(robot)
    totals = {
        name: forward_dynamics(robot, ordering=name).operations.total for name in ("aba", "articulated", "composite")
    }
    assert (f.ordering, f.operations.total) == min(totals.items(), key=lambda item: item[1])


@pytest.mark.parametrize("make", [inverse_dynamics, forward_dynamics, bias_forces])
def test_the_casadi_function_is_the_same_function(make):
    robot = load("puma560")
    f, states = make(robot), random_states(robot, 10)
    arguments = states[: len(f.arguments)]
    one_by_one = [np.array(f.casadi(*state)).ravel() for state in zip(*arguments, strict=True)]
    assert_agree(np.array(one_by_one), f(*arguments), 1e-12)


@pytest.mark.parametrize("make", [inverse_dynamics, forward_dynamics, bias_forces])
def test_the_program_is_the_same_function(make):
    robot = load("puma560")
    f, states = make(robot), random_states(robot, 10)
    arguments = states[: len(f.arguments)]
    assert_agree(interpreted(f, *arguments), f(*arguments), 1e-12)


@pytest.mark.parametrize("ordering", ["auto", "min_degree", "colamd", "nested_dissection"])
def test_the_same_robot_gives_the_same_program(ordering):
    first, second = (forward_dynamics(load("iiwa14"), ordering=ordering) for _ in range(2))
    assert first.program == second.program
    assert first.ordering == second.ordering


def test_the_joints_of_a_hybrid_problem_are_a_set():
    robot = load("puma560")
    first, second, one = (
        hybrid_dynamics(robot, accelerations=names) for names in (("joint2", "joint1"), ["joint1", "joint2"], "joint1")
    )
    assert first.program == second.program
    assert one.program == hybrid_dynamics(robot, accelerations=("joint1",)).program
