"""Queries: what people ask of a model, robot or mechanism; one file each, one explicit signature for all models."""

from screwgraph.queries.estimate import estimate
from screwgraph.queries.excitation import excitation
from screwgraph.queries.identify import identify
from screwgraph.queries.inverse_trajectory import inverse_trajectory
from screwgraph.queries.minimal_distance import minimal_distance
from screwgraph.queries.rollout import rollout
from screwgraph.queries.simulate import simulate

__all__ = ["estimate", "excitation", "identify", "inverse_trajectory", "minimal_distance", "rollout", "simulate"]
