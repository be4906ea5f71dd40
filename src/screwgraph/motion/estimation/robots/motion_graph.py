"""The factor graph of a robot's motion: its equations at many instants, joined by an integration rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.model import Model
from screwgraph.motion.estimation.parameters import Parameters
from screwgraph.motion.estimation.window_rules import extrapolate_state
from screwgraph.motion.integration_rules import Rule, StepDefect
from screwgraph.motion.planning.factors.loop_closure import Closure
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import as_robot
from screwgraph.optimize import Factors, Selection, Variables, Vector, each, soft
from screwgraph.spatial import concatenate

NONE = Parameters((), np.zeros(0), np.zeros(0), None)


@lru_cache(maxsize=8)
def get_mechanics(model: Model) -> Mechanics:
    """Return a model's expressions; those of the last models are kept, with the code made of them."""
    return Mechanics(as_robot(model))


@dataclass(frozen=True)
class Sigmas:
    """Standard deviations of the model.

    `integration` over one step (m, rad, and their rates), `closure` of loops (m or rad, its first and its second
    derivative in time), `dynamics` (N m or N).
    """

    __repr__ = one_line

    integration: float
    closure: tuple[float, float, float]
    dynamics: Float[np.ndarray, " nv"]


@dataclass(frozen=True, eq=False)
class Motion:
    """Families of unknowns of a motion at `count` instants, and between them at the inner points of a rule.

    Families are q, qd, qdd and, of closed chains, the multipliers `loops`; those of inner point i are called "q.i".
    `tau` are unknown torques of the coordinates `inputs`, `forces` those of contacts on the frames `pushed` (N, at the
    frames' origins), `parameters` unknowns that all instants share, or that each has, where they are `drifting`. Forces
    are in the frames' axes: a heading that nothing observes then does not turn them, or their changes would pull it in
    Gauss-Newton steps. A sliding window has as many inner points as instants, each before its instant; the first one is
    held with its instant.
    """

    __repr__ = one_line

    mechanics: Mechanics
    count: int
    rule: Rule
    inputs: tuple[int, ...] = ()
    parameters: Parameters = field(default=NONE)
    is_window: bool = False
    pushed: tuple[str, ...] = ()
    drifting: bool = False

    def states(self, node: int = 0) -> tuple[Variables, ...]:
        """Return q, qd, qdd and multipliers at the instants (node 0), or at an inner point of the steps."""
        robot, end = self.mechanics.robot, f".{node}" if node else ""
        count = self.count - 1 if node and not self.is_window else self.count
        kinds = [("q", self.mechanics.positions), ("qd", Vector(robot.nv)), ("qdd", Vector(robot.nv))]
        kinds += [("loops", Vector(robot.mobility.rank))] if robot.is_closed else []
        return tuple(Variables(name + end, manifold, count) for name, manifold in kinds)

    @property
    def inner(self) -> range:
        """Numbers of the rule's inner points."""
        return range(1, len(self.rule.nodes) - 1)

    @property
    def tau(self) -> Variables:
        """Unknown torques at the instants."""
        return Variables("tau", Vector(len(self.inputs)), self.count)

    @property
    def forces(self) -> Variables:
        """Unknown forces of contacts at the instants."""
        return Variables("forces", Vector(3 * len(self.pushed)), self.count)

    @property
    def shared(self) -> Variables:
        """Unknown parameters over their scale: one for all, or those of each instant where they drift."""
        return Variables("parameters", Vector(len(self.parameters.names)), self.count if self.drifting else 1)

    def factors(
        self, h: Any, tau: Float[np.ndarray, "N nv"] | Float[np.ndarray, " nv"], sigma: Sigmas
    ) -> list[Factors]:
        """Return the factors of the model; h is the step (s), or `each` of the steps, tau known torques."""
        found = self._make_equations(0, self.states(), tau, sigma)
        points: list[Selection] = [x[:-1] for x in self.states()[:3]]
        for i in self.inner:
            states = [x[1:] if self.is_window else x[:] for x in self.states(i)]
            found += self._make_equations(i, states, _interpolate_torques(tau, self.rule.nodes[i]), sigma)
            points += states[:3]
        ends = [x[1:] for x in self.states()[: 3 if self._accelerated_points is None else 2]]
        template = StepDefect(self.rule, self.mechanics.positions, self._accelerated_points)
        return [*found, soft(template, *points, *ends, h=h, sigma=sigma.integration, name="integration")]

    def _make_equations(self, node: int, states: Any, tau: Float[np.ndarray, "*N nv"], sigma: Sigmas) -> list[Factors]:
        """Return the equations of motion, and of loops, at the instants or at inner points."""
        end, known = f".{node}" if node else "", each(tau) if tau.ndim > 1 else tau
        acting = [*([self.tau] if self.inputs else []), *([self.forces] if self.pushed else [])]
        pushing = [part for x in acting for part in ((x[:-1], x[1:]) if node else (x,))]
        shared = (self.shared[1:] if node and self.drifting else self.shared,) if self.parameters.names else ()
        ends, part = 2 if node else 1, self.rule.nodes[node]
        template = DynamicsResidual(self.mechanics, self.parameters, self.inputs, ends, part, self.pushed)
        found = [soft(template, *states, *pushing, *shared, tau=known, sigma=sigma.dynamics, name="dynamics" + end)]
        if self.mechanics.robot.is_closed:
            spread = np.repeat(sigma.closure, self.mechanics.robot.mobility.rank)
            found.append(soft(Closure(self.mechanics), *states[:3], sigma=spread, name="closure" + end))
        return found

    def predict_states(self, dt: float, decay: Any, q: Any, qd: Any, qdd: Any, *loops: Any) -> list[Any]:
        """Return the states that follow one in a window: of the next instant, then of the inner points before it.

        Accelerations and multipliers stay, but for dampers, see `extrapolate_state`.
        """
        found: list[Any] = []
        for node in (0, *self.inner):
            part = self.rule.nodes[node] if node else 1.0
            found += [*extrapolate_state(self.mechanics.positions, part * dt, q, qd, qdd, decay), *loops]
        return found

    def bind_torques(
        self, before: Float[np.ndarray, " nv"], now: Float[np.ndarray, " nv"]
    ) -> dict[str, dict[str, np.ndarray]]:
        """Return known torques of the last step of a window, from `before` to `now`, as parameters of its factors."""
        parts = {f"dynamics.{i}": self.rule.nodes[i] for i in self.inner}
        inside = {name: {"tau": (1.0 - part) * before + part * now} for name, part in parts.items()}
        return {"dynamics": {"tau": now}, **inside}

    @property
    def _accelerated_points(self) -> tuple[int, ...] | None:
        """Points of a step with an acceleration: all but the end where that has no weight."""
        last = len(self.rule.nodes) - 1
        return None if last in self.rule.accelerated else tuple(range(last))


