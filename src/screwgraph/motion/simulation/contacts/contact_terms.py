"""What a step with contacts is made of at one state: free velocities, Jacobians of contacts, their Delassus matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from screwgraph.base.errors import EliminationError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, compile_expression, without_metadata
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import KINDS, ROTORS, Parameter
from screwgraph.motion.simulation.closure_code import jacobian_code
from screwgraph.motion.simulation.contacts.closed_inertia import ClosedInertia, make_closed_inertia
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.ground import PLANE, Plane, touch_plane
from screwgraph.motion.simulation.contacts.laws import Cone, DryFriction, ImpulseLaw, Range
from screwgraph.motion.simulation.contacts.moving_point import move_point
from screwgraph.spatial.manifolds.gliding import turning
from screwgraph.tape import Block, Memory, Number, Program, Row, TreeFactor, factor_tree
from screwgraph.tape.program import split_outputs
from screwgraph.tape.sparse_rows import (
    add_entry,
    is_zero,
    list_entries,
    multiply_lower,
    multiply_vector,
    to_sparse_rows,
)

TERMS = {"ground": "planes", "parameters": "values"}
"""What terms call arguments of a step."""
PASSAGES = 2
"""Velocities without contacts, the first with Coriolis' forces of the start of a step, the others of its middle."""
SINGULAR = 1e-9
"""Least eigenvalue, of a mass matrix whose diagonal is 1, that is none."""


