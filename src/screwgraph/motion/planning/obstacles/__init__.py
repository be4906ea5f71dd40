"""Obstacles: one file each; a new one is a new file and a line in `OBSTACLES`."""

from screwgraph.motion.planning.obstacles.avoid import Avoid
from screwgraph.motion.planning.obstacles.self_collision import AvoidItself

OBSTACLES: dict[str, type] = {"avoid": Avoid, "avoid_itself": AvoidItself}

__all__ = ["OBSTACLES", "Avoid", "AvoidItself"]
