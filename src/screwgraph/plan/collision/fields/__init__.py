"""Obstacles as tables of distances."""

from screwgraph.plan.collision.fields.distance_grid import DistanceGrid, load_grid, read_arrays
from screwgraph.plan.collision.fields.height_map import height_map
from screwgraph.plan.collision.fields.refresh import Refresh

__all__ = ["DistanceGrid", "Refresh", "height_map", "load_grid", "read_arrays"]
