"""The factors of a network given what is known: laws of a mechanism, integrators, and priors of known values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.known_names import Known
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.bayes.paths import Path, find_paths
from screwgraph.motion.estimation.factors.prior import SelectedPrior
from screwgraph.motion.estimation.mechanism_noise import Noise, spread_integration
from screwgraph.motion.estimation.mechanisms.forward_graph import FORCED, INTEGRATORS, OF_EQUATIONS, sample_forces
from screwgraph.motion.planning.factors.loop_closure import ClosureRate
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize import Factors, Variables, each, soft
from screwgraph.optimize.losses import Huber
from screwgraph.spatial import concatenate
from screwgraph.spatial.manifolds import Manifold

FAMILIES: Mapping[str, str] = MappingProxyType(
    {"q": "q", "z": "z", "qd": "v", "zd": "w", "qdd": "a", "zdd": "b", "Q": "tau", "lambda": "lambda"}
)
"""Families of unknowns by kind, each after those that its law needs; z, zd, zdd are independent coordinates."""

LEVELS = (("q", "z"), ("qd", "zd"), ("qdd", "zdd"))
"""Kinds of motion, those first that laws of the others need."""

FORCES = ("Q", "lambda")
"""Kinds of forces: efforts, and multipliers of constraints."""

LAWS = ("f_pc", "f_vc", "f_ac", "f_dyn")
"""Factors of constraints and of the equations of motion."""

EXACT = Noise(1.0, 1.0, 1.0, 1.0, 1.0)
"""At one instant all laws can hold exactly, whatever their weights."""

OBSERVED = Noise(integration=1e-5, constraints=1e-6, dynamics=1e-3, prior=1e-6)
"""With observations: laws and known values hold nearly exactly, sensors have their own noise."""

ALONG_PATHS = Noise(constraints=1e-2, dynamics=1e-1, prior=1e-2)
"""Exact enough beside integrators, whose errors in steps at the ends of paths count even less: digits are kept."""

ENDS = 100.0
"""Factor on the standard deviation of integrators in steps in which a path begins or ends."""


@dataclass(frozen=True, eq=False)
class NetworkFactors:
    """The unknowns of a network, and their factors, where some quantities are `known` and some kinds are `asked`."""

    model: NetworkModel
    steps: int
    known: tuple[Known, ...]
    asked: tuple[str, ...]
    is_independent: bool = False

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds that are known, asked, observed or integrated, and those that their laws need."""
        named = {*self.asked, *(known.kind for known in self.known)}
        named |= {kind for known in self.known if known.kind == "o" for kind in self._list_observed(known)}
        named |= {*FORCES} if named & {*FORCES} else set()
        named |= {"qdd"} if self.steps > 1 or "Q" in named else set()
        last = max((level for level, kinds in enumerate(LEVELS) if named & {*kinds}), default=0)
        needed = {kind for kinds in LEVELS[: last + 1] for kind in kinds[: 2 if self.is_independent else 1]}
        return frozenset(needed | (named & {*FORCES}))

    @cached_property
    def are_forces_known(self) -> bool:
        """Whether the efforts of all motors are known at all steps."""
        given = sum(len(known.steps) * len(known.entries) for known in self.known if known.kind == "Q")
        return given == self.steps * self.model.size("Q")

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Coordinates that are known along time, while the torque of a motor is not: these have known derivatives."""
        if self.steps == 1:
            return ()
        known = np.zeros((self.steps, self.model.size("Q")), dtype=bool)
        for own in self.known:
            if own.kind == "Q":
                known[np.ix_(own.steps, own.entries)] = True
        free = ~known.all(axis=1) if "Q" in self.kinds else np.ones(self.steps, dtype=bool)
        return find_paths(self.model, self.steps, self.known, np.asarray(free))

    @cached_property
    def known_quantities(self) -> tuple[Known, ...]:
        """All that has known values: what was named, and derivatives of paths."""
        return (*self.known, *(derived for path in self.paths for derived in path.derived))

    @cached_property
    def families(self) -> dict[str, Variables]:
        """The unknowns by kind. Known torques are parameters, if all of them are known."""
        kinds = [kind for kind in FAMILIES if kind in self.kinds and not (kind == "Q" and self.are_forces_known)]
        return {
            kind: Variables(FAMILIES[kind], self.model.manifold(kind), self.steps)
            for kind in kinds
            if self.model.size(kind)
        }

    def factors(self, dt: float | None, integrator: str, noise: Noise | None) -> list[Factors]:
        """Return all factors; values that are known are zero in them."""
        if noise is None:
            observed = any(known.kind == "o" for known in self.known)
            over_time = EXACT if self.steps == 1 else ALONG_PATHS if self.paths else Noise()
            noise = OBSERVED if observed else over_time
        model, x = self.model, self.families
        laws = self._constraints(noise)
        if "Q" in self.kinds:
            laws.append(self._dynamics(noise.dynamics))
        if self.steps > 1:
            moved, sigma = (x["q"], x["qd"], x["qdd"]), spread_integration(model.turns, model.independent, noise)
            if self._integrates_independent(integrator):
                moved, sigma = (x["z"], x["zd"], x["zdd"]), noise.integration
            between = self._sample_efforts(np.zeros((self.steps, model.size("Q"))))[1]
            laws += INTEGRATORS[integrator](model.acceleration, moved, dt, self._less_at_ends(sigma), between)
        return [
            *laws,
            *(self._make_given_factors(known, noise) for known in self.known_quantities if known.kind in ("o", *x)),
        ]

    def torque_parameters(self, torques: Float[np.ndarray, "steps m"]) -> dict[str, dict[str, Any]]:
        """Return known efforts of motors as parameters, by name of the factors that may take them."""
        now, between = self._sample_efforts(torques)
        halfway = {name: between for name, half in FORCED.items() if half}
        return {"f_dyn": {"effort": now["force"]} if now else {}} | halfway

    def _sample_efforts(self, torques: Float[np.ndarray, "steps m"]) -> tuple[dict[str, Any], dict[str, Any]]:
        return sample_forces(torques) if torques.shape[1] else ({}, {})

    def select_rows(self, name: str, rows: int) -> list[int]:
        """Return which rows of some factors count as equations: of integrators those of independent coordinates.

        The others follow from the constraints but for the error of integration, which must not determine anything.
        """
        if name in LAWS or name in {known.name for known in self.known_quantities} or name.endswith((" z", " w")):
            return list(range(rows))
        n, independent = self.model.nv, self.model.independent
        return [first + i for first in range(0, rows, n) for i in independent]

    def name_unknown(self, family: str, step: int, entry: int) -> str:
        """Write the name of an unknown number, as `given` takes it."""
        kind = next(kind for kind, name in FAMILIES.items() if name == family)
        label = self.model.find_part(kind, entry).label
        return f"{kind}{'' if self.steps == 1 else f'_{step}'}:{label}"

    def _integrates_independent(self, integrator: str) -> bool:
        """Whether steps tie z, zd and zdd: not those that evaluate the equations of motion between steps."""
        return self.is_independent and integrator not in OF_EQUATIONS

    def _less_at_ends(self, sigma: Any) -> Any:
        """Return standard deviations of integrators, larger in steps in which paths begin or end.

        There, what is integrated on one side meets what is known on the other: errors of integration stay in this step,
        and do not bend the motion on either side.
        """
        derived = [known for path in self.paths for known in path.derived]
        along = np.zeros((self.steps, len(FAMILIES), self.model.nv), dtype=bool)
        for known in derived:
            along[np.ix_(known.steps, [list(FAMILIES).index(known.kind)], known.entries)] = True
        ends = (along[1:] != along[:-1]).any(axis=(1, 2))
        if not ends.any():
            return sigma
        scale = np.where(ends, ENDS, 1.0)
        return each(scale * sigma if np.ndim(sigma) == 0 else scale[:, None] * np.asarray(sigma))

    def _constraints(self, noise: Noise) -> list[Factors]:
        """Return the factors of positions, velocities and accelerations: constraints, and independent coordinates."""
        model, found = self.model, []
        sigmas = (noise.constraints, noise.constraints, noise.dynamics)
        for order, ((kind, own), name, sigma) in enumerate(zip(LEVELS, LAWS[:3], sigmas, strict=True)):
            if kind not in self.families:
                continue
            x = [self.families[k] for k, _ in LEVELS[: order + 1]]
            if own in self.families:
                rates = IndependentRates(model.mechanics, order, model.independent)
                positions = IndependentPositions(model.mechanics, model.z_columns, model.manifold("z"))
                template = rates if order else positions
                found.append(soft(template, *x, self.families[own], sigma=sigma, name=name))
            elif model.rank:
                found.append(soft(ClosureRate(model.mechanics, order), *x, sigma=sigma, name=name))
        return found

    def _dynamics(self, sigma: float) -> Factors:
        """Return the factors of the equations of motion; they hold as exactly as accelerations of inertias."""
        known = self.torque_parameters(np.zeros((self.steps, self.model.size("Q"))))["f_dyn"]
        x = [self.families[kind] for kind in ("q", "qd", "qdd", "lambda", "Q") if kind in self.families]
        options = {} if "Q" in self.families else known
        law = EquationsOfMotion(self.model.mechanics)
        return soft(law, *x, sigma=sigma * self.model.inertias, name="f_dyn", **options)

    def _make_given_factors(self, known: Known, noise: Noise) -> Factors:
        at = list(known.steps)
        if known.kind == "o":
            sensor = self.model.sensors[known.sensor]
            on = [self.families[kind][at] for kind in self._list_observed(known)]
            zero = np.zeros((len(at), len(known.columns)))
            loss = Huber(sensor.huber) if sensor.huber else None
            reading = self.model.reading(sensor)
            return soft(reading, *on, measured=each(zero), sigma=sensor.spread, loss=loss, name=known.name)
        x, template = self.families[known.kind][at], SelectedPrior(known.columns, known.manifold)
        mean = np.tile(known.manifold.identity(), (len(at), 1))
        return soft(template, x, mean=each(mean), sigma=noise.prior, name=known.name)

    def _list_observed(self, known: Known) -> list[str]:
        """Return the kinds that a sensor depends on. Raises InputError where networks observe none of these."""
        sensor = self.model.sensors[known.sensor]
        if missing := [name for name in sensor.form.of if name not in FAMILIES]:
            what = f"sensor {sensor.name!r} depends on {', '.join(missing)}, which networks do not observe"
            raise InputError(what, fix="leave it out: network.given(model, ..., sensors=[...])")
        if told := [name for name in ("bias", "delay") if getattr(sensor, name)]:
            raise InputError(
                f"sensor {sensor.name!r} has a {' and a '.join(told)}",
                why="networks have no unknowns of sensors, and read them at their own instants",
                fix="use sg.estimate, or give the network sensors without",
            )
        return list(sensor.form.of)


@dataclass(frozen=True)
class EquationsOfMotion:
    """Forces along coordinates that a motion takes, less those of efforts: M qdd + J' lambda + b - B u.

    Blanco-Claraco et al. (2021), eqs. (5), (28). Multipliers come after qdd where the model is closed; then come
    efforts, unless they are the parameter `effort`.
    """

    mechanics: Mechanics

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any, effort: Any = None) -> Any:
        """Residual (nv,)."""
        left = list(more)
        multipliers = [left.pop(0)] if self.mechanics.robot.is_closed else []
        forces = np.array(self.mechanics.efforts()(q, qd, qdd, *multipliers), dtype=object)
        acting = left.pop(0) if left else effort
        return forces if acting is None else self.mechanics.drive(None).remaining_forces(forces, q, acting)


@dataclass(frozen=True)
class IndependentRates:
    """Constraints of velocities or accelerations, and independent ones of these less their own unknowns.

    Blanco-Claraco et al. (2021), eqs. (31), (32).
    """

    mechanics: Mechanics
    order: int
    independent: tuple[int, ...]

    def __call__(self, *states: Any) -> Any:
        """Residual; the last of the states are the independent ones."""
        own = states[-2][list(self.independent)] - states[-1]
        return _join(self.mechanics, self.order, states[:-1], own)


@dataclass(frozen=True)
class IndependentPositions:
    """Closure errors, and independent positions of q less their own unknowns. Blanco-Claraco et al. (2021), (30)."""

    mechanics: Mechanics
    columns: tuple[int, ...]
    manifold: Manifold

    def __call__(self, q: Any, z: Any) -> Any:
        """Residual."""
        return _join(self.mechanics, 0, (q,), self.manifold.defect(z, q[list(self.columns)]))


def _join(mechanics: Mechanics, order: int, states: tuple[Any, ...], own: Any) -> Any:
    return concatenate(ClosureRate(mechanics, order)(*states), own) if mechanics.robot.is_closed else own
