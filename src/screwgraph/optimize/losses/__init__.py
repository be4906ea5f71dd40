"""Robust losses: one file each; a new one is a new file and a line in `LOSSES`."""

from screwgraph.optimize.losses.base import Loss
from screwgraph.optimize.losses.cauchy import Cauchy
from screwgraph.optimize.losses.dead_zone import DeadZone
from screwgraph.optimize.losses.dynamic_covariance_scaling import DynamicCovarianceScaling
from screwgraph.optimize.losses.fair import Fair
from screwgraph.optimize.losses.geman_mcclure import GemanMcClure
from screwgraph.optimize.losses.huber import Huber
from screwgraph.optimize.losses.truncated import Truncated
from screwgraph.optimize.losses.tukey import Tukey
from screwgraph.optimize.losses.welsch import Welsch

LOSSES = {
    "huber": Huber(),
    "cauchy": Cauchy(),
    "tukey": Tukey(),
    "geman_mcclure": GemanMcClure(),
    "fair": Fair(),
    "welsch": Welsch(),
    "dynamic_covariance_scaling": DynamicCovarianceScaling(),
    "truncated": Truncated(),
    "dead_zone": DeadZone(),
}

__all__ = [
    "LOSSES",
    "Cauchy",
    "DeadZone",
    "DynamicCovarianceScaling",
    "Fair",
    "GemanMcClure",
    "Huber",
    "Loss",
    "Truncated",
    "Tukey",
    "Welsch",
]
