"""The command line: `screwgraph info`, `solve`, `draw`."""

from screwgraph.cli.app import main, run

__all__ = ["main", "run"]
