"""What a step with contacts is made of at one state: free velocities, Jacobians of contacts, their Delassus matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, parameter_arguments, robot_arguments, without_metadata
from screwgraph.mechanics.dynamics import mass_matrix
from screwgraph.mechanics.dynamics.query import joint_variables
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import Parameter
from screwgraph.motion.simulation.closure_code import Opening
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import (
    describe_place,
    find_pairs,
)
from screwgraph.motion.simulation.contacts.geometry.ground import Plane
from screwgraph.motion.simulation.contacts.geometry.soles import (
    find_soles,
)
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia, make_closed_inertia
from screwgraph.motion.simulation.contacts.laws.held_soles import SHARED, HeldSoles
from screwgraph.motion.simulation.contacts.laws.independent_velocities import (
    LoopBlock,
    keep_rows,
)
from screwgraph.motion.simulation.contacts.laws.laws import Cone, DryFriction, ImpulseLaw, Range
from screwgraph.motion.simulation.contacts.laws.rubbing_range import RubbingRange
from screwgraph.motion.simulation.contacts.terms.contact_geometry import ContactGeometry
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import (
    CoupledVelocities,
    couple_positions,
    find_free_velocities,
)
from screwgraph.motion.simulation.contacts.terms.joint_rows import find_rubbing, list_stops
from screwgraph.motion.simulation.contacts.terms.live_body import LiveBody, add_springs, idle_joint_error
from screwgraph.motion.simulation.contacts.terms.loop_turning import turn_velocities
from screwgraph.motion.simulation.contacts.terms.robot_loops import RobotLoops
from screwgraph.motion.simulation.contacts.terms.term_lists import make_terms
from screwgraph.motion.simulation.contacts.terms.touch import Touch
from screwgraph.motion.simulation.contacts.terms.touching_model import Known, StopRow
from screwgraph.spatial.manifolds import Manifold
from screwgraph.spatial.manifolds.gliding import turning
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import (
    add_entry,
    multiply_lower,
    multiply_transposed,
    multiply_vector,
)

PASSAGES = 2
"""Velocities without contacts, the first with Coriolis' forces of the start of a step, the others of its middle."""
SINGULAR = 1e-9
"""Least eigenvalue, of a mass matrix whose diagonal is 1, that is none."""
LONG = 30_000
"""Rows that hold contacts, squared, by velocities that move a contact on average, beyond which these propagate.

From there on code of a Delassus matrix takes longer to compile, and mostly to run, than loops over contacts.
"""
CLOSING = 1e-6
"""Least singular value of rows of loops, relative to the largest, by which limbs close them."""


