"""What the parts of a task are called, for people."""

from __future__ import annotations

from screwgraph.motion.planning.contacts import CONTACTS
from screwgraph.motion.planning.costs import COSTS
from screwgraph.motion.planning.goals import GOALS
from screwgraph.motion.planning.limits import LIMITS
from screwgraph.motion.planning.obstacles import OBSTACLES
from screwgraph.motion.planning.task import Task

_WORDS = {made: kind for registry in (GOALS, COSTS, LIMITS, OBSTACLES, CONTACTS) for kind, made in registry.items()}


def label_item(task: Task, name: str) -> str:
    """Return the name of factors with the kind of their item: "cost 1" of an effort is "cost 1: effort"."""
    items = dict(task.items())
    item = items.get(name.partition(":")[0])
    word = _WORDS.get(type(item))
    return f"{name}: {word}" if word and ":" not in name else name
