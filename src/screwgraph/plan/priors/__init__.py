"""Gaussian-process priors of motions: factors between neighbouring states, and positions between these."""

from screwgraph.plan.priors.between import Between, weights
from screwgraph.plan.priors.chain import covariance, transition
from screwgraph.plan.priors.gaussian_process import Whitened, neighbours, prior_factors

__all__ = ["Between", "Whitened", "covariance", "neighbours", "prior_factors", "transition", "weights"]
