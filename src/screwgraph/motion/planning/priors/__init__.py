"""Gaussian-process priors of motions: factors between neighbouring states, and positions between these."""

from screwgraph.motion.planning.priors.gaussian_process import WhitenedTransition, make_prior_factors, select_neighbours
from screwgraph.motion.planning.priors.gp_interpolation import GpInterpolation, interpolation_weights
from screwgraph.motion.planning.priors.white_noise_model import covariance, transition

__all__ = [
    "GpInterpolation",
    "WhitenedTransition",
    "covariance",
    "interpolation_weights",
    "make_prior_factors",
    "select_neighbours",
    "transition",
]
