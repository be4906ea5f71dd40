"""Kinematics, momenta and energies of mechanisms: what robots' queries of the same names answer for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import PARAMETERS, Argument, Function, Result, compile_expression, make_numbered_argument
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.kinematics.manifold_functions import make_generator, validate_shape
from screwgraph.mechanics.kinematics.mechanism_motion import (
    BODY,
    FrameMotion,
    check_mechanism_mass,
    find_frames,
    unit_rates,
)
from screwgraph.mechanics.kinematics.reference_frames import (
    LOCAL,
    express_twist,
    express_twist_rate,
    validate_reference,
)
from screwgraph.model.mechanism import Mechanism, live_mechanism, without_metadata
from screwgraph.model.mechanism.assembled_positions import draw_assembled_positions
from screwgraph.model.mechanism.equations import energies

Expression = Callable[..., Sequence[Any]]
"""Of a mechanism and vectors q, qd, qdd of numbers of any kind."""
KINDS = ("q", "qd", "qdd")


def compile_query(
    name: str,
    mechanism: Mechanism,
    count: int,
    expression: Expression,
    shape: tuple[int, ...],
    *,
    asked: object = (),
    parameters: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """Return an expression of the first `count` of q, qd, qdd (..., n) as a function, and of the file's parameters."""
    arguments = tuple(make_numbered_argument(kind, mechanism.n) for kind in KINDS[:count])
    live = live_mechanism(mechanism, tuple(parameters)) if parameters else None
    if live is not None:
        names = tuple(f"parameter:{parameter}[0]" for parameter in live.names)
        arguments = (*arguments, Argument(PARAMETERS, (len(names),), names, nominal=live.values))

    def of_numbers(*vectors: np.ndarray) -> Sequence[Any]:
        there = mechanism if live is None else live.with_values(vectors[-1].tolist())
        return expression(there, *vectors[:count])

    question = (without_metadata(mechanism), asked, tuple(parameters))
    return compile_expression(name, question, arguments, of_numbers, results=(Result("result", shape),)).astype(dtype)


# Frames: bodies, and points with the world's axes.


def _forward_kinematics(mechanism: Mechanism, frames: str | Iterable[str] | None = None, **options: Any) -> Function:
    one = isinstance(frames, str)
    names = (
        (frames,)
        if one
        else tuple(BODY + b.name for b in mechanism.bodies if not b.is_rod)
        if frames is None
        else tuple(frames)
    )
    if not names:
        raise InputError("no frame is named", fix="give names of bodies or points, or None for all bodies")
    found = find_frames(mechanism, names)

    def expression(there: Mechanism, q: np.ndarray) -> list:
        motion = FrameMotion.from_rates(there, q)
        poses = [motion.frame(frame)[0] for frame in find_frames(there, names)]
        return [entry for T in poses for entry in T.ravel().tolist()]

    shape = (4, 4) if one else (len(found), 4, 4)
    return compile_query("forward_kinematics", mechanism, 1, expression, shape, asked=names, **options)


def _frame_velocity(mechanism: Mechanism, frame: str, *, reference: str = LOCAL, **options: Any) -> Function:
    way, _ = validate_reference(reference), find_frames(mechanism, [frame])

    def expression(there: Mechanism, q: np.ndarray, qd: np.ndarray) -> list:
        T, V = FrameMotion.from_rates(there, q, qd).frame(*find_frames(there, [frame]))
        return list(express_twist(way, T, V))

    return compile_query("frame_velocity", mechanism, 2, expression, (6,), asked=(frame, way), **options)


