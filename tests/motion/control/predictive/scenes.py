"""Robots at an instant as IPOPT has them: trees with ties between joints, loops and contacts; rows that are zero.

States are positions and velocities of independent joints. Those of all others, all accelerations and multipliers are
unknowns: nothing is eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import casadi
import numpy as np
from scipy.spatial import ConvexHull
from tests.motion.control.predictive.bodies import Tree


class Instant(NamedTuple):
    """Accelerations of states; rows that are zero, at most zero but for a penalty, at least zero; what inputs cost."""

    accelerations: Any
    zero: Any
    soft: Any
    least: Any
    cost: Any


class Drive(Protocol):
    """Motors that are not on one joint each."""

    @property
    def motors(self) -> int:
        """How many there are."""
        ...

    def act(self, q: Any, poses: Any, efforts: Any) -> tuple[Any, list[tuple[int, Any, Any, Any]]]:
        """Return efforts along all velocities, and forces: parts, arms, forces, moments, in the world's axes."""
        ...


class Scene(Protocol):
    """What moves: `closing` unknowns follow from a state, `unknown` ones from a state and inputs."""

    @property
    def nq(self) -> int:
        """Numbers of a position that are states."""
        ...

    @property
    def nv(self) -> int:
        """Numbers of a velocity."""
        ...

    @property
    def inputs(self) -> int:
        """Numbers of an input."""
        ...

    @property
    def closing(self) -> int:
        """Numbers that follow from a state."""
        ...

    @property
    def unknown(self) -> int:
        """Accelerations and multipliers."""
        ...

    @property
    def places(self) -> Sequence[int]:
        """Where the position of each velocity is, 0 where it is no number of its own."""
        ...

    def advance(self, z: Any, d: Any) -> Any:
        """Return the position that displacements lead to."""
        ...

    def difference(self, start: Any, end: Any) -> Any:
        """Return displacements from a position to another."""
        ...

    def close(self, z: Any, v: Any, p: Any) -> Any:
        """Return rows that are zero where loops are closed."""
        ...

    def pose(self, part: int, z: Any, p: Any) -> Any:
        """Return (R, p) of a body."""
        ...

    def instant(self, z: Any, v: Any, p: Any, w: Any, u: Any, on: Any, wanted: Any, weights: Any) -> Instant:
        """Return what holds at an instant; `weights` and `wanted` are of inputs as `sg.mpc` has them."""
        ...


@dataclass(frozen=True, eq=False)
class Tie:
    """A joint whose position is a polynomial of another's, lowest power first; both by their parts."""

    leads: int
    follows: int
    powers: Sequence[float]


@dataclass(frozen=True, eq=False)
class Closing:
    """Two points of parts, the first -1 of the world, that are at one place, as far as some directions (k, 3) go.

    These stand in the first part's axes.
    """

    ends: tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]
    ways: np.ndarray


@dataclass(frozen=True, eq=False)
class Foot:
    """A point or ball, or a sole whose axes (3, 3) and half sizes are given, on a part; joints that carry it alone.

    An edge has one half size that is 0.
    """

    part: int
    at: np.ndarray
    friction: float
    leg: tuple[int, ...]
    radius: float = 0.0
    axes: np.ndarray | None = None
    half: tuple[float, float] = (0.0, 0.0)

    @property
    def size(self) -> int:
        """Components of its force."""
        return 3 if self.axes is None else 6 if self.half[1] else 5

    @cached_property
    def cone(self) -> np.ndarray:
        """Rows (k, size) that are at least zero of forces in Coulomb's pyramids at all corners."""
        share = self.friction / np.sqrt(2.0)
        edges = np.array([[x, y, 1.0] for x in (share, -share) for y in (share, -share)])
        if self.axes is None:  # normal first, then tangents
            return np.array([[share, s, 0.0] for s in (1.0, -1.0)] + [[share, 0.0, s] for s in (1.0, -1.0)])
        (X, Y), found = self.half, list[np.ndarray]()
        for x in (X, -X):
            for y in (Y, -Y) if Y else (0.0,):
                found += [np.concatenate([np.cross([x, y, 0.0], f), f]) for f in edges]
        points = np.array(found)[:, 6 - self.size :]
        hull = ConvexHull(np.vstack([np.zeros(self.size), points]))
        through = hull.equations[np.abs(hull.equations[:, -1]) < 1e-12, :-1]
        return -np.unique(np.round(through, 12), axis=0)


