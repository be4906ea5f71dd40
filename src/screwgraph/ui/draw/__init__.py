"""Figures of graphs, matrices and eliminations, in the style of Xie & Dellaert (2019); needs the extra `draw`."""

from screwgraph.ui.draw.algorithm import draw_algorithm
from screwgraph.ui.draw.cliques import draw_cliques
from screwgraph.ui.draw.clusters import draw_clusters
from screwgraph.ui.draw.costs import draw_costs
from screwgraph.ui.draw.dag import draw_bayes_net, draw_dag
from screwgraph.ui.draw.elimination_steps import draw_steps
from screwgraph.ui.draw.figures import FIGURES
from screwgraph.ui.draw.graph import draw_graph
from screwgraph.ui.draw.graphs_over_time import OVER_TIME, draw_bayes_network, draw_motion_graph
from screwgraph.ui.draw.matrix import draw_matrix
from screwgraph.ui.draw.motion import draw_motion, motion_panels, panels_by_unit
from screwgraph.ui.draw.paths import draw_paths
from screwgraph.ui.draw.problem_graph import draw_network, draw_problem
from screwgraph.ui.draw.save import encode, save
from screwgraph.ui.draw.time_plots import Panel, draw_histories

__all__ = [
    "FIGURES",
    "OVER_TIME",
    "Panel",
    "draw_algorithm",
    "draw_bayes_net",
    "draw_bayes_network",
    "draw_cliques",
    "draw_clusters",
    "draw_costs",
    "draw_dag",
    "draw_graph",
    "draw_histories",
    "draw_matrix",
    "draw_motion",
    "draw_motion_graph",
    "draw_network",
    "draw_paths",
    "draw_problem",
    "draw_steps",
    "encode",
    "motion_panels",
    "panels_by_unit",
    "save",
]
