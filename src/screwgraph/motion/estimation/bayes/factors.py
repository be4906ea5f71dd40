"""The factors of a network given what is known: laws of a mechanism, integrators, and priors of known values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.sensors import SensorResidual
from screwgraph.motion.estimation.bayes.known_names import Known, label_entries
from screwgraph.motion.estimation.bayes.paths import Path, find_paths
from screwgraph.motion.estimation.factors import (
    AccelerationConstraints,
    ForwardDynamics,
    IndependentAcceleration,
    IndependentForwardDynamics,
    IndependentInverseDynamics,
    IndependentPosition,
    IndependentVelocity,
    InverseDynamics,
    PositionConstraints,
    VelocityConstraints,
)
from screwgraph.motion.estimation.factors.prior import SelectedPrior
from screwgraph.motion.estimation.forward_graph import FORCED, INTEGRATORS, OF_EQUATIONS, sample_forces
from screwgraph.motion.estimation.mechanism_noise import Noise, integration_sigma
from screwgraph.optimize import Factors, Variables, Vector, each, soft

FAMILIES: Mapping[str, str] = MappingProxyType(
    {"q": "q", "z": "z", "qd": "v", "zd": "w", "qdd": "a", "zdd": "b", "Q": "tau"}
)
"""Families of unknowns by kind, each after those that its law needs; z, zd, zdd are independent coordinates."""
LEVELS = (("q", "z"), ("qd", "zd"), ("qdd", "zdd"))
"""Kinds of motion, those first that laws of the others need."""
INDEPENDENT: Mapping[Any, Callable[[Mechanism], Any]] = MappingProxyType(
    {
        PositionConstraints: IndependentPosition,
        VelocityConstraints: IndependentVelocity,
        AccelerationConstraints: IndependentAcceleration,
    }
)
"""Laws of constraints, and those that tie independent coordinates, too. Blanco-Claraco et al. (2021), (30) to (32)."""
EXACT = Noise(1.0, 1.0, 1.0, 1.0, 1.0)
"""At one instant all laws can hold exactly, whatever their weights."""
OBSERVED = Noise(constraints=1e-6, dynamics=1e-3, prior=1e-6)
"""At one instant with observations: laws and known values hold nearly exactly, sensors have their own noise."""

ALONG_PATHS = Noise(constraints=1e-2, dynamics=1e-1, prior=1e-2)
"""Exact enough beside integrators, whose errors in steps at the ends of paths count even less: digits are kept."""
ENDS = 100.0
"""Factor on the standard deviation of integrators in steps in which a path begins or ends."""


@dataclass(frozen=True, eq=False)
class NetworkFactors:
    """The unknowns of a network, and their factors, where some quantities are `known` and some kinds are `asked`."""

    mechanism: Mechanism
    steps: int
    known: tuple[Known, ...]
    asked: tuple[str, ...]
    is_independent: bool = False

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds that are known, asked, observed or integrated, and those that their laws need."""
        named = {*self.asked, *(known.kind for known in self.known)}
        named |= {kind for known in self.known if known.kind == "o" for kind in self._list_observed(known)}
        named |= {"qdd"} if self.steps > 1 or "Q" in named else set()
        last = max((level for level, kinds in enumerate(LEVELS) if named & {*kinds}), default=0)
        needed = {kind for kinds in LEVELS[: last + 1] for kind in kinds[: 2 if self.is_independent else 1]}
        return frozenset(needed | (named & {"Q"}))

    @cached_property
    def are_forces_known(self) -> bool:
        """Whether the torques of all motors are known at all steps."""
        given = sum(len(known.steps) * len(known.entries) for known in self.known if known.kind == "Q")
        return given == self.steps * len(self.mechanism.motors)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Coordinates that are known along time, while the torque of a motor is not: these have known derivatives."""
        if self.steps == 1:
            return ()
        known = np.zeros((self.steps, len(self.mechanism.motors)), dtype=bool)
        for own in self.known:
            if own.kind == "Q":
                known[np.ix_(own.steps, own.entries)] = True
        free = ~known.all(axis=1) if "Q" in self.kinds else np.ones(self.steps, dtype=bool)
        return find_paths(self.mechanism, self.steps, self.known, np.asarray(free))

    @cached_property
    def known_quantities(self) -> tuple[Known, ...]:
        """All that has known values: what was named, and derivatives of paths."""
        return (*self.known, *(derived for path in self.paths for derived in path.derived))

    @cached_property
    def families(self) -> dict[str, Variables]:
        """The unknowns by kind. Known torques are parameters, if all of them are known."""
        kinds = [kind for kind in FAMILIES if kind in self.kinds and not (kind == "Q" and self.are_forces_known)]
        sizes = {kind: len(label_entries(self.mechanism, kind)) for kind in kinds}
        return {kind: Variables(FAMILIES[kind], Vector(sizes[kind]), self.steps) for kind in kinds}

    def factors(self, dt: float | None, integrator: str, noise: Noise | None) -> list[Factors]:
        """Return all factors; values that are known are zero in them."""
        if noise is None:
            observed = any(known.kind == "o" for known in self.known)
            at_one = OBSERVED if observed else EXACT
            noise = at_one if self.steps == 1 else ALONG_PATHS if self.paths else Noise()
        mechanism, x = self.mechanism, self.families
        laws = self._constraints(noise)
        if "qdd" in x:
            laws += self._dynamics(noise.dynamics)
        if self.steps > 1:
            moved, sigma = (x["q"], x["qd"], x["qdd"]), integration_sigma(mechanism, noise)
            if self._integrates_independent(integrator):
                moved, sigma = (x["z"], x["zd"], x["zdd"]), noise.integration
            _, between = sample_forces(np.zeros((self.steps, mechanism.n)))
            laws += INTEGRATORS[integrator](mechanism, moved, dt, self._less_at_ends(sigma), between)
        return [
            *laws,
            *(self._make_given_factors(known, noise) for known in self.known_quantities if known.kind in ("o", *x)),
        ]

    def torque_parameters(self, torques: Float[np.ndarray, "steps motors"]) -> dict[str, dict[str, Any]]:
        """Return known torques of motors as parameters, by name of the factors that may take them."""
        now, between = sample_forces(self.mechanism.motor_forces(torques))
        return {name: between if half else now for name, half in FORCED.items()}

    def select_rows(self, name: str, rows: int) -> list[int]:
        """Return which rows of some factors count as equations: of integrators those of independent coordinates.

        The others follow from the constraints but for the error of integration, which must not determine anything.
        """
        if name in self._own or name in {known.name for known in self.known_quantities} or name.endswith((" z", " w")):
            return list(range(rows))
        n, independent = self.mechanism.n, self.mechanism.freedom.independent
        return [first + i for first in range(0, rows, n) for i in independent]

    def name_unknown(self, family: str, step: int, entry: int) -> str:
        """Write the name of an unknown number, as `given` takes it."""
        kind = next(kind for kind, name in FAMILIES.items() if name == family)
        return f"{kind}{'' if self.steps == 1 else f'_{step}'}:{label_entries(self.mechanism, kind)[entry]}"

    @property
    def _own(self) -> tuple[str, ...]:
        return ("f_pc", "f_vc", "f_ac", "f_idyn", "f_dyn")

    def _integrates_independent(self, integrator: str) -> bool:
        """Whether steps tie z, zd and zdd: not those that evaluate the equations of motion between steps."""
        return self.is_independent and integrator not in OF_EQUATIONS

    def _less_at_ends(self, sigma: Any) -> Any:
        """Return standard deviations of integrators, larger in steps in which paths begin or end.

        There, what is integrated on one side meets what is known on the other: errors of integration stay in this step,
        and do not bend the motion on either side.
        """
        derived = [known for path in self.paths for known in path.derived]
        along = np.zeros((self.steps, len(FAMILIES), self.mechanism.n), dtype=bool)
        for known in derived:
            along[list(known.steps), list(FAMILIES).index(known.kind), known.entries[0]] = True
        ends = (along[1:] != along[:-1]).any(axis=(1, 2))
        if not ends.any():
            return sigma
        scale = np.where(ends, ENDS, 1.0)
        return each(scale * sigma if np.ndim(sigma) == 0 else scale[:, None] * np.asarray(sigma))

    def _constraints(self, noise: Noise) -> list[Factors]:
        """Return the factors of positions and velocities."""
        at, to = self._list_tied("q")
        laws = [soft(self._chosen(PositionConstraints), *at, *to, sigma=noise.constraints, name="f_pc")]
        if "qd" in self.families:
            at, to = self._list_tied("q", "qd")
            laws.append(soft(self._chosen(VelocityConstraints), *at, *to, sigma=noise.constraints, name="f_vc"))
        return laws

    def _dynamics(self, sigma: float) -> list[Factors]:
        """Return the factors of accelerations, and what causes them where torques are asked or known."""
        mechanism, (at, to) = self.mechanism, self._list_tied("q", "qd", "qdd")
        kinematic = soft(self._chosen(AccelerationConstraints), *at, *to, sigma=sigma, name="f_ac")
        if "Q" not in self.kinds:
            return [kinematic]
        state, ends = (at[:2], to) if self.is_independent else (at, [])
        extra = [kinematic] if self.is_independent else []
        if "Q" in self.families:
            law = IndependentInverseDynamics if self.is_independent else InverseDynamics
            return [*extra, soft(law(mechanism), *state, *ends, self.families["Q"], sigma=sigma, name="f_idyn")]
        law = IndependentForwardDynamics if self.is_independent else ForwardDynamics
        now, _ = sample_forces(np.zeros((self.steps, mechanism.n)))
        return [*extra, soft(law(mechanism), *state, *ends, sigma=sigma, name="f_dyn", **now)]

    def _list_tied(self, *kinds: str) -> tuple[list[Variables], list[Variables]]:
        """Return the unknowns of kinds, and the independent coordinates that belong to the last, if there are such."""
        independent = {"q": "z", "qd": "zd", "qdd": "zdd"}[kinds[-1]]
        return [self.families[kind] for kind in kinds], [self.families[independent]] if self.is_independent else []

    def _chosen(self, law: Callable[[Mechanism], Any]) -> Any:
        """Return a law of constraints, with rows that say what the independent coordinates are where these are tied."""
        return (INDEPENDENT[law] if self.is_independent else law)(self.mechanism)

    def _make_given_factors(self, known: Known, noise: Noise) -> Factors:
        at, zero = list(known.steps), np.zeros((len(known.steps), len(known.entries)))
        if known.kind == "o":
            sensor = self.mechanism.sensors[known.sensor]
            on = [self.families[kind][at] for kind in self._list_observed(known)]
            template = SensorResidual(self.mechanism, sensor.place)
            return soft(template, *on, measured=each(zero), sigma=sensor.spread, name=known.name)
        x = self.families[known.kind][at]
        return soft(SelectedPrior(known.entries), x, mean=each(zero), sigma=noise.prior, name=known.name)

    def _list_observed(self, known: Known) -> list[str]:
        return list(self.mechanism.sensors[known.sensor].form.of)
