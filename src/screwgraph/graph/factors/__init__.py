"""The laws of physics: one file each; a new one is a new file and a line in `TEMPLATES`."""

from screwgraph.graph.factors.acceleration import acceleration
from screwgraph.graph.factors.augmented_multiplier import augmented_multiplier
from screwgraph.graph.factors.constraint_acceleration import constraint_acceleration
from screwgraph.graph.factors.constraint_step import constraint_step
from screwgraph.graph.factors.constraint_velocity import constraint_velocity
from screwgraph.graph.factors.coupling import coupling
from screwgraph.graph.factors.force_balance import force_balance
from screwgraph.graph.factors.frame_pose import frame_pose
from screwgraph.graph.factors.free_coordinates import free_coordinates
from screwgraph.graph.factors.friction_pyramid import friction_pyramid
from screwgraph.graph.factors.gravity import gravity
from screwgraph.graph.factors.held_point import held_point
from screwgraph.graph.factors.least_change import least_change
from screwgraph.graph.factors.loop import loop
from screwgraph.graph.factors.measurement import measurement
from screwgraph.graph.factors.minimum_effort import minimum_effort
from screwgraph.graph.factors.minimum_torque import minimum_torque
from screwgraph.graph.factors.pin_force import pin_force
from screwgraph.graph.factors.pose import pose
from screwgraph.graph.factors.prior import prior
from screwgraph.graph.factors.pure_force import pure_force
from screwgraph.graph.factors.shared_balance import shared_balance
from screwgraph.graph.factors.switched_point import switched_point
from screwgraph.graph.factors.tied_velocities import tied_velocities
from screwgraph.graph.factors.torque import torque
from screwgraph.graph.factors.transmission import transmission
from screwgraph.graph.factors.twist import twist
from screwgraph.graph.factors.wrench import wrench

TEMPLATES = {
    t.name: t
    for t in (
        pose,
        frame_pose,
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
        augmented_multiplier,
        measurement,
        transmission,
        minimum_effort,
        force_balance,
        constraint_acceleration,
        constraint_velocity,
        constraint_step,
        least_change,
        shared_balance,
        pin_force,
        free_coordinates,
        held_point,
        switched_point,
        pure_force,
        friction_pyramid,
    )
}

__all__ = [
    "TEMPLATES",
    "acceleration",
    "augmented_multiplier",
    "constraint_acceleration",
    "constraint_step",
    "constraint_velocity",
    "coupling",
    "force_balance",
    "frame_pose",
    "free_coordinates",
    "friction_pyramid",
    "gravity",
    "held_point",
    "least_change",
    "loop",
    "measurement",
    "minimum_effort",
    "minimum_torque",
    "pin_force",
    "pose",
    "prior",
    "pure_force",
    "shared_balance",
    "switched_point",
    "tied_velocities",
    "torque",
    "transmission",
    "twist",
    "wrench",
]
