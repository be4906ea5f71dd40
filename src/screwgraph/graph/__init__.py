"""Factor graphs: variables, laws of physics, and the graph of a robot's dynamics."""

from screwgraph.graph.clusters import Cluster, clusters, spans, tied_by, tied_joints, tied_links
from screwgraph.graph.constrained_motion import completion_graph, projection_graph
from screwgraph.graph.dynamics import dynamics_graph, graph_of, with_actuators, with_loop
from screwgraph.graph.export import to_dot, to_json
from screwgraph.graph.factor import Factor, Labels, Law, Live, Slot, Template, factor
from screwgraph.graph.factor_graph import Derived, FactorGraph
from screwgraph.graph.factors import TEMPLATES
from screwgraph.graph.kinds import KINDS, Kind, Role
from screwgraph.graph.kinematics import kinematics_graph
from screwgraph.graph.linear import Affine, Column, Row, linear_rows
from screwgraph.graph.live_parameters import parameter_variable, with_live_parameters
from screwgraph.graph.loop_ends import End, loop_wrenches
from screwgraph.graph.mechanism import no_payload, unconstrained_graph, with_right_hand_sides
from screwgraph.graph.model import Model
from screwgraph.graph.planar_links import planar_links
from screwgraph.graph.redundant_actuation import ADJOINT_VELOCITY, adjoint_multiplier, with_redundant_actuation
from screwgraph.graph.shared_work import shared_work_graph
from screwgraph.graph.soft import with_measurements, with_soft
from screwgraph.graph.variable import Key, Variable, vector_variable

__all__ = [
    "ADJOINT_VELOCITY",
    "KINDS",
    "TEMPLATES",
    "Affine",
    "Cluster",
    "Column",
    "Derived",
    "End",
    "Factor",
    "FactorGraph",
    "Key",
    "Kind",
    "Labels",
    "Law",
    "Live",
    "Model",
    "Role",
    "Row",
    "Slot",
    "Template",
    "Variable",
    "adjoint_multiplier",
    "clusters",
    "completion_graph",
    "dynamics_graph",
    "factor",
    "graph_of",
    "kinematics_graph",
    "linear_rows",
    "loop_wrenches",
    "no_payload",
    "parameter_variable",
    "planar_links",
    "projection_graph",
    "shared_work_graph",
    "spans",
    "tied_by",
    "tied_joints",
    "tied_links",
    "to_dot",
    "to_json",
    "unconstrained_graph",
    "vector_variable",
    "with_actuators",
    "with_live_parameters",
    "with_loop",
    "with_measurements",
    "with_redundant_actuation",
    "with_right_hand_sides",
    "with_soft",
]
