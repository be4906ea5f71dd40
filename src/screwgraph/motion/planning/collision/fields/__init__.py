"""Obstacles as tables of distances."""

from screwgraph.motion.planning.collision.fields.distance_grid import DistanceGrid, load_distance_grid
from screwgraph.motion.planning.collision.fields.field_taylor import FieldTaylor
from screwgraph.motion.planning.collision.fields.height_map import height_map

__all__ = ["DistanceGrid", "FieldTaylor", "height_map", "load_distance_grid"]
