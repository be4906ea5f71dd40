"""The factor graph of inverse dynamics, in four stages: Fig. 4 and section 7.2 of Blanco-Claraco et al. (2021)."""

from __future__ import annotations

from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.motion.estimation.factors import (
    InverseDynamics,
    PositionConstraints,
    VelocityConstraints,
    prior,
    soft_equality,
)
from screwgraph.motion.estimation.factors.prior import SelectedPrior
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.mechanisms.forward_graph import State
from screwgraph.motion.estimation.readings.trajectory_tables import Reference
from screwgraph.motion.integration_rules import TRAPEZOIDAL, RateDefect
from screwgraph.optimize import Factors, Problem, Variables, Vector, each, soft

STAGES = 4
FOLLOWED = Noise(integration=1.0, constraints=1e-3, dynamics=1e-2, equality=1e2, prior=1e-3)
"""The trajectory is followed as exactly as the constraints hold; integrators and equality only guide the search."""

LAST = 1e3
"""How much less soft equality counts in the last stage: then constraints and dynamics determine all unknowns."""


def inverse_graph(
    mechanism: Mechanism, wanted: Reference, start: State, stage: int = STAGES, noise: Noise = FOLLOWED
) -> Problem:
    """Return the factors up to a stage.

    1: positions q, priors of the trajectory, position constraints, soft equality. 2: velocities v and accelerations a,
    integrators, and priors of the trajectory's derivatives. 3: velocity constraints. 4: torques tau of the motors and
    inverse dynamics. `start` are velocity and acceleration of the first sample, whose priors begin with stage 2.

    Raises:
        InputError: stage 4 of a mechanism without motors.
    """
    count, n = len(wanted.t), mechanism.n
    q, v, a = (Variables(name, Vector(n), count) for name in "qva")
    followed = SelectedPrior(wanted.coordinates)

    def make_soft_prior(x: Variables, mean: object) -> Factors:
        return soft(followed, x, mean=each(mean), sigma=noise.prior, name=f"f_prior {x.name}")

    def steady(x: Variables) -> Factors:
        # At the ends soft equality pulls to one side only, and through the dynamics on positions.
        sigma = noise.equality * (LAST if stage == STAGES else 1.0)
        return soft(soft_equality, x[:-1], x[1:], sigma=sigma, name=f"f_eq {x.name}")

    factors = [
        make_soft_prior(q, wanted.values),
        soft(PositionConstraints(mechanism), q, sigma=noise.constraints, name="f_pc"),
        steady(q),
    ]
    if stage >= 2:
        # Integrators alone leave alternating velocities and accelerations nearly free: soft equality is for these, too.
        factors += [make_soft_prior(v, wanted.rates), make_soft_prior(a, wanted.accelerations), steady(v), steady(a)]
        for x, mean in zip((v, a), start, strict=True):
            factors.append(soft(prior, x[0], mean=mean, sigma=noise.prior, name=f"f_prior {x.name}_0"))
        for x, rate in ((q, v), (v, a)):
            ends = (x[:-1], x[1:], rate[:-1], rate[1:])
            factors.append(
                soft(RateDefect(TRAPEZOIDAL), *ends, dt=wanted.dt, sigma=noise.integration, name=f"f_ti {x.name}")
            )
    if stage >= 3:
        factors.append(soft(VelocityConstraints(mechanism), q, v, sigma=noise.constraints, name="f_vc"))
    if stage >= STAGES:
        mechanism.check_motors()
        tau = Variables("tau", Vector(len(mechanism.motors)), count)
        factors.append(soft(InverseDynamics(mechanism), q, v, a, tau, sigma=noise.dynamics, name="f_idyn"))
    return Problem(factors)


def trajectory_parameters(wanted: Reference, start: State, stage: int = STAGES) -> dict[str, dict[str, object]]:
    """Return what in the graph of a stage depends on the trajectory, by name of the factors."""
    found: dict[str, dict[str, object]] = {"f_prior q": {"mean": each(wanted.values)}}
    if stage >= 2:
        for x, mean, first in zip("va", (wanted.rates, wanted.accelerations), start, strict=True):
            found |= {f"f_prior {x}": {"mean": each(mean)}, f"f_prior {x}_0": {"mean": first}}
        found |= {f"f_ti {x}": {"dt": wanted.dt} for x in "qv"}
    return found
