"""Robot files: URDF, SDF, MJCF and our own YAML, read with a clear line for whatever is wrong in them, and written."""

from screwgraph.formats.files import write_atomically
from screwgraph.formats.load import load, zoo_names
from screwgraph.formats.save import save

__all__ = ["load", "save", "write_atomically", "zoo_names"]
