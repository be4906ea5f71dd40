"""Many motions in episodes, stepped by actions and judged by rewards: an environment for reinforcement learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.argument_checks import check_arguments, convert_numbers, validate_count, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot.parameters import with_payload
from screwgraph.motion.simulation.contacts import Contact, ContactInputs, Ground, make_contacts
from screwgraph.motion.simulation.contacts.geometry.contact import NUMBERS
from screwgraph.motion.simulation.driven_motion import make_driven_motion
from screwgraph.motion.simulation.held_wrenches import HeldWrenches
from screwgraph.motion.simulation.initial_state import initial_states, validate_seconds
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_parameters import StepValues

Judge = Callable[["Environment"], Any]
"""A number, or a row of them, for each motion of an environment."""
MOST = 1_000_000
"""Motions of an environment, and numbers of an action."""
Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class Environment:
    """B motions of a model in episodes, in the style of a vector environment of Gymnasium (Towers et al., 2024).

    `reset(seed=...)` returns observations (B, n) and a dictionary; `step(actions)` observations, rewards (B,), whether
    motions ended (B,), whether their time was up (B,), and a dictionary. A motion that ended begins again in the same
    step: its observation is that of the new episode, `"final_obs"` of the dictionary has the last ones of all.
    Between calls the states are `q` (B, nq) and `qd` (B, nv), with `forces` (N) (B, k, 3) at contacts, the last
    `actions`, and the times `t` (B,) (s) of the episodes. A motion that diverges ends.
    `screwgraph.api.interop.gymnasium_vector_environment` makes it one of Gymnasium's own class, with spaces.
    """

    @check_arguments
    def __init__(
        self,
        model: Model,
        count: int,
        torques: Callable[[Any, Any, Any], Any] | None = None,
        observe: Judge | None = None,
        reward: Judge | None = None,
        ends: Judge | None = None,
        start: Callable[[np.random.Generator, int], Any] | None = None,
        *,
        actions: int | None = None,
        dt: float = 1e-3,
        steps: int = 10,
        time: float = 10.0,
        contacts: Sequence[Contact] | str = (),
        ground: Ground | None = None,
        friction: bool = False,
        stops: bool = False,
        effort_limits: bool = False,
        springs: Mapping[str, float | Sequence[float]] | None = None,
        payload: str | None = None,
        external_wrenches: Mapping[str, Any] | None = None,
        randomise: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the code of a step.

        Args:
            model: a robot, or a mechanism.
            count: how many motions.
            torques: of all joints (B, m) as a function of actions (B, a), q (B, nq) and qd (B, nv), called each dt; by
                default actions are the torques.
            observe: observations (B, n) of the environment; by default q and qd.
            reward: a reward for each motion (B,), of the environment after a step; by default 0.
            ends: whether motions end (B,); by default none does.
            start: states q (B, nq) and qd (B, nv), or q alone, of a random generator and a number of motions; by
                default those in which simulations begin.
            actions: how many numbers are an action; by default as many as torques.
            dt: step of the simulation (s).
            steps: how many are one step of the environment.
            time: of an episode (s).
            contacts: as for `Simulator`; so are the next six. Coordinates that a mechanism's file drives follow their
                functions of the time of each episode.
            ground: a plane, height map or steps, which may be one a motion.
            friction: whether joints have the Coulomb friction of the file.
            stops: whether joints stop at the position limits of the file.
            effort_limits: whether torques are cut to the effort limits of the file.
            springs: of joints, by name: stiffness, or stiffness and rest position.
            payload: the link or frame at which the parameter "payload" is a body.
            external_wrenches: by link or frame, as for `Simulator`: (6,), for each motion (B, 6), or functions of the
                environment that return one of both, called once before a step of it and held: pushes.
            randomise: numbers that are others in each episode: "friction", "restitution", "stiffness" or "damping" of
                all contacts, or parameters of the model as "trunk.mass"; from one value to another, (low, high), or a
                function of a random generator and a number of motions that returns (B, k).

        Raises:
            InputError: a bad argument.
            EliminationError: a joint moves nothing that has inertia.
        """
        self.model, self.num_envs = model, validate_count("count", count)
        for name, number in (("count", count), ("actions", actions or 1)):
            if number > MOST:
                raise InputError(f"{name} = {number} is more than {MOST}", fix="make several environments")
        self.dt, self.steps, self.time = validate_seconds("dt", dt), validate_count("steps", steps), time
        validate_seconds("time", time)
        given = dict(randomise or {})
        self._laws = {name: _draws(name, given.pop(name)) for name in NUMBERS if name in given}
        self._values = {name: _draws(name, value) for name, value in given.items()}
        names, touching = with_payload(tuple(given), payload), make_contacts(model, contacts, ground)
        if self._laws and not touching[0]:
            raise InputError(f"{next(iter(self._laws))} of contacts that there are not", fix="give contacts=")
        acting = dict(external_wrenches or {})
        laws = (friction, stops, effort_limits, dict(springs or {}))
        self._options = StepOptions("semi_implicit", *laws, names, payload, *touching, tuple(acting))
        self._pushes = {name: value for name, value in acting.items() if callable(value)}
        known = {name: value for name, value in acting.items() if name not in self._pushes}
        self._wrenches = HeldWrenches.read(dynamics_of(model), tuple(acting), known)
        self._step = self._options.step_of(model, self.dt)
        self._contacts = ContactInputs.of(model, *touching) if touching[0] else None
        if self._contacts is not None and self._contacts.motions not in (1, self.num_envs):
            raise InputError(
                f"contacts and ground are for {self._contacts.motions} motions, the environment has {count}",
                fix="give as many, or one",
            )
        self._driven = make_driven_motion(dynamics_of(model), None)
        self._efforts = len(dynamics_of(model).check_efforts(None, "tau"))
        self.action_size = self._efforts if actions is None else validate_count("actions", actions)
        self._torques, self._observe, self._reward, self._ends, self._start = torques, observe, reward, ends, start
        self._rng = np.random.default_rng()
        self.q, self.qd, self.forces = np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0, 3))
        self.actions, self.t = np.zeros((count, self.action_size)), np.zeros(count)

    def __repr__(self) -> str:
        return f"<environment of {self.num_envs} motions of {self.model.name!r}: {self.steps} x {self.dt:g} s a step>"

    def reset(self, *, seed: int | None = None) -> tuple[Float[np.ndarray, "B n"], dict[str, Any]]:
        """Begin an episode of each motion; return observations. Raises InputError where `start` returns no states."""
        if seed is not None:
            if not isinstance(seed, int | np.integer) or seed < 0:
                raise InputError(f"reset: seed is {seed!r}", fix="give a whole number, not negative")
            self._rng = np.random.default_rng(seed)
        nq, nv, count = self.model.manifold.shape[0], self.model.manifold.dim, self.num_envs
        k = 0 if self._contacts is None else len(self._contacts.radii)
        self.q, self.qd, self.forces = np.zeros((count, nq)), np.zeros((count, nv)), np.zeros((count, k, 3))
        self.actions, self.t = np.zeros((count, self.action_size)), np.zeros(count)
        if self._contacts is not None:
            values = np.array(np.broadcast_to(self._contacts.values, (count, self._contacts.values.shape[-1])))
            self._contacts = replace(self._contacts, values=values)
        if self._options.parameters:
            vector = np.tile(self._step.parameter_vector({}), (count, 1))
            self._given = StepValues.from_values(self._step, self._options.parameters, self._options.payload, vector)
        self._begin(np.ones(count, dtype=bool))
        return self._observations(), {}

    def step(self, actions: Any) -> Step:
        """Take a step of all motions under actions (B, a), held for its time; those that end begin again.

        Raises:
            InputError: no reset came first, or not so many finite numbers.
        """
        if not len(self.q):
            raise InputError("the environment has no states yet", fix="call reset(seed=0) first")
        self.actions = np.array(self._check_batch(actions, (self.num_envs, self.action_size), "actions"))
        lost = np.zeros(self.num_envs, dtype=bool)
        if self._wrenches is not None:
            self._wrenches.hold({name: push(self) for name, push in self._pushes.items()}, (self.num_envs,))
        with np.errstate(all="ignore"):  # what is not finite ends
            for k in range(self.steps):
                lost |= self._advance(self.t + k * self.dt)
        self.t = self.t + self.steps * self.dt
        rewards = np.zeros(self.num_envs) if self._reward is None else self._evaluate("reward", self._reward)
        ended = lost.copy() if self._ends is None else lost | self._evaluate("ends", self._ends).astype(bool)
        truncated = ~ended & (self.t > self.time - 0.5 * self.dt)
        info: dict[str, Any] = {}
        if (done := ended | truncated).any():
            info["final_obs"], info["diverged"] = self._observations(), lost
            self._begin(done)
        return self._observations(), rewards, ended, truncated, info

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _advance(self, t: Float[np.ndarray, " B"]) -> Bool[np.ndarray, " B"]:
        """Take a step of the simulation from times (s); return which motions are lost, left where they were."""
        tau = self.actions if self._torques is None else self._torques(self.actions, self.q, self.qd)
        held = (self._check_batch(tau, (self.num_envs, self._efforts), "torques"),) if self._efforts else ()
        held += () if self._wrenches is None else (self._wrenches.last,)
        own, dt = (() if not self._options.parameters else (self._given.carried,)), np.array([self.dt])
        code = self._step.core if own else self._step
        if self._driven is not None:
            self._driven.refuse_efforts(tau)
            own = (self._driven.numbers_of_steps(t, self.dt),)
        if self._contacts is None:
            q, qd = code.ufunc(self.q, self.qd, *held, dt, *own)
            forces = self.forces
        else:
            last = (*self._contacts.find_arguments(self.q), self.forces, *own)
            q, qd, forces, *_ = code.ufunc(self.q, self.qd, *held, dt, *last)
        lost = ~np.isfinite(qd).all(axis=1)
        if lost.any():
            q[lost], qd[lost] = self.q[lost], 0.0
            forces = np.where(lost[:, None, None], 0.0, forces)
        self.q, self.qd, self.forces = q, qd, forces
        return lost

    def _begin(self, where: Bool[np.ndarray, " B"]) -> None:
        """Begin episodes of some motions: states, and numbers that are others in each."""
        count, rng = int(where.sum()), self._rng
        found = None if self._start is None else self._start(rng, count)
        q, qd = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        q, qd = initial_states(self._driven or dynamics_of(self.model), q, qd)
        self.q[where], self.qd[where] = q, qd
        self.forces[where], self.t[where], self.actions[where] = 0.0, 0.0, 0.0
        if self._contacts is not None and self._laws:
            values = self._contacts.values.reshape(self.num_envs, -1, len(NUMBERS))
            for name, draw in self._laws.items():
                drawn = np.asarray(draw(rng, count)).reshape(count, -1)
                named: dict[str, Any] = {name: drawn.ravel()}
                Contact("randomise", **named)  # which says what they may be
                values[where, :, NUMBERS.index(name)] = 1.0 / drawn if name == "stiffness" else drawn
        if self._values:
            vector = self._given.vector.copy()
            drawn = {name: np.asarray(draw(rng, count)).reshape(count, -1) for name, draw in self._values.items()}
            vector[where] = self._step.parameter_vector(drawn)
            self._given = StepValues.from_values(self._step, self._options.parameters, self._options.payload, vector)

    def _observations(self) -> Float[np.ndarray, "B n"]:
        if self._observe is None:
            return np.concatenate([self.q, self.qd], axis=1)
        found = np.array(validate_numbers("observe returns", self._observe(self)))
        if found.shape[:1] != (self.num_envs,):
            raise InputError(f"observe returns the shape {found.shape}", fix=f"return ({self.num_envs}, n)")
        return found

    def _evaluate(self, name: str, function: Callable[[Any], Any]) -> Float[np.ndarray, " B"]:
        """Return a number of each motion by a function of the environment. Raises InputError."""
        answer = function(self)
        is_truth = np.asarray(answer).dtype == bool  # whether motions end
        found = np.array(answer, dtype=float) if is_truth else np.array(validate_numbers(f"{name} returns", answer))
        if found.shape != (self.num_envs,):
            raise InputError(f"{name} returns the shape {found.shape}", fix=f"return ({self.num_envs},)")
        return found

    def _check_batch(self, values: Any, shape: tuple[int, int], what: str) -> Float[np.ndarray, "B n"]:
        try:
            found = convert_numbers(values)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape not in (shape, shape[1:]) or not np.isfinite(found).all():
            raise InputError(f"{what} are not finite numbers of the shape {shape}, but {np.shape(found)}")
        return np.broadcast_to(found, shape)


def _draws(name: str, value: Any) -> Callable[[np.random.Generator, int], Any]:
    """Return what draws numbers for so many motions. Raises InputError."""
    if callable(value):
        return value
    try:
        low, high = (float(x) for x in value)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not -np.inf < low <= high < np.inf:
        raise InputError(f"randomise: {name} is {value!r}", fix="give (low, high), or a function of rng and count")
    return lambda rng, count: rng.uniform(low, high, (count, 1))
