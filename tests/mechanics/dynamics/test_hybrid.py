"""Hybrid dynamics against Featherstone's three passes (Xie & Dellaert (2019), section VI-A) over Pinocchio."""

from itertools import combinations

import numpy as np
import pytest

from screwgraph.mechanics.dynamics import forward_dynamics, hybrid_dynamics, inverse_dynamics
from screwgraph.model.formats import load
from tests.agreement import assert_agree, interpreted, machine_code, random_states
from tests.oracle import oracle
from tests.suites import in_suites

COUNT = 5


def subsets(names):
    return [subset for size in range(len(names) + 1) for subset in combinations(names, size)]


def three_passes(pinocchio, accelerations, q, qd, given):
    """Featherstone (2008), section 9.2: inverse, forward over the free joints, inverse; in the places of `given`."""
    robot = pinocchio.robot
    known = np.zeros(robot.nv, dtype=bool)
    for name in accelerations:
        known[robot.v_slices[name]] = True
    free = np.flatnonzero(~known)
    qdd = np.where(known, given, 0.0)
    at_rest = pinocchio.inverse_dynamics(q, qd, qdd)
    M = pinocchio.mass_matrix(q)[np.ix_(free, free)]
    qdd[free] = np.linalg.solve(M, given[free] - at_rest[free])
    tau = pinocchio.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau[free], given[free], atol=1e-9 * max(1.0, np.abs(tau).max()))
    return np.where(known, tau, qdd)


def assert_hybrid_agrees(robot, accelerations, evaluate=machine_code, **options):
    states, pinocchio = random_states(robot, COUNT), oracle(robot)
    expected = [three_passes(pinocchio, accelerations, *state) for state in zip(*states, strict=True)]
    assert_agree(evaluate(hybrid_dynamics(robot, accelerations, **options), *states), np.array(expected))


PUMA_SUBSETS = subsets(tuple(f"joint{i}" for i in range(1, 7)))


def test_there_are_64_subsets_of_pumas_joints():
    assert load("puma560").joint_names == tuple(f"joint{i}" for i in range(1, 7))
    assert len(set(PUMA_SUBSETS)) == 64


@pytest.mark.sampled(15)
@pytest.mark.parametrize("case", PUMA_SUBSETS, ids=lambda names: "+".join(names) or "none")
def test_every_subset_of_known_accelerations_of_puma_agrees_with_the_three_passes(case):
    assert_hybrid_agrees(load("puma560"), case, interpreted, ordering="aba")


def test_the_order_is_chosen_where_none_is_named():
    assert_hybrid_agrees(load("puma560"), ("joint2", "joint5"))


LEGS = ("FL", "FR", "RL", "RR")


@pytest.mark.parametrize("ordering", ["aba", in_suites("min_degree")])
@pytest.mark.parametrize(
    "accelerations",
    [
        tuple(f"{leg}_{joint}_joint" for leg in LEGS for joint in ("hip", "thigh", "calf")),
        ("floating_base",),
        ("floating_base", "FL_calf_joint", "RR_hip_joint"),
        ("FR_hip_joint", "FR_thigh_joint", "RL_calf_joint"),
    ],
    ids=["all_legs", "base", "base_and_legs", "some_legs"],
)
@pytest.mark.sampled(3)
def test_subsets_of_a_floating_quadruped_agree_with_the_three_passes(accelerations, ordering):
    assert_hybrid_agrees(load("a1", base="floating"), accelerations, ordering=ordering)


def test_with_all_accelerations_known_it_is_inverse_dynamics():
    robot = load("puma560")
    states = random_states(robot, COUNT)
    assert_agree(hybrid_dynamics(robot, robot.joint_names)(*states), inverse_dynamics(robot)(*states))


def test_with_no_acceleration_known_it_is_forward_dynamics():
    robot = load("puma560")
    states = random_states(robot, COUNT)
    assert_agree(hybrid_dynamics(robot, ())(*states), forward_dynamics(robot)(*states))


def test_giving_back_what_was_found_returns_what_was_given():
    robot = load("a1", base="floating")
    driven = robot.joint_names[1:]
    q, qd, given = random_states(robot, COUNT)
    found = hybrid_dynamics(robot, driven)(q, qd, given)
    assert_agree(hybrid_dynamics(robot, ("floating_base",))(q, qd, found), given)


def test_wrenches_act_on_hybrid_problems_too():
    robot = load("puma560")
    q, qd, given = random_states(robot, COUNT)
    wrench = np.random.default_rng(1).normal(size=(1, 6))
    tau = inverse_dynamics(robot, external_wrenches=("link6",))(q, qd, given, wrench)
    mixed = given.copy()
    mixed[:, 2:] = tau[:, 2:]
    found = hybrid_dynamics(robot, ("joint1", "joint2"), external_wrenches=("link6",))(q, qd, mixed, wrench)
    assert_agree(found, np.concatenate([tau[:, :2], given[:, 2:]], axis=1))
