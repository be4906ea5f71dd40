"""What happens along a chain of contact events, in turn: each step changes what is known of the newest base."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.backends.llvm import Compiled
from screwgraph.estimation.legged.chain import BIAS, OWN, earlier, lifting, moving, observing, size
from screwgraph.estimation.legged.imu import code
from screwgraph.optimize.smoothers.straight import called
from screwgraph.spatial.exponential import exp3


@dataclass
class Base:
    """A base at an event: where it is linearised, and its displacement from there."""

    time: float
    R: Float[np.ndarray, "3 3"]
    v: Float[np.ndarray, "3"]
    p: Float[np.ndarray, "3"]
    moved: Float[np.ndarray, "9"] = field(default_factory=lambda: np.zeros(OWN))
    largest: float = 0.0
    """The largest entry of that."""

    def at(self) -> Base:
        """Return it where it is estimated."""
        d = self.moved
        return Base(self.time, called(turning(), self.R, d).reshape(3, 3), self.v + d[3:6], self.p + d[6:])

    def settle(self) -> None:
        """Linearise it anew where it is estimated."""
        now = self.at()
        self.R, self.v, self.p, self.moved, self.largest = now.R, now.v, now.p, now.moved, 0.0


@cache
def turning() -> Compiled:
    """Return what turns a rotation by the first three of a base's directions."""
    return code("base_turn", {"R": (3, 3), "d": (OWN,)}, lambda R, d: [R @ exp3(d[:3])])


@dataclass
class Foothold:
    """Where a foot stands from touchdown on, and what its touchdown says of that."""

    foot: int
    p: Float[np.ndarray, "3"]
    expected: Float[np.ndarray, "3"]
    information: float
    moved: Float[np.ndarray, "3"] = field(default_factory=lambda: np.zeros(3))
    largest: float = 0.0

    def settle(self) -> None:
        """Linearise it anew where it is estimated."""
        self.p, self.moved, self.largest = self.p + self.moved, np.zeros(3), 0.0


@dataclass(frozen=True, eq=False)
class Law:
    """What all steps share: numbers of feet, threshold of the robust loss, gravity, noise of contacts."""

    feet: int
    huber: float
    gravity: Float[np.ndarray, "3"]
    whitening: Float[np.ndarray, "3 3"]
    height_information: float

    @property
    def size(self) -> int:
        """Directions of a carry."""
        return size(self.feet)


@dataclass(frozen=True, eq=False)
class Touch:
    """A foot is set down."""

    stand: Foothold

    def forward(self, law: Law, carry: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the carry behind the step, and gains of what the step lets go."""
        n, first = law.size, OWN + BIAS + 3 * self.stand.foot
        found, stand = carry.copy(), self.stand
        for i in range(first, first + 3):
            found[i * (i + 3) // 2] += stand.information
        found[n * (n + 1) // 2 + first : n * (n + 1) // 2 + first + 3] += stand.information * (stand.p - stand.expected)
        return found, None

    def back(self, law: Law, gains: np.ndarray | None, d: np.ndarray) -> np.ndarray:
        """Return the displacements (n,) before the step of those behind it."""
        first = OWN + BIAS + 3 * self.stand.foot
        self.stand.moved = d[first : first + 3]
        return d


@dataclass(frozen=True, eq=False)
class Lift:
    """A foot leaves its foothold."""

    stand: Foothold

    def forward(self, law: Law, carry: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """See `Touch`."""
        n, found = law.size, called(lifting(law.feet, self.stand.foot), carry)
        return found[3 * (n + 1) :], found[: 3 * (n + 1)].reshape(3, n + 1)

    def back(self, law: Law, gains: np.ndarray | None, d: np.ndarray) -> np.ndarray:
        """See `Touch`."""
        assert gains is not None
        first = OWN + BIAS + 3 * self.stand.foot
        found = called(earlier(law.feet, first, 3), gains, d)
        self.stand.moved, self.stand.largest = found[first : first + 3], float(found[-1])
        return found[:-1]


@dataclass(frozen=True, eq=False)
class See:
    """Feet in contact, and where kinematics has them in the base (m)."""

    base: Base
    stands: tuple[Foothold | None, ...]
    points: Float[np.ndarray, "feet 3"]
    height: float | None

    def forward(self, law: Law, carry: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """See `Touch`."""
        stand, seen = np.zeros((law.feet, 3)), np.zeros((law.feet, 2))
        for i, s in enumerate(self.stands):
            if s is not None:
                stand[i], seen[i] = s.p, (1.0, float(self.height is not None))
        height = np.array([self.height or 0.0, law.height_information])
        code, base = observing(law.feet, law.huber), self.base
        return called(code, carry, base.R, base.p, stand, self.points, seen, law.whitening, height), None

    def back(self, law: Law, gains: np.ndarray | None, d: np.ndarray) -> np.ndarray:
        """See `Touch`."""
        return d


@dataclass(frozen=True, eq=False)
class Move:
    """Inertial measurements lead from one base to the next."""

    before: Base
    after: Base
    change: np.ndarray
    whitening: Float[np.ndarray, "9 9"]

    def forward(self, law: Law, carry: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """See `Touch`."""
        a, b, n = self.before, self.after, law.size
        found = called(
            moving(law.feet), carry, a.R, a.v, a.p, b.R, b.v, b.p, bias, self.change, self.whitening, law.gravity
        )
        return found[OWN * (n + 1) :], found[: OWN * (n + 1)].reshape(OWN, n + 1)

    def back(self, law: Law, gains: np.ndarray | None, d: np.ndarray) -> np.ndarray:
        """See `Touch`."""
        assert gains is not None
        found = called(earlier(law.feet, 0, OWN), gains, d)
        self.before.moved, self.before.largest = found[:OWN], float(found[-1])
        return found[:-1]


Step = Touch | Lift | See | Move
