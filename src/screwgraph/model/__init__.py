"""Models: robots and planar mechanisms, the protocol that both keep, and the files that describe them."""

from screwgraph.model.model import QUANTITIES, STATES, Column, Model, coordinate_names

__all__ = ["QUANTITIES", "STATES", "Column", "Model", "coordinate_names"]
