"""Models: what files say of robots and mechanisms, and the laws of their parts."""

from screwgraph.models.load import is_mechanism, load

__all__ = ["is_mechanism", "load"]
