"""Factor graphs: variables, laws of physics, and the graph of a robot's dynamics."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.graph.clusters import (
    Cluster,
    cluster_joints,
    clusters,
    joints_by_multiplier,
    links_by_multiplier,
    loop_spans,
)
from screwgraph.graph.dynamics import dynamics_graph, graph_of, with_actuators, with_loop
from screwgraph.graph.export import to_dot, to_json
from screwgraph.graph.factor import Factor, Labels, Law, Live, Slot, Template, factor
from screwgraph.graph.factor_graph import Derived, EditedModel, FactorGraph
from screwgraph.graph.factors import TEMPLATES
from screwgraph.graph.inequalities import with_bounds, with_inequality
from screwgraph.graph.inequality import Inequality
from screwgraph.graph.kinematics import kinematics_graph
from screwgraph.graph.linear_rows import Affine, Column, Row, linear_rows
from screwgraph.graph.live_parameters import parameter_variable, with_live_parameters
from screwgraph.graph.loop_ends import End, loop_wrenches
from screwgraph.graph.mechanism import refuse_payload, unconstrained_graph, with_right_hand_sides
from screwgraph.graph.nested_clusters import nested_clusters
from screwgraph.graph.pin_forces import with_pin_forces
from screwgraph.graph.planar_links import planar_links
from screwgraph.graph.point_contacts import with_point_contacts
from screwgraph.graph.projection_graphs import completion_graph, projection_graph
from screwgraph.graph.redundant_actuation import (
    ADJOINT_VELOCITY,
    adjoint_multiplier,
    redundant_motors_graph,
    with_redundant_actuation,
)
from screwgraph.graph.soft_factors import with_measurements, with_soft
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.graph.variable_kinds import KINDS, Kind, Role

__all__ = [
    "ADJOINT_VELOCITY",
    "KINDS",
    "TEMPLATES",
    "Affine",
    "Cluster",
    "Column",
    "Derived",
    "EditedModel",
    "End",
    "Factor",
    "FactorGraph",
    "Inequality",
    "Key",
    "Kind",
    "Labels",
    "Law",
    "Live",
    "Role",
    "Row",
    "Slot",
    "Template",
    "Variable",
    "adjoint_multiplier",
    "cluster_joints",
    "clusters",
    "completion_graph",
    "dynamics_graph",
    "factor",
    "graph_of",
    "joints_by_multiplier",
    "kinematics_graph",
    "linear_rows",
    "links_by_multiplier",
    "loop_spans",
    "loop_wrenches",
    "nested_clusters",
    "parameter_variable",
    "planar_links",
    "projection_graph",
    "redundant_motors_graph",
    "refuse_payload",
    "to_dot",
    "to_json",
    "unconstrained_graph",
    "vector_variable",
    "with_actuators",
    "with_bounds",
    "with_inequality",
    "with_live_parameters",
    "with_loop",
    "with_measurements",
    "with_pin_forces",
    "with_point_contacts",
    "with_redundant_actuation",
    "with_right_hand_sides",
    "with_soft",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
