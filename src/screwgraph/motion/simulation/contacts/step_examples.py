"""States of a step with contacts at which exported code is tried: bodies near, and within, the ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.compiler import PARAMETERS, Argument
from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs
from screwgraph.motion.simulation.contacts.geometry.contact import DAMPING, STIFFNESS
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE, Plane
from screwgraph.motion.simulation.contacts.geometry.number_names import PLANES
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING
from screwgraph.motion.simulation.driven_motion import DrivenMotion, make_driven_motion
from screwgraph.motion.simulation.system import Dynamics

COUNT = 8
"""States."""
AWAY = 0.1
"""How far positions are from where the model is assembled (rad, m), and how normals of grounds are turned."""
NEAR = 1e-4
"""How deep (m) contacts are in the ground at most, and how far the lowest are above it."""
SPEED = 1.0
"""Of coordinates (rad/s, m/s)."""
STEP = 1e-3
"""Duration of steps (s)."""
PUSH = 10.0
"""Normal force (N) of the step before, at most."""
SPREAD = 0.1
"""By how much parameters differ from the file's, relatively."""

State = tuple[np.ndarray, np.ndarray, np.ndarray]
"""A position, a velocity, and the numbers of coordinates that are driven."""
Draw = Callable[[np.random.Generator, Argument], Float[np.ndarray, "N n"]]


def draw_examples(
    arguments: Sequence[Argument], model: TouchingModel, dynamics: Dynamics
) -> list[Float[np.ndarray, "N n"]]:
    """Return values (N, numbers) of each argument of a step: states that loops allow, and contacts that slide, too.

    Contacts are within `NEAR` of the ground where a floating base, or planes that are inputs, let them.
    """
    rng, names = np.random.default_rng(11), {a.name for a in arguments}
    found = {a.name: DRAWN.get(a.name, _draw_numbers)(rng, a) for a in arguments}
    led, drawn = make_driven_motion(dynamics, None), list[State]()
    while len(drawn) < COUNT:
        drawn.append(_draw_state(rng, dynamics, led, len(drawn)))
    q, qd, driving = (np.array(x) for x in zip(*drawn, strict=True))
    inputs = ContactInputs.of(dynamics.model, model.contacts, model.plane or Plane())
    gaps = rng.uniform(-NEAR, NEAR, (COUNT, len(model.contacts)))
    if "ground" in names:
        _lay_planes(found["ground"], inputs, q, gaps)
    else:
        above = inputs.gaps(q) - np.abs(gaps)
        q = TOUCHING[dynamics.model.kind].lift(dynamics.model, q, -above.min(axis=1) - NEAR)
    found |= {"q": q, "qd": qd} | ({} if led is None else {PARAMETERS: driving})
    return [found[a.name] for a in arguments]


def _draw_state(rng: np.random.Generator, dynamics: Dynamics, led: DrivenMotion | None, k: int) -> State:
    """Return a state that loops allow near where the model is assembled, or, of the first, that one itself.

    With it come the numbers of coordinates that are driven, at a time of the first second.
    """
    manifold, t = dynamics.model.manifold, rng.uniform(size=1)
    q0, qd0 = dynamics.start(None, None) if led is None else led.start(None, None)
    q = np.asarray(manifold.retract(q0, AWAY * rng.normal(size=manifold.dim)))
    qd = SPEED * rng.normal(size=manifold.dim)
    if k:
        with suppress(InputError, ModelError):  # loops do not close there, or a table has no such time
            held = {} if led is None else led.hold_coordinates(float(t[0]))
            driving = np.zeros(0) if led is None else led.numbers_of_steps(t, STEP)[0]
            return *dynamics.hold(q, qd, held), driving
    return q0, qd0, np.zeros(0) if led is None else led.numbers_of_steps(np.zeros(1), STEP)[0]


def _lay_planes(
    ground: Float[np.ndarray, "N n"], inputs: ContactInputs, q: Float[np.ndarray, "N nq"], gaps: np.ndarray
) -> None:
    """Let planes that are inputs be some distances (N, k) (m) below contacts."""
    p = inputs.places.ufunc(q)
    p = p[0] if isinstance(p, tuple) else p
    planes = ground[:, : PLANE * len(inputs.radii)].reshape(len(q), -1, PLANE)  # a view
    planes[..., 3] = (planes[..., :3] * p).sum(axis=-1) - inputs.radii - gaps


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
    heights = np.zeros((*normals.shape[:-1], 1))
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
