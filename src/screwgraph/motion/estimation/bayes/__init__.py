"""Bayes networks of motion, and the graphs that they become where some quantities are known."""

from screwgraph.motion.estimation.bayes.given_network import GivenNetwork
from screwgraph.motion.estimation.bayes.known_names import Quantity
from screwgraph.motion.estimation.bayes.network import BayesNetwork, GraphFactor, bayes_network
from screwgraph.motion.estimation.bayes.solution import BayesSolution, Branch

__all__ = ["BayesNetwork", "BayesSolution", "Branch", "GivenNetwork", "GraphFactor", "Quantity", "bayes_network"]
