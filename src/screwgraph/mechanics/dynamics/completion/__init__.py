"""Closed positions from independent ones, as code: block by block, in closed form where there is one."""

from screwgraph.mechanics.dynamics.completion.completion import Completion

__all__ = ["Completion"]