@dataclass(frozen=True, eq=False)
class ContactModel:
    """A robot, and where it may touch the ground: a plane, or tangent planes that are inputs; `live` inputs of it.

    Of `flat` ground these planes are one, but for those of other bodies.
    """

    __repr__ = one_line

    robot: Robot
    contacts: tuple[Contact, ...]
    plane: Plane | None
    stops: bool = False
    friction: bool = False
    springs: tuple[tuple[str, float, float], ...] = ()
    live: tuple[Parameter, ...] = ()
    flat: bool = False

    @property
    def name(self) -> str:
        """The name of the robot."""
        return self.robot.name

    @property
    def stop_rows(self) -> list[StopRow]:
        """Joints whose range ends."""
        return list_stops(self.robot, self._rubbing_joints) if self.stops else []

    @property
    def rubbing(self) -> list[int]:
        """Places in qd of coordinates with dry friction and no stops."""
        stopped, slices = {stop.along for stop in self.stop_rows}, self.robot.v_slices
        return [i for name in self._rubbing_joints for i in _indices(slices[name]) if i not in stopped]

    @property
    def _rubbing_joints(self) -> list[str]:
        return find_rubbing(self.robot, self.friction, self.live)

    @property
    def laws(self) -> list[ImpulseLaw]:
        """The laws of the impulses: contacts, stops, friction of joints."""
        return [
            *(Cone() for _ in self.contacts),
            *(RubbingRange() if stop.rubs else Range() for stop in self.stop_rows),
            *(DryFriction() for _ in self.rubbing),
        ]

    @property
    def rows(self) -> int:
        """How many impulses there are."""
        return sum(law.rows for law in self.laws)

    @property
    def manifold(self) -> Manifold:
        """The manifold of positions."""
        return self.robot.manifold

    @property
    def free_velocities(self) -> CoupledVelocities:
        """The velocities that linear couplings leave free: the unknowns of a step."""
        return self._free_velocities

    @property
    def whirls(self) -> bool:
        """Yes: Coriolis' forces, and points on arcs."""
        return True

    @property
    def jams(self) -> bool:
        """No: links are rigid."""
        return False

    @property
    def root(self) -> int:
        """How many free velocities come first and move all that touches: those of the base, of joints next to it."""
        return self._root

    @property
    def propagates(self) -> bool:
        """Whether a Delassus matrix in straight code would be too long; loops are closed by such code alone."""
        return self._propagates

    @cached_property
    def _propagates(self) -> bool:
        shared = HeldSoles(self.soles, self.rows)
        height = len(shared.kept) + SHARED * len(self.soles)
        work = height**2 * sum(map(len, self._paths)) / max(len(self._paths), 1)
        return not self.free_velocities.loops and work > LONG

    @cached_property
    def _paths(self) -> list[set[int]]:
        """The free velocities that move each contact."""
        robot, coupled, paths = self.robot, self.free_velocities, list[set[int]]()
        for contact in self.contacts:
            frames = [contact.frame, *([contact.against.frame] if contact.against else [])]
            joints = {joint.name for frame in frames for joint in robot.joints_to_base(robot.frame(frame).link)}
            moved = (i for name in joints for i in _indices(robot.v_slices[name]))
            paths.append({k for i in moved for k in coupled.rows[i]})
        return paths

    @cached_property
    def _root(self) -> int:
        paths = self._paths
        if not paths or self.propagates:
            return 0
        shared, count = set.intersection(*paths), 0
        while count in shared:
            count += 1
        if len(set.union(*paths)) == count:  # one limb alone has no root
            return 0
        return count if self._limbs_close(count) else 0

    def _limbs_close(self, root: int) -> bool:
        """Whether limbs alone, without the first `root` free velocities, can close all loops."""
        K = self._loops.make_example()
        return not len(K) or bool(np.linalg.matrix_rank(K[:, root:], tol=CLOSING * np.linalg.norm(K, 2)) == len(K))

    @cached_property
    def _free_velocities(self) -> CoupledVelocities:
        return find_free_velocities(self.robot)

    @property
    def loop_blocks(self) -> tuple[LoopBlock, ...]:
        """The loops of few velocities, none of them of the root."""
        return self._loop_blocks

    @cached_property
    def _loop_blocks(self) -> tuple[LoopBlock, ...]:
        return self._loops.find_blocks(self.root)

    @cached_property
    def _loops(self) -> RobotLoops:
        return RobotLoops(self.robot, self.free_velocities)

    @property
    def state(self) -> tuple[Argument, ...]:
        """The arguments q, qd, tau."""
        return robot_arguments(self.robot, [(name, joint_variables(self.robot, name)) for name in ("q", "qd", "tau")])

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """The argument of the robot's parameters, where some are inputs."""
        return parameter_arguments(self.robot, self.live)

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the model that code depends on: of contacts only their places, other numbers are arguments."""
        places = tuple(map(describe_place, self.contacts))
        return (
            without_metadata(self.robot),
            places,
            self.plane,
            self.stops,
            self.friction,
            self.springs,
            self.live,
            self.flat,
            self.propagates,
        )

    @property
    def swaying(self) -> list[bool]:
        """Whether the body that each contact touches moves, too: links that joints, or a base that floats, move."""
        others, robot = [contact.against for contact in self.contacts], self.robot
        paths = [robot.joints_to_base(robot.frame(other.frame).link) if other else () for other in others]
        return [any(joint.type.nv for joint in path) for path in paths]

    @property
    def soles(self) -> tuple[tuple[int, ...], ...]:
        """The contacts, by place, of each link that has several with one plane, and those of each pair of shapes."""
        links = [self.robot.frame(contact.frame).link for contact in self.contacts]
        grounded = find_soles(self.contacts, links) if self.plane or self.flat else ()
        return (*grounded, *(pair for pair in find_pairs(self.contacts) if len(pair) > 1))

    def touch(self, q: Any, qd: Any, planes: Any) -> Touch:
        """Return where and how contacts touch, at velocities qd."""
        return ContactGeometry(self.robot, self.contacts, self.plane, self.soles, self.propagates).touch(q, qd, planes)

    def terms(
        self,
        q: Any,
        qd: Any,
        tau: Any,
        dt: Any,
        planes: Any = (),
        values: Any = (),
        turn: Any = (),
        push: Any = (),
        known: Known | None = None,
    ) -> dict[str, list[Number]]:
        """Return the terms of a step, matrices row by row.

        All are by the velocities that linear couplings leave free. `free`: velocities at its end without contacts'
        impulses; `gaps`; `axes`: the ground's at each contact; `rates`: normal velocities now; `J`; `factor` and
        `pivots`: of the mass matrix, that of dampers at the end of the step, and of loops, whose rows are `K`; `b`: J
        free, in mid-step; `A`: what is left of the mass matrix for the `root`, all else eliminated. J and b are
        without tangents of soles: `soles` are rows of these, `drift` is soles free, in mid-step, `places` and `arcs`
        (m/s) are those of their contacts, see `PointTouch`. Of a second solution, `push` are forces along all rows that
        the first one found, and `known` is the inertia, K, J and soles that both have. Loops `turn` velocities.
        `rub`: dry friction of joints (N m, N).
        """
        robot, coupled, (h,) = self.robot, self.free_velocities, dt
        body = self._body
        damping, rows, A = body.damping(values), list[list[Row]](), list[Row]()
        force = add_springs(robot, body.springs(values), tau, q, [h * v for v in qd])
        if known:
            inertia, K, *rows = known
        else:
            K = self.closing_rows(q)
            inertia, A = self.close_inertia(q, dt, K, values)
        begun = free = ahead = coupled.select(qd)
        kick = [0.0] * len(begun)
        swept = inertia.solve(turn[len(K) :], turn[: len(K)]) if len(turn) else kick
        pushed = self._push(self._couple(self.touch(q, qd, planes), rows), push) if len(push) else None
        for _ in range(PASSAGES):  # the second at the middle of the velocities at the ends: no energy of its own
            middle = coupled.spread([v + 0.5 * w for v, w in zip(begun, kick, strict=True)])
            damped = [d * (m - v) for d, m, v in zip(damping, middle, qd, strict=True)]
            efforts = coupled.gather(
                [f - c + x for f, c, x in zip(force, body.bias(q, middle, values), damped, strict=True)]
            )
            if pushed is not None:
                efforts, pushed = [e + f for e, f in zip(efforts, pushed, strict=True)], None
            moved = [h * t for t in coupled.select(turning(robot.manifold, np.array(middle)))]
            change = inertia.solve([h * e for e in efforts], [-x for x in multiply_vector(K, moved)])
            kick = [v + c for v, c in zip(moved, change, strict=True)]
            ahead, free = free, [v + w + c for v, w, c in zip(begun, swept, kick, strict=True)]
        swung = ahead if len(push) else begun
        touch, levels = self._couple(self.touch(q, coupled.spread(swung), planes), rows), body.friction(values)
        rub = [levels[i] for i in (*(stop.along for stop in self.stop_rows if stop.rubs), *self.rubbing)]
        return {**make_terms(inertia, K, free, touch, (begun, h), A), "rub": rub}

    def forces_at_rest(self, q: Any, tau: Any, values: Any = ()) -> list[Number]:
        """Return the forces along free velocities that accelerate the robot where it is at rest."""
        none = [0.0] * self.robot.nv
        bias, springs = self._body.bias(q, none, values), self._body.springs(values)
        force = add_springs(self.robot, springs, tau, q, none)
        return self.free_velocities.gather([f - c for f, c in zip(force, bias, strict=True)])

    def kinetic_energy(self, q: Any, qd: Any, values: Any = ()) -> Number:
        """Return the kinetic energy (J)."""
        return self._body.kinetic_energy(q, qd, values)

    def lock_joints(self, q: Any, qd: Any, values: Any = ()) -> list[Number]:
        """Return the velocities of the same momentum with which all links move as one."""
        return self._body.lock_joints(q, qd, values)

    @cached_property
    def _body(self) -> LiveBody:
        return LiveBody(without_loops(self.robot), self.live, self.springs)

    def close_inertia(
        self, q: Any, dt: Any, K: Sequence[Row], values: Any = (), softness: float = 0.0
    ) -> tuple[ClosedInertia, list[Row]]:
        """Return the inertia at q with dampers and springs as they end, rows K of loops, and what is left for the root.

        Raises EliminationError where a joint moves nothing.
        """
        M = self._weigh(q, dt, values)
        if weight := self.closing_weight:
            rows = [K[i] for i in (range(len(K)) if softness else keep_rows(self.loop_blocks, len(K)))]
            for i, row in enumerate(multiply_lower(rows, rows, len(M))):
                for j, x in row.items():
                    add_entry(M[i], j, weight * x)
        try:
            return make_closed_inertia(M, K, self.root, softness, self.loop_blocks)
        except ZeroDivisionError as error:
            raise idle_joint_error(self.robot, error.args[0]) from error

    def turn_loops(self, q: Any, qd: Any, dt: Any, values: Any = ()) -> list[Number]:
        """Return rates of loops, and impulses along free velocities: what turns velocities as loops do in a step."""
        (h,), K = dt, self.closing_rows(q)
        middle, begun = self.robot.manifold.retract(q, [0.5 * h * v for v in qd]), self.free_velocities.select(qd)
        masses = [self._weigh(at, dt, values) for at in (q, middle)]
        inertia, rows = self.close_inertia(q, dt, K, values)[0], self.closing_rows(middle)
        return turn_velocities(inertia, masses, rows, begun, self.closing_weight)

    def _weigh(self, q: Any, dt: Any, values: Any) -> list[Row]:
        """Return the mass matrix by free velocities, with dampers and springs as they are at the end of a step."""
        return self.free_velocities.gather_matrix(self._body.damped_mass_matrix(q, dt[0], values))

    def _couple(self, touch: Touch, known: Sequence[list[Row]] = ()) -> Touch:
        """Return how contacts touch, with Jacobians of all rows by the velocities that couplings leave free.

        These are computed, or `known`, with those of soles.
        """
        gather = self.free_velocities.gather_rows
        if known:
            return replace(touch, rows=known[0], soles=known[1], normals=gather(touch.normals))
        own = [*(stop.along for stop in self.stop_rows), *self.rubbing]
        rows = gather([*touch.rows, *({i: 1.0} for i in own)])
        return replace(touch, rows=rows, normals=gather(touch.normals), soles=gather(touch.soles))

    def _push(self, touch: Touch, push: Any) -> list[Number]:
        """Return J' push of all rows."""
        rows = HeldSoles(self.soles, self.rows).expand_rows(touch.rows, touch.soles, touch.places)
        return multiply_transposed(rows, push, len(self.free_velocities.free))

    @cached_property
    def closing_weight(self) -> float:
        """The weight w of K' K that is added to a tree's mass matrix which is singular without loops; else 0.

        Velocities that loops allow, K v = 0, do not feel it: M + w K' K has the same W.
        """
        robot = self.robot
        if not self.free_velocities.loops:
            return 0.0
        q, S, K = robot.mobility.states[0], self.free_velocities.matrix, self._loops.make_example()
        M = S.T @ np.asarray(mass_matrix(without_loops(robot))(q)) @ S
        scale = 1.0 / np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
        if np.linalg.eigvalsh(scale[:, None] * M * scale)[0] > SINGULAR:
            return 0.0
        return float(np.diag(M).mean() / (K * K).sum(axis=0).mean())

    def couple(self, q: Any) -> Any:
        """Return positions where linear couplings hold exactly."""
        return couple_positions(self.robot, self.free_velocities, q)

    def open_loops(self, q: Any, values: Any = ()) -> Opening:
        """Return how independent rows of loops, and of couplings that are not linear, are open at q."""
        return self._loops.open(q)

    def closing_rows(self, q: Any) -> list[Row]:
        """Return the independent rows of K: free velocities y that loops allow obey K y = 0."""
        return self._loops.make_rows(q)


def _indices(own: slice) -> range:
    return range(own.start, own.stop)
