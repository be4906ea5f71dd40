"""Factor graphs of forward dynamics: Figs 2 and 3 of Blanco-Claraco et al. (2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.factors import (
    Acceleration,
    ForwardDynamics,
    IndependentAcceleration,
    IndependentForwardDynamics,
    IndependentPosition,
    IndependentVelocity,
    PositionConstraints,
    VelocityConstraints,
    prior,
    soft_equality,
)
from screwgraph.motion.estimation.mechanism_noise import Noise, integration_sigma
from screwgraph.motion.integration_rules import (
    EULER,
    RK4,
    TRAPEZOIDAL,
    ExplicitDefect,
    RateDefect,
    SimpsonPositions,
    SimpsonVelocities,
    simpson_positions,
)
from screwgraph.optimize import Factors, Manifold, Problem, Variables, Vector, each, soft

State = tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
"""A position and a velocity."""


def _manifold(x: Variables) -> Manifold | None:
    """Return the manifold of positions; None of vectors."""
    return None if isinstance(x.manifold, Vector) else x.manifold


def _euler(acceleration: Any, x: tuple[Variables, ...], dt: float, sigma: Any, force: Any) -> list[Factors]:
    found = []
    for value, rate in ((x[0], x[1]), (x[1], x[2])):
        pairs, template = (value[:-1], value[1:], rate[:-1]), RateDefect(EULER, _manifold(value))
        found.append(soft(template, *pairs, dt=dt, sigma=sigma, name=f"f_ei {value.name}"))
    return found


def _trapezoidal(acceleration: Any, x: tuple[Variables, ...], dt: float, sigma: Any, force: Any) -> list[Factors]:
    found = []
    for value, rate in ((x[0], x[1]), (x[1], x[2])):
        name = f"f_ti {value.name}"
        pairs = (value[:-1], value[1:], rate[:-1], rate[1:])
        found.append(soft(RateDefect(TRAPEZOIDAL, _manifold(value)), *pairs, dt=dt, sigma=sigma, name=name))
    return found


def _hermite_simpson(acceleration: Any, x: tuple[Variables, ...], dt: float, sigma: Any, force: Any) -> list[Factors]:
    ends, manifold = tuple(part for value in x for part in (value[:-1], value[1:])), _manifold(x[0])
    positions = simpson_positions if manifold is None else SimpsonPositions(manifold)
    middle = SimpsonVelocities(acceleration, manifold)
    return [
        soft(positions, *ends, dt=dt, sigma=sigma, name=f"f_hs {x[0].name}"),
        soft(middle, *ends, dt=dt, sigma=sigma, name=f"f_hs {x[1].name}", **force),
    ]


def _runge_kutta(acceleration: Any, x: tuple[Variables, ...], dt: float, sigma: Any, force: Any) -> list[Factors]:
    q, v, _ = x
    both = np.concatenate([np.broadcast_to(sigma, v.manifold.dim)] * 2)
    template = ExplicitDefect(RK4, q.manifold, acceleration)
    return [soft(template, q[:-1], q[1:], v[:-1], v[1:], dt=dt, sigma=both, name="f_rk", **force)]


INTEGRATORS: Mapping[str, Callable[..., list[Factors]]] = {
    "euler": _euler,
    "trapezoidal": _trapezoidal,
    "hermite_simpson": _hermite_simpson,
    "runge_kutta": _runge_kutta,
}
"""What makes the factors between steps, by name: of accelerations (q, v, force) -> a, and three families."""
OF_EQUATIONS = ("hermite_simpson", "runge_kutta")
"""Those that evaluate the equations of motion between steps, in spanning coordinates."""
FORCED = {"f_dyn": False, "f_hs v": True, "f_rk": True}
"""Factors that take forces; whether half-way between steps."""
COORDINATES = ("spanning", "independent")


def forward_graph(
    mechanism: Mechanism,
    steps: int,
    dt: float,
    coordinates: str = "spanning",
    integrator: str = "trapezoidal",
    start: State | None = None,
    force: Any = None,
    noise: Noise | None = None,
) -> Problem:
    """Return the factor graph of forward dynamics over so many states. Blanco-Claraco et al. (2021), Figs 2 and 3.

    Args:
        mechanism: what moves.
        steps: number of states.
        dt: time between them (s).
        coordinates: "spanning" has unknowns q, v, a (n,) of each state, "independent" z, w, b (f,) beside them.
        integrator: a key of `INTEGRATORS`; those `OF_EQUATIONS` integrate spanning coordinates only.
        start: position and velocity of the first state, as priors; none where a window holds that state fast.
        force: forces on the coordinates, added to those of the mechanism itself: (n,), or (steps, n) over time.
        noise: standard deviations, by default those of `Noise`.

    Raises:
        InputError: an unknown name.
        ModelError: the mechanism cannot be assembled.
    """
    if coordinates not in COORDINATES:
        raise make_unknown_name_error("kind of coordinates", coordinates, COORDINATES)
    if integrator not in INTEGRATORS:
        raise make_unknown_name_error("integrator", integrator, INTEGRATORS)
    noise, n = noise or Noise(), mechanism.n
    q, v, a = (Variables(name, Vector(n), steps) for name in "qva")
    pushed, between = sample_forces(force)
    factors = [] if start is None else _priors(start, q, v, noise)
    if coordinates == "spanning":
        factors += _dependent(mechanism, (q, v, a), noise, pushed)
        moved, sigma = (q, v, a), integration_sigma(mechanism, noise)
    else:
        f = mechanism.dof
        z, w, b = (Variables(name, Vector(f), steps) for name in "zwb")
        factors += _independent(mechanism, (q, v, a), (z, w, b), noise, pushed)
        moved, sigma = ((q, v, a), integration_sigma(mechanism, noise))
        if integrator not in OF_EQUATIONS:
            moved, sigma = (z, w, b), noise.integration
    return Problem([*factors, *INTEGRATORS[integrator](Acceleration(mechanism), moved, dt, sigma, between)])


def sample_forces(force: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return forces at steps, and half-way between them."""
    if force is None or np.ndim(force) == 1:
        return ({}, {}) if force is None else ({"force": force}, {"force": force})
    return {"force": each(force)}, {"force": each((force[:-1] + force[1:]) / 2.0)}


