"""Ways to join the points of a trajectory: one file each; a new one is a new file and a line in `COLLOCATIONS`."""

from screwgraph.plan.collocation.base import Collocation, Point
from screwgraph.plan.collocation.euler import Euler
from screwgraph.plan.collocation.hermite_simpson import HermiteSimpson
from screwgraph.plan.collocation.linear_acceleration import LinearAcceleration
from screwgraph.plan.collocation.none import Untied
from screwgraph.plan.collocation.trapezoidal import Trapezoidal

COLLOCATIONS: dict[str, Collocation] = {
    "euler": Euler(),
    "trapezoidal": Trapezoidal(),
    "linear_acceleration": LinearAcceleration(),
    "hermite_simpson": HermiteSimpson(),
    "none": Untied(),
}

__all__ = [
    "COLLOCATIONS",
    "Collocation",
    "Euler",
    "HermiteSimpson",
    "LinearAcceleration",
    "Point",
    "Trapezoidal",
    "Untied",
]
