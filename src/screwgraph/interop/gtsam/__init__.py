"""GTSAM in and out: graphs, values and factors; needs the extra `gtsam`."""

from screwgraph.interop.gtsam.elimination import bayes_net, elimination_order
from screwgraph.interop.gtsam.reading import from_gtsam
from screwgraph.interop.gtsam.values import from_values, symbols, to_values
from screwgraph.interop.gtsam.writing import to_gtsam

__all__ = ["bayes_net", "elimination_order", "from_gtsam", "from_values", "symbols", "to_gtsam", "to_values"]
