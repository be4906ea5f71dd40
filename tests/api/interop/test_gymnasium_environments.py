"""Environments of Gymnasium: its own checkers accept them, and motions are those of the environment itself."""

import sys
import warnings

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.interop import gymnasium_environment, gymnasium_vector_environment
from tests.motion.simulation.contacts.bodies import free_body


def environment(count: int) -> sg.Environment:
    """Return balls that begin at random heights and are pushed by forces; those beyond 5 cm from the middle end."""

    def start(rng, count):
        q = np.tile([0.0, 0, 0.1, 0, 0, 0, 1], (count, 1))
        q[:, 2] += rng.uniform(0.0, 0.05, count)
        return q

    def push(actions, q, qd):
        return np.concatenate([np.zeros((len(q), 3)), actions], axis=1)

    return sg.Environment(
        free_body(1.0, 0.1),
        count,
        push,
        ends=lambda env: np.linalg.norm(env.q[:, :2], axis=1) > 0.05,
        reward=lambda env: env.q[:, 0],
        start=start,
        actions=3,
        contacts=[sg.Contact("body", radius=0.1)],
        time=0.5,
        randomise={"friction": (0.1, 1.0)},
    )


@pytest.mark.extra
def test_gymnasiums_checker_accepts_a_single_environment():
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    made = gymnasium_environment(environment(1), bounds=(-5.0, 5.0))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(observation space|rescale|symmetric).*")  # states have no bounds
        checker.check_env(made, skip_render_check=True)
    assert (made.action_space.low.tolist(), made.action_space.high.tolist()) == ([-5.0] * 3, [5.0] * 3)


@pytest.mark.extra
def test_a_single_environment_ends_where_ours_does():
    pytest.importorskip("gymnasium")
    single, plain = gymnasium_environment(environment(1)), environment(1)
    seen, _ = single.reset(seed=4)
    expected, _ = plain.reset(seed=4)
    np.testing.assert_array_equal(seen, expected[0])
    for _ in range(60):
        seen, reward, ended, truncated, info = single.step(np.array([5.0, 0.0, 0.0]))
        expected, rewards, *flags, said = plain.step(np.array([[5.0, 0.0, 0.0]]))
        assert [ended, truncated] == [flag[0] for flag in flags]
        assert reward == rewards[0]
        np.testing.assert_array_equal(seen, said.get("final_obs", expected)[0])
        if ended or truncated:
            break
    assert ended
    assert abs(seen[0]) > 0.05
    assert info == {"diverged": False}


@pytest.mark.extra
def test_a_vector_environment_is_one_of_gymnasium_and_its_wrappers_take_it():
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.wrappers.vector import RecordEpisodeStatistics  # pyright: ignore[reportMissingImports]

    made, plain = gymnasium_vector_environment(environment(3)), environment(3)
    assert isinstance(made, gymnasium.vector.VectorEnv)
    wrapped = RecordEpisodeStatistics(made)
    seen, _ = wrapped.reset(seed=1)
    expected, _ = plain.reset(seed=1)
    np.testing.assert_array_equal(seen, expected)
    assert made.observation_space.contains(seen)
    actions = np.array([[6.0, 0, 0], [0, 0, 0], [0, 3.0, 0]])
    counts = np.zeros(3, dtype=int)
    for _ in range(60):
        seen, _, ended, truncated, info = wrapped.step(actions)
        expected, *_, said = plain.step(actions)
        np.testing.assert_array_equal(seen, expected)
        done = ended | truncated
        counts += done
        if done.any():
            np.testing.assert_array_equal(info["_final_obs"], done)
            assert [last is not None for last in info["final_obs"]] == done.tolist()
            first = int(np.flatnonzero(done)[0])
            np.testing.assert_array_equal(info["final_obs"][first], said["final_obs"][first])
    assert counts[0] > counts[1] == 1


def test_without_gymnasium_one_line_says_so(monkeypatch):
    for module in ("gymnasium", "gymnasium.vector", "gymnasium.spaces"):
        monkeypatch.setitem(sys.modules, module, None)
    for make in (gymnasium_environment, gymnasium_vector_environment):
        with pytest.raises(sg.InputError, match=r"Gymnasium is not installed \(pip install gymnasium\)"):
            make(environment(1))


@pytest.mark.extra
def test_what_cannot_be_is_refused_in_one_line():
    pytest.importorskip("gymnasium")
    with pytest.raises(sg.InputError, match="an environment of 2 motions is no single one"):
        gymnasium_environment(environment(2))
    with pytest.raises(sg.InputError, match="reset takes no options"):
        gymnasium_environment(environment(1)).reset(options={"height": 1})
    with pytest.raises(sg.InputError, match="bounds of actions"):
        gymnasium_vector_environment(environment(2), bounds=(1.0, -1.0))
