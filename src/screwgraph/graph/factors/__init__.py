"""The laws of physics: one file each; a new one is a new file and a line in `TEMPLATES`."""

from screwgraph.graph.factors.acceleration import acceleration
from screwgraph.graph.factors.coupling import coupling
from screwgraph.graph.factors.gravity import gravity
from screwgraph.graph.factors.loop import loop
from screwgraph.graph.factors.minimum_torque import minimum_torque
from screwgraph.graph.factors.prior import prior
from screwgraph.graph.factors.tied_velocities import tied_velocities
from screwgraph.graph.factors.torque import torque
from screwgraph.graph.factors.twist import twist
from screwgraph.graph.factors.wrench import wrench

TEMPLATES = {
    t.name: t
    for t in (
        twist,
        acceleration,
        wrench,
        torque,
        gravity,
        prior,
        loop,
        coupling,
        tied_velocities,
        minimum_torque,
    )
}

__all__ = [
    "TEMPLATES",
    "acceleration",
    "coupling",
    "gravity",
    "loop",
    "minimum_torque",
    "prior",
    "tied_velocities",
    "torque",
    "twist",
    "wrench",
]
