"""Points of a mechanism, or balls about them, that touch the ground: terms of a step in natural coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Argument, make_numbered_argument
from screwgraph.model.mechanism import Mechanism, live_mechanism, without_metadata
from screwgraph.model.mechanism.equations import forces, jacobian, mass_matrix, residual
from screwgraph.model.mechanism.mass_matrix import compute_mass_entries
from screwgraph.motion.simulation.closure_code import Opening
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Plane
from screwgraph.motion.simulation.contacts.geometry.mechanism_contacts import locate_point, turn_ball
from screwgraph.motion.simulation.contacts.geometry.soles import PointTouch
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia, deviate, make_closed_inertia
from screwgraph.motion.simulation.contacts.laws.independent_velocities import LoopBlock
from screwgraph.motion.simulation.contacts.laws.laws import Cone, ImpulseLaw
from screwgraph.motion.simulation.contacts.terms.contact_geometry import touch_ground
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import CoupledVelocities, keep_all_velocities
from screwgraph.motion.simulation.contacts.terms.term_lists import make_terms
from screwgraph.motion.simulation.contacts.terms.touch import Touch, gather_touch, touch_point
from screwgraph.motion.simulation.contacts.terms.touching_model import StopRow
from screwgraph.motion.simulation.driven_motion import QUANTITIES
from screwgraph.spatial import cross
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, multiply_lower, multiply_vector


@dataclass(frozen=True, eq=False)
class MechanismContactModel:
    """A mechanism, and its points that may touch the ground: a plane, or tangent planes that are inputs.

    Parameters `live` of its file are inputs of a step.
    """

    __repr__ = one_line

    mechanism: Mechanism
    contacts: tuple[Contact, ...]
    plane: Plane | None
    live: tuple[str, ...] = ()

    stop_rows: tuple[StopRow, ...] = ()
    rubbing: tuple[int, ...] = ()
    soles: tuple[tuple[int, ...], ...] = ()

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.mechanism.name

    @property
    def manifold(self) -> Manifold:
        """The manifold of positions."""
        return self.mechanism.manifold

    @property
    def free_velocities(self) -> CoupledVelocities:
        """That all velocities are free, but for rows of constraints that count, and of driven coordinates."""
        return keep_all_velocities(self.mechanism.n, len(self.mechanism.freedom.kept) + len(self.mechanism.driven))

    @property
    def laws(self) -> list[ImpulseLaw]:
        """The laws of the impulses."""
        return [Cone() for _ in self.contacts]

    @property
    def propagates(self) -> bool:
        """No: bars and wheels are closed by constraints."""
        return False

    @property
    def whirls(self) -> bool:
        """No: natural coordinates have no Coriolis' forces, and points move on straight lines."""
        return False

    @property
    def jams(self) -> bool:
        """Yes: as both ends of a rod on the ground jam its length."""
        return True

    @property
    def loop_blocks(self) -> tuple[LoopBlock, ...]:
        """None: its constraints meet in most of its coordinates."""
        return ()

    @property
    def root(self) -> int:
        """None of its coordinates carries the others."""
        return 0

    @property
    def rows(self) -> int:
        """How many impulses there are."""
        return sum(law.rows for law in self.laws)

    @property
    def swaying(self) -> list[bool]:
        """That the ground does not move."""
        return [False] * len(self.contacts)

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the model that code depends on."""
        points = tuple((contact.frame, contact.radius) for contact in self.contacts)
        return without_metadata(self.mechanism), tuple(self.mechanism.driven), points, self.plane, self.live

    @property
    def state(self) -> tuple[Argument, ...]:
        """The arguments q, qd and, where there are motors, tau."""
        sizes = {"q": self.mechanism.n, "qd": self.mechanism.n, "tau": len(self.mechanism.motors)}
        return tuple(make_numbered_argument(name, size) for name, size in sizes.items() if size)

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """Parameters that are inputs, or the numbers of driven coordinates, as of `DrivenMotion.numbers_of_steps`."""
        if self.live:
            names = tuple(f"parameter:{name}[0]" for name in self.live)  # as graphs call them
            nominal = live_mechanism(self.mechanism, self.live).values
            return (Argument(PARAMETERS, (len(names),), names, nominal=nominal),)
        count = QUANTITIES * len(self.mechanism.driven)
        return (make_numbered_argument(PARAMETERS, count),) if count else ()

    def with_values(self, values: Any) -> Mechanism:
        """Return the mechanism at values of the parameters that are inputs, numbers of any kind."""
        return live_mechanism(self.mechanism, self.live).with_values(list(values)) if self.live else self.mechanism

    def terms(
        self, q: Any, qd: Any, dt: Any, tau: Any = (), planes: Any = (), values: Any = ()
    ) -> dict[str, list[Number]]:
        """Return the terms of a step; see `ContactModel.terms`.

        Constraints are those of the middle of the step, so that a chord of the motion obeys them; driven coordinates
        go to their values at its end.
        """
        mechanism, (h,) = self.with_values(values), dt
        force = np.array(forces(mechanism, q, qd), dtype=object) + mechanism.motor_forces(np.array(tau, dtype=object))
        middle = [x + 0.5 * h * v for x, v in zip(q, qd, strict=True)]
        K = [*self.closing_rows(mechanism, middle), *self.driven_rows]
        rates = [(value - q[place]) / h for place, value in zip(self.driven_places, values, strict=False)]
        inertia, _ = self.close_inertia(q, dt, K, values)
        opening = [-x for x in deviate(multiply_vector(K, qd), rates)]
        change = inertia.solve([h * f for f in force], opening)
        free = [v + c for v, c in zip(qd, change, strict=True)]
        return make_terms(inertia, K, free, self.touch(mechanism, q, middle, planes), (qd, h), [])

    def close_inertia(
        self, q: Any, dt: Any, K: Sequence[Row], values: Any = (), softness: float = 0.0
    ) -> tuple[ClosedInertia, list[Row]]:
        """Return the inertia with rows K, and nothing for the root: positions do not change it."""
        n, mechanism = self.mechanism.n, self.with_values(values)
        M: list[Row] = [{i: 0.0} for i in range(n)]
        for (i, j), x in compute_mass_entries(mechanism).items():
            if j <= i:
                M[i][j] = x
        for i, row in enumerate(multiply_lower(K, K, n)):
            for j, x in row.items():
                add_entry(M[i], j, self.closing_weight * x)
        return make_closed_inertia(M, K, 0, softness)

    def forces_at_rest(self, q: Any, tau: Any = (), values: Any = ()) -> list[Number]:
        """Return the forces that accelerate the mechanism where it is at rest."""
        mechanism = self.with_values(values)
        still = [0.0] * mechanism.n
        return [
            f + m
            for f, m in zip(
                forces(mechanism, q, still), mechanism.motor_forces(np.array(tau, dtype=object)), strict=True
            )
        ]

    def turn_loops(self, q: Any, qd: Any, dt: Any, values: Any = ()) -> list[Number]:
        """Return nothing: rows of the middle of the step turn its velocities."""
        return []

    def kinetic_energy(self, q: Any, qd: Any, values: Any = ()) -> Number:
        """Return the kinetic energy (J), which positions do not change."""
        M = compute_mass_entries(self.with_values(values))
        return 0.5 * sum((x * qd[i] * qd[j] for (i, j), x in M.items()), start=0.0 * q[0])

    def lock_joints(self, q: Any, qd: Any, values: Any = ()) -> list[Number]:
        """Return zeros: its bodies do not move as one."""
        return [0.0 * v for v in qd]

    def touch(self, mechanism: Mechanism, q: Any, middle: Any, planes: Any) -> Touch:
        """Return where contacts touch; their points are coordinates, which move on straight lines.

        Balls turn as their bodies do in the middle of the step, where constraints are taken, too.
        """
        found = list[PointTouch]()
        for k, contact in enumerate(self.contacts):
            p, columns = locate_point(mechanism, contact, q)
            gap, axes = touch_ground(self.plane, planes, k, p)
            moved, arm = dict(columns), -contact.radius * axes[0]
            for slot, turning in turn_ball(mechanism, contact, middle).items():
                moved[slot] = moved.get(slot, np.zeros(3)) + np.array(cross(turning, arm), dtype=object)
            found.append(touch_point(gap - contact.radius, axes, moved, np.zeros(3)))
        return gather_touch(found)

    @cached_property
    def closing_weight(self) -> float:
        """The weight w of K' K by which the inertia is positive definite: velocities that K allows do not feel it."""
        K = np.zeros((len(self.mechanism.freedom.kept), self.mechanism.n))
        for i, row in enumerate(self.closing_rows(self.mechanism, self.mechanism.home)):
            for j, x in row.items():
                K[i, j] = x
        return float(np.diag(mass_matrix(self.mechanism)).mean() / (K * K).sum(axis=0).mean())

    @property
    def driven_places(self) -> list[int]:
        """Places of driven coordinates in q."""
        return [self.mechanism.index(name) for name in self.mechanism.driven]

    @property
    def driven_rows(self) -> list[Row]:
        """Return the rows of K of driven coordinates, the last ones."""
        return [{place: 1.0} for place in self.driven_places]

    def closing_rows(self, mechanism: Mechanism, q: Any) -> list[Row]:
        """Return the independent rows of the constraints' Jacobian, of the mechanism with values of its parameters."""
        places = {row: i for i, row in enumerate(self.mechanism.freedom.kept)}
        K: list[Row] = [{} for _ in places]
        for (row, j), x in jacobian(mechanism, q).items():
            if row in places:
                K[places[row]][j] = x
        return K

    def couple(self, q: Any) -> Any:
        """Return positions as they are: no velocity follows from others by constants."""
        return q

    def open_loops(self, q: Any, values: Any = ()) -> Opening:
        """Return how constraints that count are open at q, and driven coordinates off their values and rates."""
        mechanism, k = self.with_values(values), len(self.mechanism.driven)
        gaps = residual(mechanism, q)
        own = [gaps[row] for row in self.mechanism.freedom.kept]
        own += [q[place] - value for place, value in zip(self.driven_places, values, strict=False)]
        return Opening(own, [*self.closing_rows(mechanism, q), *self.driven_rows], list(values[k : 2 * k]))
