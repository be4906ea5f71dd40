"""Robust losses: one file each; a new one is a new file and a line in `LOSSES`."""

from screwgraph.optimize.losses.base import Loss
from screwgraph.optimize.losses.cauchy import Cauchy
from screwgraph.optimize.losses.geman_mcclure import GemanMcClure
from screwgraph.optimize.losses.huber import Huber
from screwgraph.optimize.losses.tukey import Tukey

LOSSES = {"huber": Huber(), "cauchy": Cauchy(), "tukey": Tukey(), "geman_mcclure": GemanMcClure()}

__all__ = ["LOSSES", "Cauchy", "GemanMcClure", "Huber", "Loss", "Tukey"]
