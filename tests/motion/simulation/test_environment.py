"""Episodes of many motions: those of a simulator, begun again where they end, with other numbers in each."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from tests.motion.simulation.contacts.bodies import box, feet, free_body, quadruped, standing

DT = 1e-3
ROBOT = quadruped()


def start(rng, count):
    q = np.tile(standing(ROBOT, 0.38), (count, 1))
    q[:, 7:] += 0.1 * rng.normal(size=(count, 8))
    return q, 0.1 * rng.normal(size=(count, ROBOT.nv))


def environment(**options) -> sg.Environment:
    given = {"start": start, "contacts": feet(), "steps": 5, "time": 0.05, **options}
    return sg.Environment(ROBOT, 4, dt=DT, **given)


def test_steps_are_those_of_a_simulator():
    env = environment()
    seen, _ = env.reset(seed=3)
    rng = np.random.default_rng(0)
    simulator = sg.Simulator(ROBOT, DT, env.q, env.qd, contacts=feet())
    np.testing.assert_array_equal(seen, np.concatenate([simulator.q, simulator.qd], axis=1))
    for _ in range(9):
        actions = np.concatenate([np.zeros((4, 6)), rng.normal(size=(4, 8))], axis=1)
        seen, rewards, ended, cut, info = env.step(actions)
        simulator.step(actions, steps=5)
        np.testing.assert_array_equal(seen, np.concatenate([simulator.q, simulator.qd], axis=1))
        np.testing.assert_array_equal(env.forces, simulator.forces)
        assert not (ended | cut).any()
        assert not info
        assert not rewards.any()
    np.testing.assert_allclose(env.t, 0.045)


def test_the_same_seed_is_the_same_episode():
    first, second = (environment(randomise={"friction": (0.2, 1.0), "body.mass": (3.0, 9.0)}) for _ in range(2))
    for env in (first, second):
        env.reset(seed=7)
        for _ in range(12):
            last = env.step(np.zeros(ROBOT.nv))
    np.testing.assert_array_equal(first.q, second.q)
    assert last[0].shape == (4, ROBOT.nq + ROBOT.nv)
    different, _ = first.reset(seed=8)
    assert np.abs(different - second.reset(seed=7)[0]).max() > 1e-3


def test_motions_begin_again_where_they_end():
    env = environment(
        reward=lambda e: e.q[:, 2],
        ends=lambda e: (np.arange(4) == 2) & (e.t > 0.018),
        randomise={"friction": (0.2, 1.0)},
    )
    env.reset(seed=0)
    for k in range(1, 11):
        _, rewards, ended, cut, info = env.step(np.zeros(ROBOT.nv))
        assert ended.tolist() == [False, False, k % 4 == 0, False]
        assert cut.tolist() == [k == 10, k == 10, False, k == 10]
        if ended[2] or cut[0]:
            done = ended | cut
            np.testing.assert_allclose(info["final_obs"][:, 2], rewards, atol=1e-12)
            assert (env.t[done] == 0.0).all()
            assert not env.forces[done].any()
            np.testing.assert_allclose(env.q[done, 2], 0.38)
            assert (env.t[~done] > 0.0).all()


def test_numbers_of_episodes_act():
    """Boxes that slide over the ground brake with mu g, whatever their mass; the ground carries the weight."""
    robot, contacts = box(0.5)
    begin = (np.tile([0, 0, 0.05, 0, 0, 0, 1.0], (5, 1)), np.tile([0, 0, 0, 2.0, 0, 0], (5, 1)))
    drawn = []

    def masses(rng, count):
        drawn.append(rng.uniform(0.5, 5.0, (count, 1)))
        return drawn[-1]

    env = sg.Environment(
        robot,
        5,
        start=lambda rng, count: tuple(x[:count] for x in begin),
        contacts=contacts,
        steps=100,
        time=1.0,
        randomise={"friction": lambda rng, count: np.linspace(0.2, 0.6, 5)[:count], "body.mass": masses},
    )
    env.reset(seed=0)
    env.step(np.zeros(6))
    np.testing.assert_allclose(env.qd[:, 3], 2.0 - 0.1 * 9.81 * np.linspace(0.2, 0.6, 5), atol=1e-9)
    np.testing.assert_allclose(env.forces[:, :, 2].sum(axis=1), 9.81 * drawn[0][:, 0], rtol=1e-9)


def test_motions_that_diverge_end():
    robot = free_body(1.0, 0.1)
    env = sg.Environment(robot, 2, contacts=[sg.Contact("body", 0.1)], steps=3)
    env.reset(seed=0)
    push = np.zeros((2, 6))
    push[1, 1] = 1e9
    seen, _, ended, _, info = env.step(push)
    assert ended.tolist() == info["diverged"].tolist() == [False, True]
    assert np.isfinite(seen).all()
    assert np.isfinite(info["final_obs"]).all()


def test_models_without_contacts_and_torques_of_actions():
    env = sg.Environment(sg.load("rrr"), 3, lambda a, q, qd: a - 0.1 * qd, actions=3, steps=4, time=0.02)
    env.reset(seed=1)
    _, _, _, cut, _ = env.step(np.ones((3, 3)))
    assert not cut.any()
    simulator = sg.Simulator(sg.load("rrr"), DT)
    for _ in range(4):
        simulator.step(1.0 - 0.1 * simulator.qd)
    np.testing.assert_allclose(env.q, np.tile(simulator.q, (3, 1)), atol=1e-12)


def test_wrong_arguments():
    with pytest.raises(InputError, match="friction is"):
        environment(randomise={"friction": (1.0, 0.2)})
    with pytest.raises(InputError, match="contacts that there are not"):
        environment(contacts=(), randomise={"friction": (0.2, 1.0)})
    with pytest.raises(InputError, match="called"):
        environment(randomise={"trunk.mas": (0.2, 1.0)})
    with pytest.raises(InputError, match="for 3 motions"):
        environment(ground=sg.Plane(height=np.zeros(3)))
    env = environment(reward=lambda e: 1.0)
    with pytest.raises(InputError, match="reset"):
        env.step(np.zeros(ROBOT.nv))
    env.reset(seed=0)
    with pytest.raises(InputError, match="actions are not finite"):
        env.step(np.zeros(3))
    with pytest.raises(InputError, match="reward returns the shape"):
        env.step(np.zeros(ROBOT.nv))
    env = environment(reward=lambda e: "much")
    env.reset(seed=0)
    with pytest.raises(InputError, match="reward returns: 'much': they are not numbers"):
        env.step(np.zeros(ROBOT.nv))
    with pytest.raises(InputError, match=r"observe returns the shape \(7,\)"):
        environment(observe=lambda e: np.zeros(7)).reset(seed=0)