@dataclass(frozen=True, eq=False)
class Bodies:
    """A tree of which some joints (parts) are independent; `driven` velocities, of states, have motors, or `drive` has.

    With feet, inputs are their forces, then efforts, whose limits `most` are soft; `ground` are its axes by rows.
    """

    tree: Tree
    driven: Sequence[int]
    independent: Sequence[int] | None = None
    ties: Sequence[Tie] = ()
    closings: Sequence[Closing] = ()
    feet: Sequence[Foot] = ()
    ground: np.ndarray = field(default_factory=lambda: np.eye(3))
    drag: float = 0.0
    most: np.ndarray = field(default_factory=lambda: np.zeros(0))
    drive: Drive | None = None

    @property
    def motors(self) -> int:
        """How many efforts there are."""
        return len(self.driven) if self.drive is None else self.drive.motors

    @cached_property
    def own(self) -> list[int]:
        """Parts whose joints are states."""
        return list(range(len(self.tree.parts))) if self.independent is None else list(self.independent)

    @cached_property
    def states(self) -> Tree:
        """The independent joints."""
        return Tree(tuple(self.tree.parts[i] for i in self.own), self.tree.gravity)

    @property
    def nq(self) -> int:
        return self.states.nq

    @property
    def nv(self) -> int:
        return self.states.nv

    @cached_property
    def others(self) -> list[int]:
        """Parts whose joints, of one coordinate, follow."""
        return [i for i in range(len(self.tree.parts)) if i not in self.own]

    @property
    def ways(self) -> int:
        """Rows of loops."""
        return len(self.ties) + sum(len(one.ways) for one in self.closings)

    @property
    def closing(self) -> int:
        return 2 * len(self.others)

    @property
    def unknown(self) -> int:
        return self.tree.nv + self.ways

    @property
    def forces(self) -> int:
        """Components of all feet's forces."""
        return sum(foot.size for foot in self.feet)

    @property
    def inputs(self) -> int:
        return self.forces + self.motors

    @property
    def places(self) -> list[int]:
        found = []
        for part, own, mine in zip(self.states.parts, self.states.q_slices, self.states.v_slices, strict=True):
            count = mine.stop - mine.start
            found += [own.start] if part.kind in ("hinge", "slide") else [0] * count
        return found

    def advance(self, z, d):
        return self.states.advance(z, d)

    def difference(self, start, end):
        return self.states.difference(start, end)

    def _whole(self, z, v, p):
        """Return positions and velocities of all joints."""
        count = len(self.others)
        q: list = [None] * len(self.tree.parts)
        qd = list(q)
        for k, i in enumerate(self.own):
            q[i], qd[i] = z[self.states.q_slices[k]], v[self.states.v_slices[k]]
        for k, i in enumerate(self.others):
            q[i], qd[i] = p[k], p[count + k]
        return casadi.vertcat(*q), casadi.vertcat(*qd)

    def _ends(self, one, poses, motions):
        """Return arms, directions in the world, and the way, rate and acceleration from one end to the other."""
        arms, total = [], [casadi.SX.zeros(3) for _ in range(3)]
        for sign, (i, at) in zip((-1.0, 1.0), one.ends, strict=True):
            if i < 0:
                arms.append(casadi.SX(at))
                total[0] = total[0] + sign * at
                continue
            (R, x), (w, u, dw, du) = poses[i], motions[i]
            arm = R @ at
            arms.append(arm)
            values = (x + arm, u + casadi.cross(w, arm), du + _turned(w, dw, arm))
            total = [a + sign * b for a, b in zip(total, values, strict=True)]
        first = one.ends[0][0]
        return arms, one.ways if first < 0 else one.ways @ poses[first][0].T, total

    def _loops(self, q, qd, a):
        """Return rows of positions, velocities and accelerations, and what multipliers push: parts, arms, ways."""
        poses, motions, tree = self.tree.poses(q), self.tree.motions(q, qd, a), self.tree
        rows: list[list] = [[], [], []]
        columns, pushes = [], []
        for tie in self.ties:
            (x, xd, xdd), (y, yd, ydd) = (
                (q[tree.q_slices[i]], qd[tree.v_slices[i]], a[tree.v_slices[i]]) for i in (tie.follows, tie.leads)
            )
            f = np.polynomial.Polynomial(tie.powers)
            value, slope, bend = (sum(c * x**k for k, c in enumerate(g.coef)) for g in (f, f.deriv(), f.deriv(2)))
            found = (y - value, yd - slope * xd, ydd - slope * xdd - bend * xd**2)
            for kept, row in zip(rows, found, strict=True):
                kept.append(row)
            column = casadi.SX.zeros(tree.nv)
            column[tree.v_slices[tie.leads]], column[tree.v_slices[tie.follows]] = 1.0, -slope
            columns.append(column)
        for one in self.closings:
            arms, ways, found = self._ends(one, poses, motions)
            for kept, row in zip(rows, found, strict=True):
                kept.append(ways @ row)
            pushes.append((one, arms, ways))
        return rows, columns, pushes

    def close(self, z, v, p):
        q, qd = self._whole(z, v, p)
        rows, _, _ = self._loops(q, qd, casadi.SX.zeros(self.tree.nv))
        return casadi.vertcat(*rows[0], *rows[1])

    def pose(self, part, z, p):
        return self.tree.poses(self._whole(z, [0.0] * self.nv, casadi.vertcat(p))[0])[part]

    def _foot(self, foot, poses, motions):
        """Return the arm, axes (3, 3) by rows of forces, and the velocity and acceleration (size,) that are held."""
        (R, _), (w, u, dw, du) = poses[foot.part], motions[foot.part]
        arm = R @ foot.at
        if foot.axes is None:
            below = -foot.radius * self.ground[0]
            speed = u + casadi.cross(w, arm + below)
            rate = du + _turned(w, dw, arm) + casadi.cross(dw, below)
            return arm + below, self.ground, self.ground @ speed, self.ground @ rate
        axes = (R @ foot.axes.T).T
        speed, rate = u + casadi.cross(w, arm), du + _turned(w, dw, arm)
        own = slice(6 - foot.size, 6)
        held = casadi.vertcat(axes @ w, axes @ speed)[own], casadi.vertcat(axes @ dw, axes @ rate)[own]
        return arm, axes, *held

    def find_slopes(self, foot: Foot) -> casadi.Function:
        """Return the Jacobian (size, leg) of a foot of a tree by its leg's joints, of q."""
        tree = self.tree
        q, v = casadi.SX.sym("q", tree.nq), casadi.SX.sym("v", tree.nv)
        _, _, speed, _ = self._foot(foot, tree.poses(q), tree.motions(q, v, casadi.SX.zeros(tree.nv)))
        along = [j for i in foot.leg for j in _range(tree.v_slices[i])]
        return casadi.Function("slopes", [q], [casadi.jacobian(speed, v)[:, along]])

    def instant(self, z, v, p, w, u, on, wanted, weights):
        tree = self.tree
        q, qd = self._whole(z, v, p)
        a, multipliers = w[: tree.nv], w[tree.nv :]
        rows, columns, loops = self._loops(q, qd, a)
        pushes, start, tied = [], len(columns), casadi.SX.zeros(tree.nv)
        for k, column in enumerate(columns):
            tied = tied + column * multipliers[k]
        for one, arms, ways in loops:
            force = ways.T @ multipliers[start : start + len(one.ways)]
            start += len(one.ways)
            pushes += [
                (i, arm, sign * force, 0.0 * force)
                for sign, (i, _), arm in zip((-1.0, 1.0), one.ends, arms, strict=True)
                if i >= 0
            ]
        poses, motions = tree.poses(q), tree.motions(q, qd, a)
        held, least, first, cost = [], [], 0, 0.0
        at = [tree.v_slices[i] for i in self.own]
        along = [i for own in at for i in range(own.start, own.stop)]  # of velocities of states
        shares = [self._share(on)] * len(self.feet)
        legged = set()
        slopes, price = (weights[: self.inputs], weights[-1]) if self.feet else (weights, 0.0)
        for c, foot in enumerate(self.feet):
            f, flag = u[first : first + foot.size], on[c]
            arm, axes, speed, rate = self._foot(foot, poses, motions)
            force = axes.T @ f[foot.size - 3 :]
            moment = casadi.SX.zeros(3)
            if foot.size > 3:
                moment = axes[6 - foot.size :, :].T @ f[: foot.size - 3]
            pushes.append((foot.part, arm, force, moment))
            slowed = rate + self.drag * speed
            held.append(flag * slowed + (1.0 - flag) * f)
            least.append(flag * (foot.cone @ f))
            normal = np.eye(foot.size)[0 if foot.axes is None else foot.size - 1]
            own = wanted[first : first + foot.size] + normal * shares[c]
            cost += flag * casadi.dot(slopes[first : first + foot.size], (f - own) ** 2)
            leg = a[[j for i in foot.leg for j in _range(tree.v_slices[i])]]
            cost += (1.0 - flag) * price * casadi.dot(leg, leg)
            if len(foot.leg) > foot.size:  # of those that do not move it
                J = casadi.jacobian(speed, qd)[:, [j for i in foot.leg for j in _range(tree.v_slices[i])]]
                cost += flag * price * (casadi.dot(leg, leg) - casadi.dot(J @ leg, casadi.solve(J @ J.T, J @ leg)))
            legged |= set(foot.leg)
            first += foot.size
        efforts = u[self.forces :]
        if self.drive is None:
            S = np.zeros((tree.nv, len(self.driven)))
            S[[along[i] for i in self.driven], range(len(self.driven))] = 1.0
            pushed = S @ efforts
        else:
            pushed, pulls = self.drive.act(q, poses, efforts)
            pushes += pulls
        balance = tree.efforts(q, qd, a, pushes) - pushed - tied
        if self.feet:
            for i in self.own:
                if i not in legged and tree.parts[i].kind != "free":
                    cost += price * casadi.sumsqr(a[tree.v_slices[i]])
            kept = np.flatnonzero(np.isfinite(self.most))
            soft = casadi.vertcat(efforts[kept] - self.most[kept], -self.most[kept] - efforts[kept])
        else:
            cost, soft = casadi.dot(weights, (efforts - wanted) ** 2), casadi.SX.zeros(0)
        zero = casadi.vertcat(balance, *rows[2], *held)
        return Instant(a[along], zero, soft, casadi.vertcat(*least), cost)

    def _share(self, on):
        weight = sum(part.mass for part in self.tree.parts) * np.linalg.norm(self.tree.gravity)
        return weight / casadi.fmax(casadi.sum1(on), 1.0)


def _range(own):
    return range(own.start, own.stop)


def _turned(w, dw, arm):
    return casadi.cross(dw, arm) + casadi.cross(w, casadi.cross(w, arm))
