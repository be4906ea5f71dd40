"""Quadratic programs with round cones: tangent planes of the cones, renewed where the last program ends.

Of a cone s |(x_1, x_2)| <= m x_0, the program has the square around it, which does not vary, and two planes that touch
it along the last two directions of (x_1, x_2). The cone's curvature, times its rows' multiplier, goes to the cost:
Newton's method on the optimality conditions, whose rounds converge quadratically; Boggs & Tolle (1995), "Sequential
quadratic programming". A force that vanishes keeps its planes, two of which hold it at the apex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.optimize.active_set.quadratic_program import QuadraticProgram
from screwgraph.optimize.dense_factors import flag
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Loop, Memory, Number, Part
from screwgraph.tape.parts import Copies

ROUNDS = 25
"""Rounds at most, from planes that do not touch cones yet."""
PATIENCE = 10
"""Rounds with planes of the last solution, after which all begins without them."""
OUTSIDE = 1e-10
"""How far outside a cone a solution may be, in units of its rows."""
LITTLE, NEAR = 1e-7, 5e-10
"""Length of (x_1, x_2) of a force that is nearly none, and how far outside cones a last round may end."""
TURNED = 1e-7
"""Angle (rad) of (x_1, x_2) to the newest plane's direction at most, where the cone's curvature counts."""
UNIT = 1.0 + 1e-9
"""Square of the length of a direction at most."""
SHORT = 1e-9
"""Length of (x_1, x_2) at most, in units of rows, of a force that vanishes."""
ROUNDING = 1e-13
"""Part of a row's unit that is rounding."""
STIFF = 1e6
"""Curvature at most, of that of the cost along x_1 and x_2."""


@dataclass(frozen=True)
class RoundCone:
    """A cone: its places in x, the axis first; its first row.

    These are four of the square, m x_0 + s x_1, m x_0 - s x_1, and the same of x_2; then those of planes, newest first.
    """

    places: tuple[int, int, int]
    first: int

    @property
    def planes(self) -> range:
        """The rows of planes."""
        return range(self.first + 4, self.first + ROWS)


ROWS = 6
"""Rows of a cone."""
KEPT = 4
"""Numbers of a cone that are carried to the next solution."""


