"""States of a step with contacts at which exported code is tried: bodies near, and within, the ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.compiler import Argument
from screwgraph.motion.simulation.contacts.contact import DAMPING, STIFFNESS
from screwgraph.motion.simulation.contacts.ground import PLANE
from screwgraph.motion.simulation.contacts.number_names import PLANES
from screwgraph.motion.simulation.system import Dynamics

COUNT = 8
"""States."""
AWAY = 0.1
"""How far positions are from where the model is assembled, and heights of grounds from 0 (rad, m)."""
SPEED = 1.0
"""Of coordinates (rad/s, m/s)."""
STEP = 1e-3
"""Duration of steps (s)."""
PUSH = 10.0
"""Normal force (N) of the step before, at most."""
SPREAD = 0.1
"""By how much parameters differ from the file's, relatively."""

Draw = Callable[[np.random.Generator, Argument], Float[np.ndarray, "N n"]]


def draw_examples(arguments: Sequence[Argument], dynamics: Dynamics) -> list[Float[np.ndarray, "N n"]]:
    """Return values (N, numbers) of each argument of a step: states that loops allow, and contacts that slide, too."""
    rng = np.random.default_rng(11)
    found = {a.name: DRAWN.get(a.name, _draw_numbers)(rng, a) for a in arguments}
    states = [[*dynamics.start(None, None)]]
    while len(states) < COUNT:
        states.append(_draw_state(rng, dynamics, *states[0]))
    found["q"], found["qd"] = (np.array(x) for x in zip(*states, strict=True))
    return [found[a.name] for a in arguments]


def _draw_state(rng: np.random.Generator, dynamics: Dynamics, q0: np.ndarray, qd0: np.ndarray) -> list[np.ndarray]:
    """Return a state that loops allow near one that they allow, or that one itself."""
    manifold = dynamics.model.manifold
    q = np.asarray(manifold.retract(q0, AWAY * rng.normal(size=manifold.dim)))
    with suppress(InputError, ModelError):  # loops do not close there
        return [*dynamics.hold(q, SPEED * rng.normal(size=manifold.dim), {})]
    return [q0, qd0]


def _draw_numbers(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, "N n"]:
    drawn = rng.normal(size=(COUNT, len(a.names)))
    return np.array(a.nominal) * (1.0 + SPREAD * drawn) if a.nominal else drawn


def _draw_contacts(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, "N n"]:
    usual = np.tile([0.5, 0.1, 1.0 / STIFFNESS, DAMPING], len(a.names) // 4)
    return usual * rng.uniform(0.5, 1.5, (COUNT, len(a.names)))


def _draw_planes(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, "N n"]:
    count = sum(name.startswith(f"{PLANES[0]}:") for name in a.names)
    normals = [0.0, 0.0, 1.0] + AWAY * rng.normal(size=(COUNT, count, 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    heights = AWAY * rng.normal(size=(*normals.shape[:-1], 1))
    points = AWAY * rng.normal(size=(COUNT, len(a.names) - PLANE * count))
    return np.concatenate([np.concatenate([normals, heights], axis=-1).reshape(COUNT, -1), points], axis=-1)


def _draw_forces(rng: np.random.Generator, a: Argument) -> Float[np.ndarray, "N n"]:
    return (rng.uniform(0.0, PUSH, (COUNT, len(a.names) // 3, 1)) * [0.0, 0.0, 1.0]).reshape(COUNT, -1)


DRAWN: Mapping[str, Draw] = {
    "dt": lambda rng, a: np.full((COUNT, 1), STEP),
    "contacts": _draw_contacts,
    "ground": _draw_planes,
    "forces": _draw_forces,
}
"""Of the arguments that are no plain random numbers, by name."""