def _frame_acceleration(mechanism: Mechanism, frame: str, *, reference: str = LOCAL, **options: Any) -> Function:
    way, _ = validate_reference(reference), find_frames(mechanism, [frame])

    def expression(there: Mechanism, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        T, V, rate = FrameMotion.from_rates(there, q, qd, qdd).frame(*find_frames(there, [frame]))
        return list(express_twist_rate(way, T, V, rate))

    return compile_query("frame_acceleration", mechanism, 3, expression, (6,), asked=(frame, way), **options)


def _frame_jacobian(mechanism: Mechanism, frame: str, *, reference: str = LOCAL, **options: Any) -> Function:
    way, _ = validate_reference(reference), find_frames(mechanism, [frame])

    def expression(there: Mechanism, q: np.ndarray) -> list:
        (own,) = find_frames(there, [frame])
        columns = [express_twist(way, *motion.frame(own)) for motion in unit_rates(there, q)]
        return [column[i] for i in range(6) for column in columns]

    shape = (6, mechanism.n)
    return compile_query("frame_jacobian", mechanism, 1, expression, shape, asked=(frame, way), **options)


# Centre of mass and momenta, of all bodies.


def _of_masses(name: str, count: int, expression: Expression, shape: tuple[int, ...]) -> Callable[..., Function]:
    """Return a query of the masses; a last dimension of 0 stands for the number of coordinates."""

    def ask(mechanism: Mechanism, *, payload: str | None = None, **options: Any) -> Function:
        refuse_payload(payload)
        check_mechanism_mass(mechanism)
        own = tuple(size or mechanism.n for size in shape)
        return compile_query(name, mechanism, count, expression, own, **options)

    return ask


def _center(there: Mechanism, *vectors: np.ndarray) -> list:
    return list(FrameMotion.from_rates(there, *vectors).total_center(len(vectors) - 1))


def _center_jacobian(there: Mechanism, q: np.ndarray) -> list:
    columns = [motion.total_center(1) for motion in unit_rates(there, q)]
    return [column[i] for i in range(3) for column in columns]


def _momentum(there: Mechanism, *vectors: np.ndarray) -> list:
    return FrameMotion.from_rates(there, *vectors).centroidal_momentum(len(vectors) - 1)


def _momentum_matrix(there: Mechanism, q: np.ndarray) -> list:
    columns = [motion.centroidal_momentum() for motion in unit_rates(there, q)]
    return [column[i] for i in range(6) for column in columns]


# Energies, and what the mass matrix does not depend on.


def _energy(name: str, mechanism: Mechanism, *, payload: str | None = None, **options: Any) -> Function:
    refuse_payload(payload)
    count = 2 if name == "kinetic_energy" else 1

    def expression(there: Mechanism, q: np.ndarray, *rates: np.ndarray) -> list:
        return [energies(there, q, rates[0] if rates else np.zeros(there.n))[2 - count]]

    return compile_query(name, mechanism, count, expression, (), **options)


def _coriolis_matrix(mechanism: Mechanism, *, payload: str | None = None, **options: Any) -> Function:
    """Return zeros: the mass matrix of natural coordinates is constant."""
    refuse_payload(payload)
    n = mechanism.n
    return compile_query("coriolis_matrix", mechanism, 2, lambda there, q, qd: [0.0] * (n * n), (n, n), **options)


# Positions.


def _neutral(mechanism: Mechanism, shape: int | Sequence[int] = ()) -> Float[np.ndarray, "... n"]:
    return np.tile(mechanism.home, (*validate_shape(shape), 1))


def _random(
    mechanism: Mechanism, shape: int | Sequence[int] = (), *, seed: int | np.random.Generator | None = None
) -> Float[np.ndarray, "... n"]:
    rng, sizes = make_generator(seed), validate_shape(shape)
    return draw_assembled_positions(mechanism, math.prod(sizes), rng).reshape(*sizes, mechanism.n)


def _on_vectors(name: str, mechanism: Mechanism, *, dtype: str = "float64") -> Function:
    """Return q + dq, or the second position less the first: coordinates are lengths and angles that count turns."""
    names, sign = (("q", "dq"), 1.0) if name == "integrate" else (("q_from", "q_to"), -1.0)
    arguments = tuple(make_numbered_argument(own, mechanism.n) for own in names)

    def expression(first: np.ndarray, second: np.ndarray) -> list:
        return [b + sign * a for a, b in zip(first, second, strict=True)]

    return compile_expression(name, mechanism.n, arguments, expression).astype(dtype)


ANSWERS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "mechanism": {
        "forward_kinematics": _forward_kinematics,
        "frame_velocity": _frame_velocity,
        "frame_acceleration": _frame_acceleration,
        "frame_jacobian": _frame_jacobian,
        "center_of_mass": _of_masses("center_of_mass", 1, _center, (3,)),
        "center_of_mass_velocity": _of_masses("center_of_mass_velocity", 2, _center, (3,)),
        "center_of_mass_acceleration": _of_masses("center_of_mass_acceleration", 3, _center, (3,)),
        "center_of_mass_jacobian": _of_masses("center_of_mass_jacobian", 1, _center_jacobian, (3, 0)),
        "centroidal_momentum": _of_masses("centroidal_momentum", 2, _momentum, (6,)),
        "centroidal_momentum_rate": _of_masses("centroidal_momentum_rate", 3, _momentum, (6,)),
        "centroidal_momentum_matrix": _of_masses("centroidal_momentum_matrix", 1, _momentum_matrix, (6, 0)),
        "coriolis_matrix": _coriolis_matrix,
        "kinetic_energy": partial(_energy, "kinetic_energy"),
        "potential_energy": partial(_energy, "potential_energy"),
        "neutral": _neutral,
        "random": _random,
        "integrate": partial(_on_vectors, "integrate"),
        "difference": partial(_on_vectors, "difference"),
    }
}
"""Queries of kinds of models but robots, by kind and name."""
