"""Queries: what people ask of a model, robot or mechanism; one file each, one explicit signature for all models."""

from screwgraph.api.queries.estimate import estimate
from screwgraph.api.queries.excitation import excitation
from screwgraph.api.queries.identify import identify
from screwgraph.api.queries.inverse_trajectory import inverse_trajectory
from screwgraph.api.queries.minimal_distance import minimal_distance
from screwgraph.api.queries.rollout import rollout
from screwgraph.api.queries.simulate import simulate

__all__ = ["estimate", "excitation", "identify", "inverse_trajectory", "minimal_distance", "rollout", "simulate"]
