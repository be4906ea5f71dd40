"""The robot model: links, joints, frames, loops and couplings, and functions that return changed robots."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.model.robot.actuator import Actuator, Lever
from screwgraph.model.robot.actuators import Cable, LoopMotor, Thruster, Transmission
from screwgraph.model.robot.attach import attach, prefix_names, world
from screwgraph.model.robot.closed_chain_checks import check_closed_chains
from screwgraph.model.robot.closure.closed_positions import close_loops, complete, complete_velocity
from screwgraph.model.robot.closure.constraints import (
    Row,
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    coordinates_around,
    loop_error,
    loop_pose,
)
from screwgraph.model.robot.closure.drawn import FAR, moved_in_words, remark_on_drawing
from screwgraph.model.robot.closure.independent_joints import (
    SampledJacobians,
    advise_independent_joints,
    compute_followed_jacobians,
    find_determined_columns,
    independent_coordinates,
    position_slices,
)
from screwgraph.model.robot.closure.lever_arms import (
    actuation_matrix,
    actuation_torques,
    actuators_of,
    displacements,
    linear_actuation,
    list_torques,
    make_lever,
)
from screwgraph.model.robot.closure.loop_chain import Chain, chain_of
from screwgraph.model.robot.closure.massless_motion import idle_joints
from screwgraph.model.robot.closure.mobility import (
    Mobility,
    closed_states,
    mobility,
    regular_states,
    share_analysis,
    symmetric_states,
)
from screwgraph.model.robot.closure.planar import is_planar
from screwgraph.model.robot.coordinate_units import Units, units
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.edit import (
    snap_rotations,
    sort_robot,
    with_floating_base,
    with_gravity,
    without_damping,
    without_loops,
)
from screwgraph.model.robot.inertia_checks import check_moves, list_implausible, massless_joints, massless_links
from screwgraph.model.robot.joints import JOINT_TYPES, JointType
from screwgraph.model.robot.kinematics import frame_pose, frame_velocity, link_poses, link_twists
from screwgraph.model.robot.limit_arrays import LimitArrays
from screwgraph.model.robot.parts import Frame, Joint, Limits, Link, Loop
from screwgraph.model.robot.position_expression import Constant, Expression, Operation, Position, Power
from screwgraph.model.robot.quaternion_checks import check_unit
from screwgraph.model.robot.robot import STANDARD_GRAVITY, Robot, make_unknown_name_error
from screwgraph.model.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, Visual
from screwgraph.model.robot.topology import tree
from screwgraph.model.robot.weld import lock, merge_fixed

__all__ = [
    "FAR",
    "JOINT_TYPES",
    "STANDARD_GRAVITY",
    "Actuator",
    "Box",
    "Cable",
    "Capsule",
    "Chain",
    "Constant",
    "Coupling",
    "Cylinder",
    "Ellipsoid",
    "Expression",
    "Frame",
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
    "SampledJacobians",
    "Shape",
    "Sphere",
    "Thruster",
    "Transmission",
    "Units",
    "Visual",
    "actuation_matrix",
    "actuation_torques",
    "actuators_of",
    "advise_independent_joints",
    "attach",
    "chain_of",
    "check_closed_chains",
    "check_moves",
    "check_unit",
    "close_loops",
    "closed_states",
    "complete",
    "complete_velocity",
    "compute_followed_jacobians",
    "constraint_jacobian",
    "constraint_residual",
    "constraint_rows",
    "coordinates_around",
    "displacements",
    "find_determined_columns",
    "frame_pose",
    "frame_velocity",
    "idle_joints",
    "independent_coordinates",
    "is_planar",
    "linear_actuation",
    "link_poses",
    "link_twists",
    "list_implausible",
    "list_torques",
    "lock",
    "loop_error",
    "loop_pose",
    "make_lever",
    "make_unknown_name_error",
    "massless_joints",
    "massless_links",
    "merge_fixed",
    "mobility",
    "moved_in_words",
    "position_slices",
    "prefix_names",
    "regular_states",
    "remark_on_drawing",
    "share_analysis",
    "snap_rotations",
    "sort_robot",
    "symmetric_states",
    "tree",
    "units",
    "with_floating_base",
    "with_gravity",
    "without_damping",
    "without_loops",
    "world",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
