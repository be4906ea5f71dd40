"""The robot model: links, joints, frames, loops and couplings, and functions that return changed robots."""

from screwgraph.robot.actuators import Actuator, LoopMotor, Thruster, Transmission
from screwgraph.robot.attach import attach, prefixed
from screwgraph.robot.check import check_moves, implausible, massless_joints, massless_links
from screwgraph.robot.closed import check_closed_chains
from screwgraph.robot.closure.chain import Chain, chain_of
from screwgraph.robot.closure.constraints import (
    Row,
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    coordinates_around,
    loop_error,
    loop_pose,
)
from screwgraph.robot.closure.drawn import FAR, moved_in_words, remark_on_drawing
from screwgraph.robot.closure.independent import (
    Jacobians,
    advise_independent_joints,
    determined,
    followed_jacobians,
    independent_coordinates,
    position_slices,
)
from screwgraph.robot.closure.levers import Lever, actuation_matrix, actuators_of, lever
from screwgraph.robot.closure.massless_motion import idle_joints
from screwgraph.robot.closure.mobility import (
    Mobility,
    analysed_as,
    closed_states,
    mobility,
    regular_states,
    symmetric_states,
)
from screwgraph.robot.closure.planar import is_planar
from screwgraph.robot.closure.positions import close_loops, complete, complete_velocity
from screwgraph.robot.coupling import Coupling
from screwgraph.robot.edit import (
    resorted,
    snapped,
    with_floating_base,
    with_gravity,
    without_damping,
    without_loops,
)
from screwgraph.robot.expression import Constant, Expression, Operation, Position, Power
from screwgraph.robot.joints import JOINT_TYPES, JointType
from screwgraph.robot.kinematics import frame_pose, frame_velocity, link_poses, link_twists
from screwgraph.robot.limits import LimitArrays
from screwgraph.robot.parts import Frame, Joint, Limits, Link, Loop
from screwgraph.robot.robot import STANDARD_GRAVITY, Robot, unknown
from screwgraph.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, Visual
from screwgraph.robot.topology import tree
from screwgraph.robot.unit import check_unit
from screwgraph.robot.units import Units, units
from screwgraph.robot.weld import lock, merge_fixed

__all__ = [
    "FAR",
    "JOINT_TYPES",
    "STANDARD_GRAVITY",
    "Actuator",
    "Box",
    "Capsule",
    "Chain",
    "Constant",
    "Coupling",
    "Cylinder",
    "Ellipsoid",
    "Expression",
    "Frame",
    "Jacobians",
    "Joint",
    "JointType",
    "Lever",
    "LimitArrays",
    "Limits",
    "Link",
    "Loop",
    "LoopMotor",
    "Mesh",
    "Mobility",
    "Operation",
    "Position",
    "Power",
    "Robot",
    "Row",
    "Shape",
    "Sphere",
    "Thruster",
    "Transmission",
    "Units",
    "Visual",
    "actuation_matrix",
    "actuators_of",
    "advise_independent_joints",
    "analysed_as",
    "attach",
    "chain_of",
    "check_closed_chains",
    "check_moves",
    "check_unit",
    "close_loops",
    "closed_states",
    "complete",
    "complete_velocity",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_rows",
    "coordinates_around",
    "determined",
    "followed_jacobians",
    "frame_pose",
    "frame_velocity",
    "idle_joints",
    "implausible",
    "independent_coordinates",
    "is_planar",
    "lever",
    "link_poses",
    "link_twists",
    "lock",
    "loop_error",
    "loop_pose",
    "massless_joints",
    "massless_links",
    "merge_fixed",
    "mobility",
    "moved_in_words",
    "position_slices",
    "prefixed",
    "regular_states",
    "remark_on_drawing",
    "resorted",
    "snapped",
    "symmetric_states",
    "tree",
    "units",
    "unknown",
    "with_floating_base",
    "with_gravity",
    "without_damping",
    "without_loops",
]