@dataclass(frozen=True, eq=False)
class RoundCones:
    """A quadratic program whose planes touch cones; all else is described in `QuadraticProgram`.

    Before, rows of planes are m x_0, and have the lower bound of the square's rows; `planes` are those of the last
    solution, which `planes'` then has, first zeros: of each cone the directions of the newest plane and of the oldest
    one. Planes never cut cones, so that any are true. `solution` has the passages of all rounds, and
    the largest violation of rows and cones.
    """

    __repr__ = one_line

    memory: Memory
    program: QuadraticProgram
    cones: Sequence[RoundCone]

    @property
    def n(self) -> int:
        """How many unknowns there are."""
        return self.program.n

    @property
    def problem_sizes(self) -> dict[str, int]:
        """Vectors that stand before."""
        return self.program.problem_sizes

    def allocate(self) -> None:
        """Add all vectors to the memory."""
        self.program.allocate()
        k = len(self.cones)
        own = {
            "plain H": self.problem_sizes["H"],
            "curvature": k,
            "patience": 1,
            "rounds": 1,
            "rounds_left": 1,
            "rounds_passed": 1,
        }
        own |= dict.fromkeys(("planes", "planes'"), KEPT * k)
        for name, size in own.items():
            self.memory.add(name, size)

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that solve all rounds."""
        block, at = self.memory.block, self.memory.places
        reads = ["A", "active", "planes"]
        begin = block(
            "first_round", reads, [*reads[:2], "curvature", "patience", "rounds", "rounds_passed"], self.begin
        )
        reads = ["x", "plain H", "A", "lower", "penalty", "active'", "row", "multiplier", "solution", "curvature"]
        state = ["curvature", "rounds", "rounds_left", "rounds_passed"]
        touch = block(
            "touch",
            [*reads, "patience", "rounds", "rounds_passed"],
            ["H", "A", "active", "solution", "planes'", *state],
            self.touch,
        )
        copy = Copies(tuple(at("H")), tuple(at("plain H")))
        return (copy, begin, Loop(at("rounds_left").start, (*self.program.parts(), touch)))

    def begin(self, A: Any, active: Any, planes: Any) -> list[Number]:
        """Return planes and active rows of the last solution, and no curvature; rows without planes are not active.

        Curvature of another program would hold forces in their old directions, where all seems to be solved.
        """
        n, A, active, given = self.program.width, list(A), list(active), list[Number]()
        for k, cone in enumerate(self.cones):
            (_, i, j), own = cone.places, [*_keep_planes(planes[KEPT * k : KEPT * k + KEPT])]
            scale = A[n * cone.first + i]
            for row, t in zip(cone.planes, (own[:2], own[2:4]), strict=True):
                for c, share in zip((i, j), t, strict=True):
                    A[n * row + c] = -scale * share
                active[row] = active[row] * flag(abs(t[0]) + abs(t[1]) > 0.0)
            given += own
        patience = PATIENCE * flag(largest_size(given) > 0.0)
        return [*A, *active, *(0.0 for _ in self.cones), patience, 0.0, 0.0]

    def touch(
        self,
        x: Any,
        plain: Any,
        A: Any,
        lower: Any,
        penalty: Any,
        active: Any,
        row: Any,
        multiplier: Any,
        solution: Any,
        curvature: Any,
        patience: Any,
        rounds: Any,
        passed: Any,
    ) -> list[Number]:
        """Return cost and planes of the next round, its active rows, the solution, and whether there is a next one."""
        n, H, A, found, last = self.program.width, list(plain), list(A), list[Number](), list[Number]()
        # Multipliers of rows: active ones have theirs in slots, `row` says whose; a relaxed row pushes by its penalty.
        forces = [
            sum((flag(abs(r - i) < 0.5) * v for r, v in zip(row, multiplier, strict=True)), start=0.0)
            + flag(abs(active[i]) > 1.5) * penalty[i]
            for cone in self.cones
            for i in range(cone.first, cone.first + ROWS)
        ]
        active, misses, worst = list(active), 0.0, solution[2]
        fails: Number = 0.0
        count = rounds[0] + 1.0
        stays = 1.0 - flag(abs(count - patience[0]) < 0.5)
        for k, cone in enumerate(self.cones):
            (axis, i, j), own = cone.places, forces[ROWS * k : ROWS * k + ROWS]
            m, s = A[n * cone.first + axis], A[n * cone.first + i]
            length = (x[i] * x[i] + x[j] * x[j]) ** 0.5
            outside = s * length - m * x[axis] + lower[cone.first]
            push = [s * (own[1] - own[0]), s * (own[3] - own[2])]
            for r, plane in enumerate(cone.planes, start=4):
                push = [p - own[r] * A[n * plane + c] for p, c in zip(push, (i, j), strict=True)]
            newest, oldest = cone.planes
            # s |(x_i, x_j)| sin of the angle to the newest plane's direction, as the plane's row is -s (cos, sin).
            across = abs(x[i] * A[n * newest + j] - x[j] * A[n * newest + i])
            bends = flag(curvature[k] > 0.0) * flag(across > TURNED * s * length + ROUNDING)
            misses = maximum(misses, maximum(flag(outside > OUTSIDE), bends))
            # The direction of a force that is nearly none may turn till the last round.
            fails = maximum(fails, maximum(flag(outside > NEAR), bends * flag(s * length > LITTLE)))
            worst = maximum(worst, outside)
            is_long = flag(s * length > SHORT)
            inverse = 1.0 / choose(is_long > 0.5, length, 1.0)
            t = x[i] * inverse, x[j] * inverse
            # Rows of contacts that are off are empty: they have no planes.
            scale = -1.0 / choose(s > 0.0, s, 1.0)
            last += [A[n * row + c] * scale for row in cone.planes for c in (i, j)]
            for c, share in zip((i, j), t, strict=True):
                A[n * oldest + c] = choose(is_long > 0.5, A[n * newest + c], A[n * oldest + c])
                A[n * newest + c] = choose(is_long > 0.5, -s * share, A[n * newest + c])
            active[oldest] = choose(is_long > 0.5, active[newest], active[oldest])
            stiff = STIFF * (plain[_place(i, i)] + plain[_place(j, j)])
            force = (push[0] * push[0] + push[1] * push[1]) ** 0.5
            bend = stays * is_long * minimum(force * inverse, stiff)
            for row in cone.planes:
                active[row] = stays * active[row]
                for c in (i, j):
                    A[n * row + c] = stays * A[n * row + c]
            found.append(bend)
            # The Hessian of |(x_i, x_j)| is (1 - t t') / length.
            for a, b, share in ((i, i, t[1] * t[1]), (j, j, t[0] * t[0]), (i, j, -(t[0] * t[1]))):
                H[_place(a, b)] = H[_place(a, b)] + bend * share
        is_sound = flag(solution[0] < 2.5)
        goes_on = misses * flag(count < ROUNDS + patience[0] - 0.5) * is_sound
        total = passed[0] + solution[1]
        status = choose(fails * (1.0 - goes_on) * is_sound > 0.5, maximum(solution[0], 2.0), solution[0])
        said = [status, total, choose(is_sound > 0.5, worst, 0.0)]
        return [*H, *A, *active, *said, *(choose(is_sound, v, 0.0) for v in last), *found, count, goes_on, total]


def _keep_planes(own: Any) -> list[Number]:
    """Return the directions of a cone's planes, zero where they are none: longer ones would cut the cone."""
    found = list[Number]()
    for t in (own[:2], own[2:]):
        keeps = t[0] * t[0] + t[1] * t[1] < UNIT
        found += [choose(keeps, x, 0.0) for x in t]
    return found


def _place(i: int, j: int) -> int:
    """Return the place of an entry in the lower triangle by rows."""
    high, low = max(i, j), min(i, j)
    return high * (high + 1) // 2 + low