@dataclass(frozen=True, eq=False)
class ContactModel:
    """A robot, and where it may touch the ground: a plane, or tangent planes that are inputs; `live` inputs of it."""

    __repr__ = one_line

    robot: Robot
    contacts: tuple[Contact, ...]
    plane: Plane | None
    stops: bool = False
    friction: bool = False
    springs: tuple[tuple[str, float, float], ...] = ()
    live: tuple[Parameter, ...] = ()

    @property
    def stopped(self) -> list[tuple[int, int, float, float]]:
        """Joints whose range ends: the place of each in q and in qd, and its range (rad, m)."""
        if not self.stops:
            return []
        robot, found = self.robot, list[tuple[int, int, float, float]]()
        for joint in robot.joints:
            at, along = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
            lower, upper = float(robot.limits.lower[at]), float(robot.limits.upper[at])
            if joint.type.nq == 1 and np.isfinite([lower, upper]).any():
                found.append((at, along, lower, upper))
        return found

    @property
    def rubbing(self) -> list[tuple[int, float]]:
        """Coordinates with dry friction: the place of each in qd, and the largest force (N m, N)."""
        pairs = [(i, j.friction) for j in self.robot.joints for i in _indices(self.robot.v_slices[j.name])]
        return [(i, bound) for i, bound in pairs if self.friction and bound]

    @property
    def laws(self) -> list[ImpulseLaw]:
        """The laws of the impulses: contacts, stops, friction of joints."""
        return [
            *(Cone() for _ in self.contacts),
            *(Range() for _ in self.stopped),
            *(DryFriction() for _ in self.rubbing),
        ]

    @property
    def rows(self) -> int:
        """How many impulses there are."""
        return sum(law.rows for law in self.laws)

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the model that code depends on: of contacts only their places, other numbers are arguments."""
        places = tuple((contact.frame, contact.radius, contact.at, contact.against) for contact in self.contacts)
        return without_metadata(self.robot), places, self.plane, self.stops, self.friction, self.springs, self.live

    def touch(self, q: Any, planes: Any) -> tuple[list[Number], list[Number], list[Row]]:
        """Return distances to the ground (m), its axes, and Jacobians of the points that touch it along these."""
        gaps, directions, rows = list[Number](), list[Number](), list[Row]()
        for k, contact in enumerate(self.contacts):
            point = move_point(self.robot, self.robot.frame(contact.frame), contact.at, q)
            own = planes[PLANE * k : PLANE * (k + 1)]
            gap, axes = self.plane.touch(point.p) if self.plane else touch_plane(point.p, own)
            arm = -contact.radius * axes[0]
            columns = point.at(arm) if contact.radius else point.linear
            if contact.against:  # both bodies at the same point, so that no moment is lost
                other = move_point(self.robot, self.robot.frame(contact.against.frame), contact.against.at, q)
                theirs = other.at(point.p + arm - other.p)
                columns = {i: columns.get(i, 0.0) - theirs.get(i, 0.0) for i in {*columns, *theirs}}
            gaps.append(gap - contact.radius)
            directions += list(np.ravel(axes))
            along = {i: axes @ column for i, column in sorted(columns.items())}
            rows += [{i: three[k] for i, three in along.items() if not is_zero(three[k])} for k in range(3)]
        return gaps, directions, rows

    def terms(self, q: Any, qd: Any, tau: Any, dt: Any, planes: Any = (), values: Any = ()) -> dict[str, list[Number]]:
        """Return the terms of a step, matrices row by row.

        `free`: velocities at its end without contacts' impulses; `gaps`; `axes`: the ground's at each contact; `rates`:
        normal velocities now; `J`; `factor` and `pivots`: of the mass matrix, that of dampers at the end of the step;
        `K`, `closing`, `closing_pivots`: of loops and couplings; `G` = J W J', where W is what velocities yield to
        impulses with loops closed; `b` = J free.
        """
        robot, (h,) = self.robot, dt
        n = robot.nv
        M, bias, damping = self._motion(q, values)
        for i, d in enumerate(damping):
            if not is_zero(d):
                M[i][i] = M[i][i] + h * d
        force = list(tau)
        for name, stiffness, rest in self.springs:
            i, at = robot.v_slices[name].start, robot.q_slices[name].start
            M[i][i] = M[i][i] + h * h * stiffness
            force[i] = force[i] - stiffness * (q[at] + h * qd[i] - rest)
        K = self.closing_rows(robot.manifold.retract(q, [h * v for v in qd]))  # as loops are at the end of the step
        if weight := self.closing_weight:
            for i, row in enumerate(multiply_lower(K, K, n)):
                for j, x in row.items():
                    add_entry(M[i], j, weight * x)
        try:
            inertia = make_closed_inertia(factor_tree(M), K)
        except ZeroDivisionError as error:
            raise self._idle_joint(error.args[0]) from error
        free = qd
        for _ in range(PASSAGES):  # the second at the middle of the velocities at the ends: no energy of its own
            middle = [0.5 * (v + w) for v, w in zip(qd, free, strict=True)]
            damped = [d * (m - v) for d, m, v in zip(damping, middle, qd, strict=True)]
            efforts = [f - c + x for f, c, x in zip(force, bias(middle), damped, strict=True)]
            rates = zip(qd, inertia.factor.solve(efforts), turning(robot.manifold, np.array(middle)), strict=True)
            free = inertia.close([v + h * (a + t) for v, a, t in rates])
        gaps, axes, J = self.touch(q, planes)
        rates = multiply_vector(J[::3], qd)
        J += [{i: 1.0} for _, i, _, _ in self.stopped] + [{i: 1.0} for i, _ in self.rubbing]
        G = inertia.yielding(J)
        return {
            "free": free,
            "gaps": gaps,
            "axes": axes,
            "rates": rates,
            "J": list_entries(J, n),
            "factor": list_entries(inertia.factor.rows, n),
            "pivots": list(inertia.factor.inverse),
            "K": list_entries(inertia.K, n),
            "closing": list_entries(inertia.closing.rows, len(inertia.K)),
            "closing_pivots": list(inertia.closing.inverse),
            "G": [G[i].get(j, 0.0) for i in range(len(J)) for j in range(i + 1)],
            "b": multiply_vector(J, free),
        }

    def _motion(self, q: Any, values: Any) -> tuple[list[Row], Callable[[Any], Any], list[Number]]:
        """Return the mass matrix, its lower triangle, forces that no acceleration makes by velocity, and damping."""
        tree, own = without_loops(self.robot), list[Any]()
        ends = np.cumsum([len(p.nominal(self.robot)) for p in self.live])
        given = dict(zip(self.live, np.split(values, ends[:-1]), strict=True)) if self.live else {}
        for kinds in (ROTORS, KINDS):
            parts = {p.name: values for p, values in given.items() if p.kind in kinds}
            payload = next((p.part for p in given if p.kind == "payload"), None)
            own.append((tuple(parts), payload, (np.concatenate(list(parts.values())),) if parts else ()))
        (inertial, payload, numbers), (names, _, all_numbers) = own
        M = mass_matrix(tree, parameters=inertial, payload=payload)(q, *numbers)
        bias = bias_forces(tree, parameters=names, payload=payload)
        levels = {p.part: value[0] for p, value in given.items() if p.kind == "damping"}
        damping = [levels.get(joint.name, joint.damping) for joint in tree.joints for _ in range(joint.type.nv)]
        return [dict(row) for row in to_sparse_rows(np.tril(M))], lambda v: bias(q, np.array(v), *all_numbers), damping

    def _idle_joint(self, place: int) -> EliminationError:
        """Return the error for a velocity coordinate that moves nothing."""
        names = [name for name, own in self.robot.v_slices.items() for _ in _indices(own)]
        return EliminationError(
            f"joint {names[place]!r} moves nothing that has inertia", fix="give it an armature, or lock it"
        )

    @cached_property
    def closing_weight(self) -> float:
        """The weight w of K' K that is added to a tree's mass matrix which is singular without loops; else 0.

        Velocities that loops allow, K v = 0, do not feel it: M + w K' K has the same W.
        """
        robot = self.robot
        if not robot.is_closed:
            return 0.0
        M = np.asarray(mass_matrix(without_loops(robot))(robot.mobility.states[0]))
        K = np.asarray(jacobian_code(robot)(robot.mobility.states[0])).reshape(-1, robot.nv)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
        if np.linalg.eigvalsh(scale[:, None] * M * scale)[0] > SINGULAR:
            return 0.0
        return float(np.diag(M).mean() / (K * K).sum(axis=0).mean())

    def closing_rows(self, q: Any) -> list[Row]:
        """Return the independent rows of K: velocities that loops and couplings allow obey K qd = 0."""
        if not self.robot.is_closed:
            return []
        return to_sparse_rows(np.reshape(jacobian_code(self.robot)(q), (-1, self.robot.nv)))


def _indices(own: slice) -> range:
    return range(own.start, own.stop)


@dataclass(frozen=True, eq=False)
class Terms:
    """Code of a model's terms of a step: numbers that vary stand in a memory, constants do not."""

    __repr__ = one_line

    model: ContactModel
    arguments: tuple[Argument, ...]

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The terms, and the shape of each; of G the lower triangle."""
        n, k = self.model.robot.nv, len(self.model.contacts)
        m, r = self.model.rows, self.model.robot.mobility.rank if self.model.robot.is_closed else 0
        return {
            "free": (n,),
            "gaps": (k,),
            "axes": (9 * k,),
            "rates": (k,),
            "J": (m, n),
            "factor": (n, n),
            "pivots": (n,),
            "K": (r, n),
            "closing": (r, r),
            "closing_pivots": (r,),
            "G": (m * (m + 1) // 2,),
            "b": (m,),
        }

    @cached_property
    def code(self) -> Program:
        """The code of all terms, one after the other."""
        model = self.model

        def expression(*vectors: Any) -> list[Number]:
            named = {TERMS.get(a.name, a.name): vector for a, vector in zip(self.arguments, vectors, strict=True)}
            return [x for term in model.terms(**named).values() for x in term]

        question = ("contact terms", *model.question)
        return compile_expression("contact_terms", question, self.arguments, expression).program

    @cached_property
    def _outputs(self) -> dict[str, tuple[int | float, ...]]:
        return split_outputs(self.code, self.shapes)

    def add_to(self, memory: Memory, efforts: str) -> Block:
        """Allocate what varies; return the part that computes it, with `efforts` as tau."""
        names = list(self.shapes)
        for name in names:
            if name not in memory.names:
                memory.add(name, sum(isinstance(o, int) for o in self._outputs[name]))
        varying = tuple(o for name in names for o in self._outputs[name] if isinstance(o, int))
        code = Program(self.code.input_names, self.code.instructions, varying)
        return memory.placed("terms", code, [efforts if a.name == "tau" else a.name for a in self.arguments], names)

    def evaluate(self, given: Mapping[str, Any]) -> dict[str, list[Number]]:
        """Return what varies of each term, of numbers of any kind."""
        numbers = iter(self.code.on([x for argument in self.arguments for x in given[argument.name]]))
        found = {name: list(zip(outputs, numbers, strict=False)) for name, outputs in self._outputs.items()}
        return {name: [x for output, x in pairs if isinstance(output, int)] for name, pairs in found.items()}

    def full(self, name: str, varying: Iterable[Number]) -> list[Number]:
        """Return a term of what varies in it."""
        numbers = iter(varying)
        return [next(numbers) if isinstance(o, int) else o for o in self._outputs[name]]

    def rows(self, name: str, varying: Iterable[Number]) -> list[Row]:
        """Return a matrix, or a lower triangle, as sparse rows."""
        shape, numbers = self.shapes[name], iter(self.full(name, varying))
        widths = range(1, self.model.rows + 1) if name == "G" else [shape[1]] * shape[0]
        return [{j: x for j in range(width) if not is_zero(x := next(numbers))} for width in widths]

    def pattern(self, name: str) -> list[list[int]]:
        """Return the columns of each row of a matrix that are not zero."""
        return [list(row) for row in self.rows(name, repeat(1.0))]

    def inertia(
        self, factor: Sequence[Number], pivots: Sequence[Number], K: Sequence[Number], *closing: Sequence[Number]
    ) -> ClosedInertia:
        """Return the factors of the mass matrix and of loops, of what varies in these terms."""
        rows, inverse = closing
        return ClosedInertia(
            TreeFactor(self.rows("factor", factor), self.full("pivots", pivots)),
            self.rows("K", K),
            TreeFactor(self.rows("closing", rows), self.full("closing_pivots", inverse)),
        )
