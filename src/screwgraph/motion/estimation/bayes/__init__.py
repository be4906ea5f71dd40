"""Bayes networks of motion, and the graphs that they become where some quantities are known."""

from screwgraph.motion.estimation.bayes.given_network import BayesSolution, GivenNetwork
from screwgraph.motion.estimation.bayes.known_names import Quantity
from screwgraph.motion.estimation.bayes.network import BayesNetwork, GraphFactor, bayes_network

__all__ = ["BayesNetwork", "BayesSolution", "GivenNetwork", "GraphFactor", "Quantity", "bayes_network"]
