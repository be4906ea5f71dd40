"""GTSAM in and out: graphs, values and factors; needs the extra `gtsam`."""

from screwgraph.api.interop.gtsam.bayes_net import bayes_net, elimination_order
from screwgraph.api.interop.gtsam.graph_export import to_gtsam
from screwgraph.api.interop.gtsam.graph_import import from_gtsam
from screwgraph.api.interop.gtsam.values import from_values, symbols, to_values

__all__ = ["bayes_net", "elimination_order", "from_gtsam", "from_values", "symbols", "to_gtsam", "to_values"]
