"""Law of a joint that has both stops and dry friction: one impulse, since two along one coordinate do not settle."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.motion.simulation.contacts.laws.laws import DryFriction, ImpulseLaw, Matrix, Numbers, Range
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

FRICTION, STOPS = DryFriction(), Range()


@dataclass(frozen=True)
class RubbingRange:
    """values = (lower, upper, bound): w is between lower and upper, x is what dry friction asks, or pushes beyond it.

    Where w is lower x is friction's impulse or more, where it is upper that or less. Sweeps over one law after the
    other, of which friction holds the joint where the stop would let it go, take thousands.
    """

    rows = 1
    values = 3
    prepared = 2

    @property
    def search_law(self) -> ImpulseLaw:
        """The law itself."""
        return self

    def prepare(self, G: Matrix) -> list[Number]:
        """Return the inverse, and what it is of."""
        return STOPS.prepare(G)

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse of friction, and what brings the velocity from there into the range."""
        (lower, upper, bound), (inverse, yields) = values, prepared
        rubs = FRICTION.solve(x, w, [bound], prepared)
        moved = [w[0] + yields * (rubs[0] - x[0])]
        return [rubs[0] + inverse * (minimum(maximum(moved[0], lower), upper) - moved[0])]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return what is left of the velocity."""
        return [(x[0] - self.solve(x, w, values, prepared)[0]) * prepared[1]]

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return those of a joint that a velocity is asked of, or a force."""
        (lower, upper, bound), (inverse, yields) = values, prepared
        rubs = FRICTION.solve(x, w, [bound], prepared)[0]
        moved = w[0] + yields * (rubs - x[0])
        held = choose(abs(x[0] - inverse * w[0]) < bound, 1.0, 0.0)
        held = choose(moved < lower, 1.0, choose(moved > upper, 1.0, held))
        return [[(1.0 - held) * yields]], [[held]]

    def guess(self, x: Numbers, b: Numbers, values: Numbers, yields: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the row of a joint that friction alone would stop, or that leaves its range; of others the bound."""
        (lower, upper, bound), prepared = values, STOPS.prepare([yields])
        rubs, sticks, _ = FRICTION.guess(x, b, [bound], yields)
        moved = b[0] + prepared[1] * FRICTION.solve([0.0], b, [bound], prepared)[0]
        aim = minimum(maximum(moved, lower), upper)
        stops = choose(moved < lower, 1.0, choose(moved > upper, 1.0, 0.0))
        is_held = maximum(stops, sticks[0])
        return [choose(stops > 0.5, 0.0, rubs[0])], [is_held], [choose(stops > 0.5, aim, 0.0)]

    def deviation(self, x: Numbers, w: Numbers, values: Numbers, active: Numbers, yields: Numbers) -> Number:
        """Return what is left of the velocity."""
        return abs(self.residual(x, w, values, STOPS.prepare([yields]))[0])