def _priors(start: State, q: Variables, v: Variables, noise: Noise) -> list[Factors]:
    named = zip(start, (q, v), strict=True)
    return [soft(prior, x[0], mean=mean, sigma=noise.prior, name=f"f_prior {x.name}") for mean, x in named]


def _dependent(
    mechanism: Mechanism, x: tuple[Variables, ...], noise: Noise, pushed: Mapping[str, Any]
) -> list[Factors]:
    q, v, _ = x
    return [
        soft(PositionConstraints(mechanism), q, sigma=noise.constraints, name="f_pc"),
        soft(VelocityConstraints(mechanism), q, v, sigma=noise.constraints, name="f_vc"),
        soft(ForwardDynamics(mechanism), *x, sigma=noise.dynamics, name="f_dyn", **pushed),
    ]


def _independent(
    mechanism: Mechanism,
    x: tuple[Variables, ...],
    y: tuple[Variables, ...],
    noise: Noise,
    pushed: Mapping[str, Any],
) -> list[Factors]:
    (q, v, a), (z, w, b) = x, y
    near = [soft(soft_equality, q[:-1], q[1:], sigma=noise.equality, name="f_eq")] if len(q) > 1 else []
    return [
        soft(IndependentPosition(mechanism), q, z, sigma=noise.constraints, name="f_pc"),
        soft(IndependentVelocity(mechanism), q, v, w, sigma=noise.constraints, name="f_vc"),
        soft(IndependentAcceleration(mechanism), q, v, a, b, sigma=noise.dynamics, name="f_ac"),
        soft(IndependentForwardDynamics(mechanism), q, v, b, sigma=noise.dynamics, name="f_dyn", **pushed),
        *near,
    ]
