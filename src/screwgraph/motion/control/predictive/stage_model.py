"""A robot between two instants of a horizon: accelerations and efforts of a state and an input, and their derivatives.

Velocities v+ = v + h qdd, positions q+ follow v+ for h (semi-implicit Euler, inputs are held): Stewart & Trinkle's and
most simulators' step. Columns of derivatives are displacements of positions (nv), velocities (nv), inputs (nu).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Search, compile_expression
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.model.robot import Robot
from screwgraph.motion.control.predictive.state_coordinates import StateCoordinates, choose_guess
from screwgraph.tape import Number, Program


@dataclass(frozen=True, eq=False)
class StageMotion:
    """Accelerations (nv,), efforts (m,) and their derivatives (nv, 2 nv + nu), (m, 2 nv + nu).

    Where accelerations of a base have derivatives `base_slopes` (b, 2 nv + nu), those of accelerations and efforts are
    `arms` (nv + m, b) times these, and what is given.
    """

    qdd: Sequence[Number]
    efforts: Sequence[Number]
    qdd_slopes: np.ndarray
    effort_slopes: np.ndarray
    base_slopes: np.ndarray | None = None
    arms: np.ndarray | None = None


class StageModel(Protocol):
    """The model of a robot at a stage of a horizon.

    `switches` are live numbers of a stage, such as whether feet are on the ground.

    Inputs are efforts themselves where `commands_efforts`, which then need no rows.
    """

    @property
    def coordinates(self) -> StateCoordinates:
        """The coordinates of the robot that are states."""
        ...

    @property
    def robot(self) -> Robot:
        """The joints that are states."""
        ...

    @property
    def driven(self) -> tuple[int, ...]:
        """Velocity coordinates with efforts."""
        ...

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        ...

    @property
    def switches(self) -> int:
        """Live numbers of a stage."""
        ...

    @property
    def commands_efforts(self) -> bool:
        """Whether inputs are the efforts."""
        ...

    @property
    def input_weights(self) -> int:
        """How many weights the inputs have."""
        ...

    @property
    def base(self) -> int:
        """How many accelerations of a base there are, through which others depend on all; 0: slopes are whole."""
        ...

    @property
    def own_columns(self) -> list[list[bool]]:
        """Which of (q, v, u) accelerations (nv) and efforts (m) depend on beside accelerations of the base."""
        ...

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        ...

    def linearise(self, q: Any, v: Any, u: Any, switches: Any) -> StageMotion:
        """Return motion and derivatives."""
        ...

    def move(self, q: Any, v: Any, u: Any, switches: Any) -> tuple[Sequence[Number], Sequence[Number]]:
        """Return accelerations (nv,) and efforts (m,) alone."""
        ...

    def rest(self, q: Any, switches: Any) -> list[Number]:
        """Return inputs (nu,) that about hold the robot."""
        ...

    def weigh_inputs(self, weights: Any, reference: Any, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the weights of inputs (nu,), and what they are compared with."""
        ...

    def limit_inputs(self, most: Sequence[float], switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the least and the largest inputs (nu,), of the largest efforts (m,)."""
        ...

    def input_units(self, most: Sequence[float]) -> list[float]:
        """Return by what changes of inputs (nu,) count, of the largest efforts (m,)."""
        ...

    def list_cones(self, switches: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return rows of inputs, and the least values of their products: none where there are no contacts."""
        ...

    def list_forces(self, u: Any, switches: Any) -> list[Number]:
        """Return forces of all contacts, in their axes."""
        ...

    def keep_input(self, now: Any, later: Any, share: Number, switches: Any, then: Any, rest: Any) -> list[Number]:
        """Return an input of the last solution at present: between two stages whose `switches` were `then`."""
        ...


@dataclass(frozen=True, eq=False)
class DrivenModel:
    """A robot with efforts at some of the coordinates that are its states; inputs are these efforts."""

    __repr__ = one_line

    coordinates: StateCoordinates
    driven: tuple[int, ...]
    switches = 0
    base = 0
    commands_efforts = True

    @property
    def robot(self) -> Robot:
        """The joints that are states."""
        return self.coordinates.joints

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        return len(self.driven)

    @property
    def input_weights(self) -> int:
        """One weight an input."""
        return self.nu

    @property
    def own_columns(self) -> list[list[bool]]:
        """All."""
        return [[True] * (2 * self.robot.nv + self.nu)] * (self.robot.nv + self.nu)

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        return self.coordinates.question, self.driven

    @cached_property
    def resting_efforts(self) -> Program:
        """Code of q to the efforts of driven coordinates that hold the robot, of a fully driven one."""
        given, own = (position_argument("q", self.robot),), self.coordinates
        bias = bias_forces(own.model, **own.options)

        def hold(q: Any) -> list[Number]:
            forces = bias(q, np.zeros(self.robot.nv), *choose_guess(own, bias))
            return [forces[i] for i in self.driven]

        return compile_expression("stage_rest", self.question, given, hold).program

    def rest(self, q: Any, switches: Any) -> list[Number]:
        """Return efforts that hold the robot."""
        del switches
        return list(self.resting_efforts.on(list(q)))

    @cached_property
    def dynamics(self) -> Function:
        """Accelerations of states and efforts along all of them."""
        # The best named order: one that is searched for saves an operation in a hundred of a Panda, but divides one
        # result by the other and guards pivots, which takes a sixth of a tick; and depends on how long it was sought.
        options = {"ordering": Search(seconds=0.0), **self.coordinates.options}
        return forward_dynamics(self.coordinates.model, **options)

    def linearise(self, q: Any, v: Any, u: Any, switches: Any) -> StageMotion:
        """Return motion and derivatives, by forward dynamics."""
        del switches
        n = self.robot.nv
        state = q, v, self._spread(u), *choose_guess(self.coordinates, self.dynamics)
        by_q, by_v, by_tau = (np.asarray(x) for x in self.dynamics.jacobian("q", "qd", "tau")(*state))
        units = [self._spread(row) for row in np.eye(self.nu)]  # which of all efforts each is
        by_own = by_tau[:, [int(np.argmax(unit)) for unit in units]]
        slopes = np.concatenate([by_q, by_v, by_own], axis=1)
        unit = np.concatenate([np.zeros((self.nu, 2 * n)), np.eye(self.nu)], axis=1)
        return StageMotion(list(self.dynamics(*state)), list(u), slopes, unit)

    def move(self, q: Any, v: Any, u: Any, switches: Any) -> tuple[Sequence[Number], Sequence[Number]]:
        """Return accelerations and efforts."""
        del switches
        return list(self.dynamics(q, v, self._spread(u), *choose_guess(self.coordinates, self.dynamics))), list(u)

    def _spread(self, u: Any) -> np.ndarray:
        return np.array(self.coordinates.spread_efforts(list(u), self.driven), dtype=object)

    def weigh_inputs(self, weights: Any, reference: Any, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return what is given."""
        del switches
        return list(weights), list(reference)

    def limit_inputs(self, most: Sequence[float], switches: Any) -> tuple[list[Number], list[Number]]:
        """Return the efforts' limits."""
        del switches
        return [-x for x in most], list(most)

    def input_units(self, most: Sequence[float]) -> list[float]:
        """Return the efforts' limits, 1 at least."""
        return [max(1.0, x) if np.isfinite(x) else 1.0 for x in most]

    def list_cones(self, switches: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return none."""
        del switches
        return [], []

    def list_forces(self, u: Any, switches: Any) -> list[Number]:
        """Return none."""
        del u, switches
        return []

    def keep_input(self, now: Any, later: Any, share: Number, switches: Any, then: Any, rest: Any) -> list[Number]:
        """Return what lies between."""
        del switches, then, rest
        return [a + share * (b - a) for a, b in zip(now, later, strict=True)]
