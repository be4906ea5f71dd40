"""Environments of Gymnasium, made of ours: classes of its own, which its wrappers, checkers and trainers ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module
from screwgraph.motion.simulation import Environment


@check_arguments
def gymnasium_vector_environment(environment: Environment, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Any:
    """Return a vector environment of Gymnasium (Towers et al., 2024) that steps the motions of one of ours.

    It is a `gymnasium.vector.VectorEnv` whose motions begin again in the same step: `"final_obs"` holds, for each
    motion that ended, its last observation, and `"_final_obs"` says which did. `bounds` are the least and the largest
    number of actions in its spaces, which trainers ask for.

    Raises:
        InputError: Gymnasium is not installed, or bounds are none.
    """
    vector = extra_module("gymnasium.vector", "Gymnasium", "gymnasium")
    spaces = _make_spaces(environment, bounds)

    class Motions(vector.VectorEnv):
        """The motions of an environment."""

        num_envs = environment.num_envs
        metadata = {"render_modes": [], "autoreset_mode": vector.AutoresetMode.SAME_STEP}  # noqa: RUF012 (as its base)
        single_observation_space, single_action_space = spaces[0], spaces[2]
        observation_space, action_space = spaces[1], spaces[3]

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
            """Begin an episode of each motion."""
            _refuse_options(options)
            super().reset(seed=seed)
            return environment.reset(seed=seed)

        def step(self, actions: ArrayLike) -> Any:
            """Take a step of all motions."""
            seen, rewards, ended, truncated, info = environment.step(actions)
            return seen, rewards, ended, truncated, _mark_ends(info, ended | truncated)

    return Motions()


@check_arguments
def gymnasium_environment(environment: Environment, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Any:
    """Return an environment of Gymnasium (Towers et al., 2024) that steps the one motion of one of ours.

    It is a `gymnasium.Env`: where the motion ends, the observation is its last one. `bounds` are the least and the
    largest number of actions in its space, which trainers ask for.

    Raises:
        InputError: Gymnasium is not installed, there are several motions, or bounds are none.
    """
    gymnasium = extra_module("gymnasium", "Gymnasium", "gymnasium")
    if environment.num_envs != 1:
        raise InputError(
            f"an environment of {environment.num_envs} motions is no single one",
            fix="count=1, or gymnasium_vector_environment",
        )
    spaces = _make_spaces(environment, bounds)

    class Motion(gymnasium.Env):
        """The motion of an environment."""

        metadata = {"render_modes": []}  # noqa: RUF012 (as its base)
        observation_space, action_space = spaces[0], spaces[2]

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
            """Begin an episode."""
            _refuse_options(options)
            super().reset(seed=seed)
            seen, info = environment.reset(seed=seed)
            return seen[0], info

        def step(self, action: ArrayLike) -> Any:
            """Take a step."""
            seen, rewards, ended, truncated, info = environment.step(np.asarray(action)[None])
            last = info.pop("final_obs", seen)
            own = {name: value[0] for name, value in info.items()}
            return last[0], float(rewards[0]), bool(ended[0]), bool(truncated[0]), own

    return Motion()


def _make_spaces(environment: Environment, bounds: tuple[float, float]) -> list[Any]:
    """Return the spaces of one motion's observations, of all motions', and of actions likewise."""
    Box = extra_module("gymnasium.spaces", "Gymnasium", "gymnasium").Box
    low, high = bounds
    if not low < high:
        raise InputError(f"bounds of actions are {bounds!r}", fix="give (low, high), as (-1.0, 1.0)")
    seen, _ = environment.reset(seed=0)
    actions = environment.actions.shape
    seen_spaces = [Box(-np.inf, np.inf, shape, np.float64) for shape in (seen.shape[1:], seen.shape)]
    return seen_spaces + [Box(low, high, shape, np.float64) for shape in (actions[1:], actions)]


def _refuse_options(options: Any) -> None:
    if options:
        raise InputError(f"reset takes no options, got {options!r}", fix="say where motions begin by start=")


def _mark_ends(info: dict[str, Any], ended: np.ndarray) -> dict[str, Any]:
    """Return what a step says, in Gymnasium's form: of motions that did not end, nothing."""
    if "final_obs" not in info:
        return info
    last = np.full(len(ended), None, dtype=object)
    for k in np.flatnonzero(ended):
        last[k] = info["final_obs"][k]
    return {**info, "final_obs": last, "_final_obs": ended, "_diverged": np.ones(len(ended), dtype=bool)}
