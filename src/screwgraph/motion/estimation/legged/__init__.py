"""Estimation of legged robots' bases: inertial measurements and standing feet."""

from screwgraph.motion.estimation.legged.smoother import LeggedNoise, LeggedSmoother

__all__ = ["LeggedNoise", "LeggedSmoother"]