def _interpolate_torques(tau: Float[np.ndarray, "*N nv"], part: float) -> Float[np.ndarray, "*M nv"]:
    """Return torques inside the steps: linear between the instants."""
    return tau if tau.ndim == 1 else (1.0 - part) * tau[:-1] + part * tau[1:]


@dataclass(frozen=True)
class DynamicsResidual:
    """Inverse dynamics less all joint torques and forces: zero where the equations of motion hold.

    Inverse dynamics is the compiled function of the nominal robot; unknown parameters enter it linearly.
    After q, qd, qdd come the multipliers of a closed chain, unknown torques of the coordinates `inputs` at the instant,
    or at both ends of the step (`ends`) that the instant divides at `part`; forces on frames that contacts push on
    (`pushed`, in the frames' axes, at their origins), at the instant or at both ends; and parameters over their scale.
    """

    mechanics: Mechanics
    parameters: Parameters
    inputs: tuple[int, ...] = ()
    ends: int = 0
    part: float = 0.0
    pushed: tuple[str, ...] = ()

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any, tau: Any) -> Any:
        """Return the residual (nv,), N m or N; `tau` (nv,) are known torques."""
        left = list(more)
        loops = [left.pop(0)] if self.mechanics.robot.is_closed else []
        torques = self._take_unknowns(left) if self.inputs else None
        wrenches = [self._wrenches(self._take_unknowns(left))] if self.pushed else []
        residual = self.mechanics.efforts(self.pushed)(q, qd, qdd, *wrenches, *loops) - tau
        if torques is not None:
            residual = residual - np.eye(self.mechanics.robot.nv)[:, list(self.inputs)] @ torques
        if self.parameters.names:
            residual = residual + self.parameters.change(q, qd, qdd, left.pop(0))
        return residual

    def _take_unknowns(self, left: list[Any]) -> Any:
        """Return the next unknowns, between the ends of a step in proportion."""
        found = left.pop(0)
        return (1.0 - self.part) * found + self.part * left.pop(0) if self.ends == 2 else found

    def _wrenches(self, forces: Any) -> Any:
        """Return wrenches on the frames, in their axes: forces at their origins."""
        return np.stack([concatenate(np.zeros(3), forces[3 * i : 3 * i + 3]) for i in range(len(self.pushed))])
