"""The factors of a network given what is known: laws of a mechanism, integrators, and priors of known values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.estimation.bayes.known import Known, labels
from screwgraph.estimation.factors import (
    AccelerationConstraints,
    ForwardDynamics,
    InverseDynamics,
    PositionConstraints,
    VelocityConstraints,
)
from screwgraph.estimation.factors.selected import SelectedPrior
from screwgraph.estimation.forward_graph import FORCED, INTEGRATORS, forces_over_time
from screwgraph.estimation.noise import Noise, integration_sigma
from screwgraph.models.mechanism import SENSORS, Mechanism
from screwgraph.optimize import Factors, Variables, Vector, each, soft

FAMILIES: Mapping[str, str] = MappingProxyType({"q": "q", "qd": "v", "qdd": "a", "Q": "tau"})
"""Families of unknowns by kind, each after those that its law needs."""
KINDS = tuple(FAMILIES)
EXACT = Noise(1.0, 1.0, 1.0, 1.0, 1.0)
"""At one instant all laws can hold exactly, whatever their weights."""
OBSERVED = Noise(constraints=1e-6, dynamics=1e-3, prior=1e-6)
"""At one instant with observations: laws and known values hold nearly exactly, sensors have their own noise."""


@dataclass(frozen=True, eq=False)
class Laws:
    """The unknowns of a network, and their factors, where some quantities are `known` and some kinds are `asked`."""

    mechanism: Mechanism
    steps: int
    known: tuple[Known, ...]
    asked: tuple[str, ...]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds that are known, asked, observed or integrated, and those that their laws need."""
        named = {*self.asked, *(known.kind for known in self.known)}
        named |= {kind for known in self.known if known.kind == "o" for kind in self._observed(known)}
        named |= {"qdd"} if self.steps > 1 else set()
        level = max((KINDS.index(kind) for kind in named if kind in KINDS), default=0)
        return frozenset(KINDS[: min(level, 2) + 1]) | (named & {"Q"})

    @cached_property
    def are_forces_known(self) -> bool:
        """Whether the torques of all motors are known at all steps."""
        given = sum(len(known.steps) * len(known.entries) for known in self.known if known.kind == "Q")
        return given == self.steps * len(self.mechanism.motors)

    @cached_property
    def families(self) -> dict[str, Variables]:
        """The unknowns by kind. Known torques are parameters, if all of them are known."""
        kinds = [kind for kind in KINDS if kind in self.kinds and not (kind == "Q" and self.are_forces_known)]
        sizes = {kind: len(labels(self.mechanism, kind)) for kind in kinds}
        return {kind: Variables(FAMILIES[kind], Vector(sizes[kind]), self.steps) for kind in kinds}

    def factors(self, dt: float | None, integrator: str, noise: Noise | None) -> list[Factors]:
        """Return all factors; values that are known are zero in them."""
        if noise is None:
            observed = any(known.kind == "o" for known in self.known)
            noise = Noise() if self.steps > 1 else OBSERVED if observed else EXACT
        mechanism, x = self.mechanism, self.families
        laws = [soft(PositionConstraints(mechanism), x["q"], sigma=noise.constraints, name="f_pc")]
        if "qd" in x:
            laws.append(soft(VelocityConstraints(mechanism), x["q"], x["qd"], sigma=noise.constraints, name="f_vc"))
        if "qdd" in x:
            laws.append(self._accelerations(noise.dynamics))
        if self.steps > 1:
            moved, sigma = (x["q"], x["qd"], x["qdd"]), integration_sigma(mechanism, noise)
            _, between = forces_over_time(np.zeros((self.steps, mechanism.n)))
            laws += INTEGRATORS[integrator](mechanism, moved, dt, sigma, between)
        return [*laws, *(self._given(known, noise) for known in self.known if known.kind in ("o", *x))]

    def forced(self, torques: Float[np.ndarray, "steps motors"]) -> dict[str, dict[str, Any]]:
        """Return known torques of motors as parameters, by name of the factors that may take them."""
        now, between = forces_over_time(self.mechanism.motor_forces(torques))
        return {name: between if half else now for name, half in FORCED.items()}

    def counted(self, name: str, rows: int) -> list[int]:
        """Return which rows of some factors count as equations: of integrators those of independent coordinates.

        The others follow from the constraints but for the error of integration, which must not determine anything.
        """
        if name in self._own or name in {known.name for known in self.known}:
            return list(range(rows))
        n, independent = self.mechanism.n, self.mechanism.freedom.independent
        return [first + i for first in range(0, rows, n) for i in independent]

    def called(self, family: str, step: int, entry: int) -> str:
        """Write the name of an unknown number, as `given` takes it."""
        kind = next(kind for kind, name in FAMILIES.items() if name == family)
        return f"{kind}{'' if self.steps == 1 else f'_{step}'}:{labels(self.mechanism, kind)[entry]}"

    @property
    def _own(self) -> tuple[str, ...]:
        return ("f_pc", "f_vc", "f_ac", "f_idyn", "f_dyn")

    def _accelerations(self, sigma: float) -> Factors:
        mechanism, rest = self.mechanism, [self.families[kind] for kind in ("q", "qd", "qdd")]
        if "Q" not in self.kinds:
            return soft(AccelerationConstraints(mechanism), *rest, sigma=sigma, name="f_ac")
        if "Q" in self.families:
            return soft(InverseDynamics(mechanism), *rest, self.families["Q"], sigma=sigma, name="f_idyn")
        now, _ = forces_over_time(np.zeros((self.steps, mechanism.n)))
        return soft(ForwardDynamics(mechanism), *rest, sigma=sigma, name="f_dyn", **now)

    def _given(self, known: Known, noise: Noise) -> Factors:
        at, zero = list(known.steps), np.zeros((len(known.steps), len(known.entries)))
        if known.kind == "o":
            sensor = self.mechanism.sensors[known.sensor]
            on = [self.families[kind][at] for kind in self._observed(known)]
            template = SENSORS[sensor.kind].template(self.mechanism, sensor)
            return soft(template, *on, measured=each(zero), sigma=sensor.sigma, name=known.name)
        x = self.families[known.kind][at]
        return soft(SelectedPrior(known.entries), x, mean=each(zero), sigma=noise.prior, name=known.name)

    def _observed(self, known: Known) -> list[str]:
        kind = SENSORS[self.mechanism.sensors[known.sensor].kind]
        return [next(name for name, family in FAMILIES.items() if family == letter) for letter in kind.of]
